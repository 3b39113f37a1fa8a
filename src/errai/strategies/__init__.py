"""Strategies: the action probabilities of every hand at a public state.

``strategy`` defines the two forms of a strategy; ``of_tree`` and ``by_state`` turn each form into the other.
``blind``, ``buckets`` and ``solution`` are ready-made strategies, and ``openspiel`` reads those of
OpenSpiel; ``given`` makes strategies from names, and from any object that can be used as one.  ``tree_walk``
translates bets that a strategy does not know.
"""
