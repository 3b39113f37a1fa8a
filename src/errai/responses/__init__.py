"""Best responses to strategies far too large to hold: accelerated best response, board by board.

``strategy`` says what a strategy is, ``card_strategies`` and ``reader`` give ready ones; ``lines`` and ``boards`` cut
the public tree into pieces; ``general`` and ``merged`` walk what stands below one board of the second street, ``trunk``
what stands above; ``work`` spreads the boards over processes and keeps a checkpoint, ``sampling`` estimates from some
of them, ``response`` puts all of it together.
"""
