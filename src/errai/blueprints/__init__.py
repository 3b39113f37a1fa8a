"""Blueprints: solving over buckets of hands, and the strategies that come of it."""
