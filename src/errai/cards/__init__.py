"""Cards: decks, hands, hand strength, ranges, and indexing up to suit isomorphism.

A card is a small integer, ``rank * num_suits + suit`` in the numbering of its own deck; rank 0 is the lowest
rank that the deck has.  A hand is a set of private cards and has an index (see :mod:`errai.cards.hands`).
"""
