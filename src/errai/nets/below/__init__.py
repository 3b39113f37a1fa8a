"""Networks at the leaves of trees: as leaf values of a solve, and at the leaves of an agent's lookaheads."""
