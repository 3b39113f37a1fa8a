"""Drills in words: the choices of a decision, what an answer is worth, and the totals of a round."""

from __future__ import annotations

from collections.abc import Sequence

from rich.table import Table

from errai.arena.drill import Drill, Grade, grade
from errai.arena.review import ReviewedDecision
from errai.console import counted
from errai.engine.units import Units
from errai.errors import IllegalActionError
from errai.pictures.nodes import chips_text, percent_text, worth_text
from errai.solutions.node import SolutionNode


def choices(node: SolutionNode) -> list[str]:
    """Return the actions of a decision, each with its number: '1 fold', '3 raise 300, all-in'."""
    return [
        f"{place} {action}{', all-in' if all_in else ''}"
        for place, (action, all_in) in enumerate(zip(node.actions, node.all_in, strict=True), 1)
    ]


def read_choice(text: str, node: SolutionNode) -> int:
    """Return the place of the action that the user typed: its number from 1, its name, or a short form such as ``b50``.

    Raises :class:`IllegalActionError` with the actions in its message.
    """
    words = " ".join(text.lower().split())
    if words.isdecimal() and 1 <= int(words) <= len(node.actions):
        return int(words) - 1
    found = node.solution.tree.betting.matching(node.node, words)
    if len(found) == 1:
        return found[0]
    shown = ascii(words if len(words) <= 30 else f"{words[:27]}...")
    why = f"{shown} may be several actions" if found else f"{shown} is not an action here"
    raise IllegalActionError(f"{why}. You can: {'; '.join(choices(node))}.")


def answer_words(decision: ReviewedDecision, units: Units) -> str:
    """Return a sentence on what an answer is worth."""
    head = str(grade(decision)).capitalize()
    if not decision.ev_chips:
        taken = percent_text(decision.probabilities.get(decision.action, 0.0))
        return f"{head}: the solution takes {decision.action} {taken} of the time; EVs are not known here."
    if decision.loss_chips <= 0:
        return f"{head}: no action is better than {decision.action}."
    lost = loss_text(decision.loss_chips, decision.pot_chips, units)
    left = "" if decision.is_counted else "; the solution is no more accurate here, so the two are equally good"
    return f"{head}: {decision.action} loses {lost} against {decision.best}{left}."


def loss_text(chips: float, pot_chips: float, units: Units) -> str:
    """Write a loss in chips, per cent of the pot and, where there is a big blind, in big blinds."""
    parts = [percent_text(chips / pot_chips) + " of the pot"]
    mbb = units.mbb(chips)
    if mbb is not None:
        parts.append(f"{mbb / 1000:.3g} bb")
    return f"{worth_text(chips, pot_chips)} chips ({', '.join(parts)})"


def answer_table(decision: ReviewedDecision) -> Table:
    """Return a table of the actions: how often the solution takes each with this hand, its EV, and what it loses."""
    table = Table(box=None, pad_edge=False)
    for heading in ("", "action"):
        table.add_column(heading)
    for heading in ("solution", "EV", "loses"):
        table.add_column(heading, justify="right")
    best = max(decision.ev_chips.values(), default=0.0)
    for action, taken in decision.probabilities.items():
        ev = decision.ev_chips.get(action)
        worth = ("-", "-") if ev is None else (ev, best - ev)
        texts = [value if isinstance(value, str) else worth_text(value, decision.pot_chips) for value in worth]
        table.add_row(">" if action == decision.action else "", action, percent_text(taken), *texts)
    return table


def totals_words(drill: Drill) -> str:
    """Return the totals of a round in a sentence; '' without any answer."""
    if not drill.answers:
        return ""
    grades = ", ".join(f"{drill.count(kind)} {kind if kind is not Grade.MISTAKE else 'wrong'}" for kind in Grade)
    words = f"{counted(len(drill.answers), 'decision')}: {grades}"
    known = [decision for decision in drill.answers if decision.ev_chips]
    if known:
        lost = sum(decision.counted_chips for decision in known)
        share = sum(decision.counted_chips / decision.pot_chips for decision in known) / len(known)
        mbb = drill.review.units.mbb(lost / len(known))
        each = [f"{100 * share:.2g}% of the pot"] + ([] if mbb is None else [f"{mbb / 1000:.2g} bb"])
        of = "" if len(known) == len(drill.answers) else f" in the {len(known):,} whose EVs are known"
        words += f"; {lost:,.2f} chips lost{of}, {', '.join(each)} a decision"
    return f"{words}."


def totals_table(drill: Drill, by: str) -> Table:
    """Return the totals by ``street`` or by ``line``, the greatest loss first."""
    table = Table(box=None, pad_edge=False)
    table.add_column(f"by {by}")
    for heading in ("decisions", "right", "chips lost", "a decision"):
        table.add_column(heading, justify="right")

    def of(decision: ReviewedDecision) -> str:
        return str(getattr(decision, by)) or "(first)"

    for name, total in drill.review.totals(of).items():
        right = _right([decision for decision in drill.answers if of(decision) == name])
        figures = (f"{total.decisions:,}", right, chips_text(round(total.loss_chips, 2)), f"{total.mean_chips:.2f}")
        table.add_row(name, *figures)
    return table


def _right(decisions: Sequence[ReviewedDecision]) -> str:
    return percent_text(sum(grade(decision) is Grade.RIGHT for decision in decisions) / len(decisions))
