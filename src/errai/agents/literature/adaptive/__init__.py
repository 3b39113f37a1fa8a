"""Vexbot and BRPlayer: agents that learn how the opponent plays and search the rest of the hand against that."""
