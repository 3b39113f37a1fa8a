"""Training positions with their values: how they are drawn or met in play, solved exactly, and stored."""
