"""Solvers over buckets of hands: full-width, with chance sampled, with everything outside sampled, and CFR-BR."""
