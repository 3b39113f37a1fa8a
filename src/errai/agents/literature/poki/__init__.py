"""Poki: hand evaluation, betting by formula, a model of the opponent, and simulation; docs/bots/poki.md."""
