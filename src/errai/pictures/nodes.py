"""Cards, chips and shares of a node as text."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from errai.solutions.node import UNCONVERGED, SolutionNode
from errai.tree.lines import BetShare


def split_cards(text: str) -> tuple[str, ...]:
    """Cut 'AhKd' (spaces and commas allowed) into ('Ah', 'Kd')."""
    packed = text.replace(" ", "").replace(",", "")
    return tuple(packed[i : i + 2] for i in range(0, len(packed), 2))


def chips_text(chips: float) -> str:
    """Write an amount of chips without needless decimals: 120, 2.5, 1,200."""
    if abs(chips - round(chips)) < 5e-7 * max(1.0, abs(chips)):
        return f"{round(chips):,}"
    return f"{chips:,.2f}".rstrip("0").rstrip(".")


def action_text(action: str, share: BetShare | None) -> str:
    """Write an action; a bet or raise with what it is in per cent of the pot: bet 120 (60%)."""
    return action if share is None else f"{action} ({share})"


def stacks_text(stacks: Sequence[float]) -> str:
    """Write the stacks of both players, '' if they are unlimited, as in most limit games."""
    if math.isinf(max(stacks)):
        return ""
    first, second = (chips_text(float(stack)) for stack in stacks)
    return first if first == second else f"{first} and {second}"


def worth_text(chips: float, pot_chips: float) -> str:
    """Write an EV to about a thousandth of the pot: 95.3 of 200, -0.083 of 2; NaN is a dash."""
    if chips != chips:
        return "-"
    decimals = min(4, max(0, 3 - math.floor(math.log10(pot_chips)))) if pot_chips > 0 else 2
    return f"{chips:z,.{decimals}f}"


def percent_text(share: float) -> str:
    """Write a share as a percentage that does not round small shares to 0: 71.4%, <0.1%; NaN is a dash."""
    if share != share:
        return "-"
    percent = 100 * share
    if 0 < percent < 0.05:
        return "<0.1%"
    if 99.95 <= percent < 99.99999:
        return ">99.9%"
    return f"{percent:.1f}%"


def share_text(share: float | None) -> str:
    """Write an equity or an EQR to a tenth of a per cent; a dash if it is not known."""
    return "-" if share is None or share != share else f"{100 * share:z.1f}%"


def range_texts(node: SolutionNode) -> list[tuple[str, str, str]]:
    """Write EV, equity and, to a whole per cent, EQR of both ranges; nothing if none of them is known."""
    if np.isnan(node.range_ev).all() and np.isnan(node.range_equity).all():
        return []
    return [
        (worth_text(ev, node.pot_chips), share_text(equity), "-" if realised != realised else f"{100 * realised:z.0f}%")
        for ev, equity, realised in zip(node.range_ev, node.range_equity, node.range_equity_realised, strict=True)
    ]


def reached_text(probability: float) -> str:
    """Write how often a node is reached, rare ones too: 3.1% of hands, 1 of 24,300 hands, never."""
    if not probability > 0.0:
        return "never"
    if probability >= 0.001:
        return f"{percent_text(probability)} of hands"
    one_of = 1.0 / probability
    return f"1 of {one_of:,.3g} hands" if one_of >= 1e9 else f"1 of {float(f'{one_of:.3g}'):,.0f} hands"


def is_unconverged(node: SolutionNode) -> bool:
    """Return whether the solution is so far from converged at a node that it should be marked."""
    return node.unconverged > UNCONVERGED


def convergence_facts(node: SolutionNode) -> list[tuple[str, str]]:
    """Write how often a node is reached and, if it is known, what both players could still gain from there on.

    The name of the latter differs if :func:`is_unconverged` holds.
    """
    facts, left = [("Reached", reached_text(node.reached))], node.unconverged
    if left == left:
        part = "<0.001%" if 0 < left < 1e-5 else f"{100 * left:.2g}%"
        facts.append(("Little converged" if is_unconverged(node) else "Still to gain", f"{part} of the pot"))
    return facts


def convergence_text(node: SolutionNode) -> str:
    """Write the same as a sentence."""
    text = "; ".join(f"{name.lower()}: {value}" for name, value in convergence_facts(node))
    return text[:1].upper() + text[1:] + "."
