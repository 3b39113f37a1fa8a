"""Abstraction: which hands share a bucket, and which actions of the tree stand for an action that is not in it.

Cards: features of hands (`features`), clusters of hands (`kmeans`, `potential`), and the map from hands to buckets on
any board (`buckets`, made by `building` round by round, stored by `file`).  Actions: `translation`.
"""
