"""Measuring with less luck: AIVAT and importance sampling."""

from errai.arena.luck.estimators import make_estimator as make_estimator
from errai.arena.luck.estimators import read_values as read_values
