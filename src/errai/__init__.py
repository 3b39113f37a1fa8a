"""Errai solves two-player poker, proves how good the solution is, and plays it.

The names here are the public interface. They stand in the stub beside this file, for type checkers and for the loader,
which imports each when it is first used, so that ``import errai`` is quick.
"""

__version__ = "1.0.0"

try:
    import lazy_loader

    __getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
    __all__ += ["__version__"]
except ModuleNotFoundError:
    # The command starts all the same, and says which packages are missing when the first name is asked for.
    def __getattr__(name: str) -> object:
        raise ModuleNotFoundError("No module named 'lazy_loader'", name="lazy_loader")
