"""Blueprints: solving with hands in buckets, and the strategies that result from it."""
