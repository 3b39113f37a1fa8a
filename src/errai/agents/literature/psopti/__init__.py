"""PsOpti: linear programs over a few buckets, for the flop on and for before the flop; see ``docs/bots/psopti.md``."""
