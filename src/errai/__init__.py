"""Errai solves two-player poker, proves how good the solution is, and plays it.

The names here are the public interface. They stand in the stub beside this file, for type checkers and for the loader,
which imports each when it is first used, so that ``import errai`` is quick.
"""

import lazy_loader

__version__ = "0.1.0"

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
__all__ += ["__version__"]
