"""Re-solving: the rest of a game is solved again at a public state, in such a way that the strategy gets no worse.

The names that users need are imported when they are first used; they stand in the stub beside this file.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
