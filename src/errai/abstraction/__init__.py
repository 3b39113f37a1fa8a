"""Abstraction: which hands are taken for one another, and what an action that is none of the tree's is taken for.

Cards: features of hands (`features`), clusters of hands (`percentiles`, `kmeans`, `potential`), and the map from hands
to buckets on any board (`buckets`, made by `building`, kept by `file`).  Actions: `translation`.
"""
