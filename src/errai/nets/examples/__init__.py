"""Positions with what they are worth: how they are drawn or met in play, solved exactly, and kept."""
