"""PsOpti: linear programs over a few buckets, after the flop and before it; see ``docs/bots/psopti.md``."""
