"""Files of Errai: containers of arrays, and checkpoints of a run."""
