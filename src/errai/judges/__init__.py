"""Judges of strategies that share nothing with the solver they check: linear programs, matrix games, plain recursion.

The names that users need are imported when they are first used; they stand in the stub beside this file.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
