"""Kinds of networks, their inputs that depend on the cards alone, their files, and predictors without training."""
