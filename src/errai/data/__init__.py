"""Data that come with the package: blueprints, models and tables."""
