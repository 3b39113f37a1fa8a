"""Local best response: a lower bound on how exploitable an agent is, in games too large for an exact best response."""

from errai.arena.lbr.enumeration import enumerate_lbr
from errai.arena.lbr.measure import LbrResult, lbr
from errai.arena.lbr.settings import NAMED, Setting, read_setting

__all__ = ["NAMED", "LbrResult", "Setting", "enumerate_lbr", "lbr", "read_setting"]
