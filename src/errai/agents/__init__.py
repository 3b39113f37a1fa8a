"""Agents: the protocol, and everybody who plays."""
