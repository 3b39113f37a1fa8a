"""The kernels: what walks a tree.  :mod:`errai.kernels.protocol` says what each of them does."""
