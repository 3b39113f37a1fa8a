"""Networks below trees: as leaf values of a solve, and below the lookaheads of a player."""
