"""The certificate of a solution as text: exploitability, how it was computed, and how much of a file was checked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from errai.console import exploitability_text, gains_text
from errai.engine.status import START

if TYPE_CHECKING:
    from errai.blueprints.opened import BlueprintProfile
    from errai.cluster.reading import StoredSolution
    from errai.engine.units import Exploitability
    from errai.solutions.solution import Solution
    from errai.solutions.stored import SolutionFile

    Solved = Solution | SolutionFile | StoredSolution | BlueprintProfile


def precision_of(solution: Solved) -> str:
    """Return the precision of a solution, "unknown" if the program that wrote the file did not say it."""
    return str(solution.settings.get("precision", "unknown"))


def exploitability_facts(
    zero_sum: bool, measured: Exploitability, name: str = "exploitability"
) -> list[tuple[str, str]]:
    """Return the lines about a certificate; where the pot is raked, what each player could gain comes first."""
    if zero_sum:
        return [(name, exploitability_text(measured))]
    label = "gains, chips" if name == "exploitability" else f"{name} gains, chips"
    return [(label, gains_text(measured.by_player)), ("half of their sum", exploitability_text(measured))]


def certificate_text(solution: Solved) -> str:
    """Return a line with the exploitability of the whole solution, and how it was computed.

    Of a file of which only a part was read, it says what was not checked.
    """
    from errai.solutions.stored import SolutionFile

    how = f"{solution.iterations:,} iterations of {solution.schedule['name']} in {precision_of(solution)}"
    if solution.settings.get("strategy") == START:
        how = f"the strategy from which {how} started"
    if solution.status == "trained":
        return f"a blueprint, {how}; it has no certificate"
    if solution.status == "running":
        return f"{how}; not certified yet"
    name = "exploitability of the cut game" if is_cut(solution) else "exploitability"
    facts = exploitability_facts(solution.zero_sum, solution.exploitability, name)
    parts = [*(f"{what} {text}" for what, text in facts), how]
    if isinstance(solution, SolutionFile):
        read = "only what is shown was read and checked" if solution.checks_what_is_read else "nothing was checked"
        parts.append(f"{read}, `errai verify` checks the whole file")
    return "; ".join(parts)


def is_cut(solution: Solved) -> bool:
    """Return whether values stand in the place of later streets, so that the certificate is that of the cut game."""
    from errai.solutions.solution import Solution

    return isinstance(solution, Solution) and solution.below is not None


def is_read_in_parts(solution: Solved) -> bool:
    """Return whether only a part of a solution's file was read."""
    from errai.solutions.solution import Solution

    return not isinstance(solution, Solution)
