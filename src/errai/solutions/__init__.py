"""Solutions: what a solve returns, its nodes, and its files."""
