"""Re-solving: what is left of a game, solved again at any public state so that nothing is lost by it."""
