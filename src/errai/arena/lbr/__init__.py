"""Local best response: a lower bound on how exploitable an agent is, in games too large for an exact best response."""

from errai.arena.lbr.measure import lbr as lbr
