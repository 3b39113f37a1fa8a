"""Counterfactual value networks: they estimate the value of a public state for every hand, trained on exact solves.

Moravčík et al., "DeepStack: expert-level artificial intelligence in heads-up no-limit poker" (Science 356, 2017).
"""
