"""Games: the rules (GAMEDEF), the betting, bet sizes, spots, the catalogue, and the size of a game.

Amounts in the rules are whole chips, and a raise is named by the total that the player will have put in over the whole
hand.  Players are 0 and 1.
"""
