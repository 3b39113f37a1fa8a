"""Solving from beginning to end."""
