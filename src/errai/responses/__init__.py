"""Best responses to strategies: those far too large to hold board by board, others on the whole tree in memory.

``lines`` and ``boards`` cut the public tree into pieces; ``general`` and ``merged`` walk what stands below one board of
the second street, ``trunk`` what stands above; ``work`` spreads the boards over processes and keeps a checkpoint,
``sampling`` estimates from some of them, ``response`` puts all of it together.  ``whole_tree`` asks a strategy about
everything at once, where that fits.  ``suits`` says which strategies may be asked once about what suits make equal.
"""
