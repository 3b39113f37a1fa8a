"""Training: examples as the inputs of a network, the loop, and a network with its card; PyTorch is imported here."""
