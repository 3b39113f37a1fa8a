"""Kinds of networks, what they compute from the cards alone, their files, and predictors that learnt nothing."""
