"""Strategies: what a public state's every hand does.

``strategy`` says what one is, in either form; ``of_tree`` and ``by_state`` make each form of the other.  ``blind``,
``buckets``, ``blueprint`` and ``solution`` are ready ones, ``openspiel`` reads those of OpenSpiel; ``reader`` takes
texts, and ``given`` whatever somebody has.  ``tree_walk`` takes bets that a strategy does not know for others.
"""
