"""Solving, from the request to the certified solution."""
