"""How good a network is: losses against exact values, a position with its solve, the cost in exploitability."""
