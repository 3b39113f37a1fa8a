"""Independent judges of strategies: linear programs, matrix games and the plain walk over real hands."""
