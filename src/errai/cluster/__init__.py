"""Games larger than memory: a trunk, subgames in blocks on disk, and the processes and machines that compute them."""
