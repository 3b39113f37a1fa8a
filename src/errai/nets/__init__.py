"""Counterfactual value networks: what a public state is worth to every hand, learnt from exact solves.

Moravčík et al., "DeepStack: expert-level artificial intelligence in heads-up no-limit poker" (Science 356, 2017).
"""
