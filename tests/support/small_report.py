"""A report over three flops that takes a second."""

from __future__ import annotations

SPOT = """
title = "Tiny"
board = "Ks 7h 2d"
pot = 60
stack = 100
[ranges]
oop = "AA, KQs, T9s:0.5, 77"
ip = "KK, AQs, J9s, 22"
[bets]
bet = "100%"
raise = ""
"""
FLOPS = "Ks7h2d: 3\nTh9h2h: 2\n7c7d4s\n"
LINES = ["", "check", "check check"]
BODY = {"kind": "report", "subject": {"spot": SPOT}, "settings": {"flop_list": FLOPS, "lines": LINES, "processes": 1}}
