"""The first decisions of a game by name, and how often each line is reached."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from errai.errors import LineError
from errai.solutions.node import SolutionNode
from errai.solutions.solution import Profile
from errai.tree.lines import split_line

SITUATIONS = ("first", "limp", "facing-raise")
"""The first action; the answer to a check or call; the answer to the first bet or raise, one for each size."""


@dataclass(frozen=True)
class Situation:
    """A line with a name and a title."""

    name: str
    """A short name that can be part of a file's name."""
    title: str
    line: str


def named_situations(solved: Profile, name: str) -> list[Situation]:
    """Return the lines that one of ``SITUATIONS`` means; raises :class:`LineError` if the game has none."""
    root = solved.root
    assert root.player is not None
    first, second = role(solved, root.player), role(solved, 1 - root.player)
    if name == "first":
        owner = f"the first action of the {first}" if first.startswith("player") else f"the {first}'s first action"
        return [Situation("first", owner, "")]
    if name == "limp":
        passive = next((action for action in root.actions if action in ("check", "call")), None)
        if passive is None:
            raise LineError("The first action of this game cannot be a check or call.")
        return [Situation("limp", f"the {second} after a {'limp' if passive == 'call' else 'check'}", passive)]
    raises = [action for action in root.actions if action not in ("fold", "check", "call")]
    if not raises:
        raise LineError("The first action of this game cannot be a bet or raise.")
    if len(raises) == 1:
        return [Situation("facing-raise", f"the {second} facing a {raises[0].split()[0]}", raises[0])]
    return [
        Situation(f"facing-raise-{action.split()[-1]}", f"the {second} facing {action}", action) for action in raises
    ]


def line_situation(node: SolutionNode, solved: Profile) -> Situation:
    """Return the situation at a node, named by its line."""
    words = re.sub(r"[^A-Za-z0-9.]+", "-", node.line).strip("-")
    who = "" if node.player is None else f"the {role(solved, node.player)}"
    return Situation(words or "first", f"{who} after {node.line}" if node.line else who, node.line)


def role(solved: Profile, player: int) -> str:
    """Return the name of a player: dealer and big blind if the smaller blind acts first, as in hold'em.

    In a spot or a lookahead that begins after the first street, players are named by their position.
    """
    if solved.subject.first_round:
        return f"player {solved.root.player_names[player]}"
    game = solved.subject.rules
    first = game.first_player[0]
    names = (
        ("dealer", "big blind") if game.blinds[first] < game.blinds[1 - first] else ("first player", "second player")
    )
    return names[0] if player == first else names[1]


def reach_probability(solved: Profile, node: SolutionNode) -> float:
    """Return how often a node of the first street is reached: the product of the frequencies on its line.

    Raises :class:`LineError` if cards have been dealt on the line.
    """
    if "/" in node.line:
        raise LineError(f"'{node.line}' goes past the first street; use `errai show` for it.")
    here, probability = solved.root, 1.0
    for step in split_line(node.line):
        frequency = float(here.frequencies[here.actions.index(step)])
        probability *= 0.0 if math.isnan(frequency) else frequency
        here = here[step]
    return probability


@dataclass(frozen=True)
class LineFrequency:
    """A line of the first street and how often it is taken."""

    line: str
    kind: str
    """Kind of the node: ``decision``, ``chance``, ``fold``, ``showdown`` or ``leaf``."""
    pot_chips: float
    reached: float
    """Probability that the node is reached; those of all lines that end the street sum to 1."""


def line_frequencies(solved: Profile) -> list[LineFrequency]:
    """Return how often each line of the first street is taken; a line comes before its continuations."""
    found: list[LineFrequency] = []

    def visit(node: SolutionNode, reached: float) -> None:
        found.append(LineFrequency(node.line, node.kind, node.pot_chips, reached))
        for action, frequency in zip(node.actions, node.frequencies, strict=False):
            visit(node[action], 0.0 if math.isnan(frequency) else reached * float(frequency))

    visit(solved.root, 1.0)
    return found
