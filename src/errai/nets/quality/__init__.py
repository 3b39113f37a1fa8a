"""How good a network is: losses against exact values, a position beside its solve, the cost in exploitability."""
