"""Agents: the protocol that all players follow, and the players themselves."""
