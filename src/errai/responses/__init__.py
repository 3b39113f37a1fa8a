"""Best responses: board by board to strategies too large to hold in memory, and on the whole tree to others.

``pieces`` divides the public tree; ``general`` and ``merged`` compute values below one board of the second street, and
``general`` those of the first street.  ``work`` distributes the boards over processes and keeps a checkpoint,
``sampling`` estimates from some of them, and ``response`` puts it all together.  ``whole_tree`` measures a strategy on
a tree that fits in memory.  ``suits`` decides for which strategies only one of the boards and hands that differ by
suits alone is queried.
"""
