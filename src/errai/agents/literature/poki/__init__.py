"""Poki: hand evaluation, betting by formula, an opponent model, and simulation; see docs/bots/poki.md."""
