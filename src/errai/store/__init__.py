"""What Errai keeps on disk: containers of arrays, and checkpoints of a run."""
