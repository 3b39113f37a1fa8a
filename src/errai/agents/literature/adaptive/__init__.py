"""Vexbot and BRPlayer: agents that model the opponent while they play, and search the rest of the hand with it."""
