"""Independent checks of strategies: linear programs, matrix games, and plain recursion over real hands."""
