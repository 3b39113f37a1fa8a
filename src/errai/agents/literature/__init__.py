"""The bots of the literature, each after its paper; a page for each is in docs/bots/."""
