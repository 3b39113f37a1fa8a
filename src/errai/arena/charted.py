"""Reviews of hands that nobody has solved: charts give the ranges, the spot is built, solved and kept.

A *chart* says with which ranges two positions come to the flop.  Of each hand that comes to a flop with two players who
can still bet, the situation before the flop (who is left, how many raises there were, who made the last) chooses a
chart; board, pot and stacks are those of the hand.  Spots are solved once and kept in a folder, by what they are; each
decision names the solution of its spot.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from errai.arena.histories.record import Told
from errai.arena.histories.table_hand import TableHand
from errai.arena.review import Review, ReviewedDecision, check_played, review_hands
from errai.engine.status import Status
from errai.engine.units import Target, Units
from errai.errors import ChartError, ErraiError, HistoryError, TreeTooLargeError
from errai.games.betting import ActionKind
from errai.games.charts import Chart, Charts, read_charts
from errai.games.game import Subject, amount_text
from errai.games.hand import PlayedHand, seats_of_two, still_in
from errai.games.library import named_file
from errai.games.spot import Spot
from errai.running.stopping import StopToken, stops
from errai.solutions.artefact import load_solution
from errai.solutions.solution import Solution
from errai.solving.estimate import MENUS, fits
from errai.solving.solve import solve
from errai.store.atomic import make_folder

MEMORY = 1 << 30
SECONDS = 60.0
"""What a spot may take if nothing else is asked for; the finest bets that fit are chosen."""

_BETS = re.compile(r"\b(bet|raise(?: to)?) ([\d.]+)")

IN_BIG_BLINDS = Units(1.0, 1.0)
"""The units of a review in which hands of all stakes stand together: a chip is a big blind."""


def load_charts(path: str | Path) -> Charts:
    """Read a file of charts by its path, or by its name in the library, and check its bets.

    Raises :class:`ChartError` if the file cannot be read, or a chart or the bets in it are faulty.
    """
    return checked_charts(read_charts(named_file("charts", path) or path), source=str(path))


def checked_charts(charts: Charts, *, source: str | None = None) -> Charts:
    """Return charts with which spots can be built.

    Raises :class:`ChartError` if there are none, or their bets cannot be used.
    """
    if not charts.charts:
        raise ChartError("The file has no table [[chart]], only ranges by name.", source=source)
    try:
        _spot(charts.charts[0], charts.bets, "Ks7h2d", 100, 1000, 10, charts.charts[0].positions)
    except ErraiError as error:
        raise ChartError(f"The table [bets] cannot be used: {error}", source=source) from error
    return charts


def spot_of(hand: PlayedHand, charts: Charts) -> Spot:
    """Return the spot of a hand from the flop on, in the chips of the hand.

    Raises :class:`HistoryError` with the reason if there is none: no flop with two players who can bet, or no chart.
    """
    rules = hand.subject.rules
    if rules.limit or rules.num_hole_cards != 2:
        raise HistoryError("Charts are for no-limit hold'em.")
    if not isinstance(hand, TableHand) and hand.subject.whole_game is None:
        raise HistoryError("A hand of a spot has no first street; review it against the solution of its spot.")
    positions = hand.positions if isinstance(hand, TableHand) else ("BB", "BTN")
    raises, raiser, before = 0, "", None
    for state, action in hand.moments():
        if state.betting.round == 0:
            if action.kind == ActionKind.RAISE:
                raises, raiser = raises + 1, positions[state.actor]
        elif state.betting.round == 1 and not state.actions[-1]:
            before = state
            break
    if before is None:
        raise HistoryError("The hand ends before the flop, or nobody could bet there.")
    if len(still_in(before)) != 2:
        raise HistoryError("More than two players see the flop.")
    first, second = seats_of_two(before)
    chart = charts.find((positions[first], positions[second]), raises, raiser)
    behind = min(rules.stacks[seat] - before.betting.spent[seat] for seat in (first, second))
    blind = Told(hand).big_blind
    board = rules.deck.cards_text(before.board[:3])
    order = (positions[first], positions[second])
    return _spot(chart, charts.bets, board, before.pot_chips, behind, float(blind or 0), order)


def _spot(
    chart: Chart,
    bets: Mapping[str, Any] | None,
    board: str,
    pot: float,
    behind: float,
    blind: float,
    order: tuple[str, str],
) -> Spot:
    """Return a spot; ``order`` are the positions out of position and in position."""
    table: dict[str, Any] = {
        "title": f"{order[1]} against {order[0]}, {board}",
        "board": board,
        "pot": pot,
        "stack": behind,
        "ranges": {"oop": chart.ranges[order[0]], "ip": chart.ranges[order[1]]},
        "bets": dict(zip(("bet", "raise"), MENUS[0], strict=True)) if bets is None else dict(bets),
    }
    if blind:
        table["big_blind"] = blind
    return Spot.from_dict(table)


def review_with_charts(
    hands: Iterable[PlayedHand],
    charts: Charts,
    library: str | Path,
    *,
    player: str | None = None,
    target: str = "0.5%pot",
    seconds: float = SECONDS,
    memory: int = MEMORY,
    threads: int | None = None,
    stop: StopToken | None = None,
    progress: Callable[[int, int, str], object] | None = None,
) -> Review:
    """Review hands of no-limit hold'em without a solution: their spots are built, solved and kept.

    Parameters
    ----------
    hands:
        Hands for two or at tables of any size.
    charts:
        The ranges by situation.
    library:
        A folder for the solutions; those that are there, and are as good as the target, are not solved again.
    player:
        Only this player's decisions, and only hands in which the player sees the flop.
    target, threads:
        As for :func:`errai.solve`, of each spot.
    seconds, memory:
        What a solve may take.  Without bets in the file of charts each spot has the finest of
        :data:`errai.solving.estimate.MENUS` that reaches the target in this time and memory.
    stop:
        Ends the review early, with what has been reviewed.
    progress:
        A function that is called with the number of spots that are done, of all, and the title of the next.

    Returns
    -------
    Review
        Losses in big blinds: its unit of chips is one big blind, whatever the stakes of the hands.  Every decision
        names its solution in the library.

    Raises
    ------
    MatchError
        No hand was played by the player.
    DamagedFileError, FileAccessError
        A solution in the library cannot be read, or none can be written.
    """
    Target.parse(target, IN_BIG_BLINDS)
    solutions = _Library(Path(library), target, seconds, memory, threads, charts.bets is None)
    make_folder(solutions.folder)
    left_out: Counter[str] = Counter()
    names, wanted = set[str](), dict[str, tuple[Spot, list[PlayedHand]]]()
    for hand in hands:
        names.update(hand.players)
        if player is not None and player not in hand.players:
            continue
        try:
            spot = spot_of(hand, charts)
        except HistoryError as reason:
            left_out[reason.message] += 1
        except ErraiError as reason:
            left_out[f"The spot of the hand cannot be solved: {reason}"] += 1
        else:
            wanted.setdefault(spot.digest(), (spot, []))[1].append(hand)
    check_played(player, names)
    decisions: list[ReviewedDecision] = []
    reviewed, stopped = 0, False
    for number, (spot, of_spot) in enumerate(wanted.values()):
        stopped = stopped or stops(stop)
        if not stopped:
            if progress is not None:
                progress(number, len(wanted), spot.label)
            try:
                solution = solutions.solution(spot, stop)
            except (HistoryError, TreeTooLargeError) as reason:
                left_out[str(reason)] += len(of_spot)
                continue
            stopped = solution is None
        if stopped:
            left_out["The review was stopped before this hand."] += len(of_spot)
            continue
        assert solution is not None
        found = review_hands(of_spot, solution, player=player)
        left_out.update(found.left_out)
        # The blind is part of the spot.
        blind, name = float(Told(of_spot[0]).big_blind or 1), _name(solution.subject)
        decisions += [_in_big_blinds(decision, blind, name) for decision in found.decisions]
        reviewed += found.hands
    decisions.sort(key=lambda decision: (-decision.counted_chips, -decision.loss_chips, decision.hand))
    return Review(tuple(decisions), reviewed, dict(left_out.most_common()), IN_BIG_BLINDS)


@dataclass(frozen=True)
class _Library:
    """A folder of solutions, each under what its spot is, with the limits for which its bets were chosen."""

    folder: Path
    target: str
    seconds: float
    memory: int
    threads: int | None
    chooses: bool
    """Whether the bets of the spots are chosen by time and memory."""

    def solution(self, spot: Spot, stop: StopToken | None) -> Solution | None:
        """Return the solution of a spot; None if it was stopped before it had any.

        Raises :class:`HistoryError` if no bets fit, and :class:`TreeTooLargeError` if the spot's own do not.
        """
        if self.chooses:
            # Estimating takes seconds, so what was solved within these limits or wider ones is looked up first.
            for bet, raise_ in reversed(MENUS):
                found = self._kept(_with_bets(spot, bet, raise_))
                if found is not None and self._was_within(found):
                    return found
            spot = self._finest(spot)
        found = self._kept(spot)
        if found is None:
            return self._solved(spot, stop)
        return self._saved(found, spot) if self.chooses else found

    def _finest(self, spot: Spot) -> Spot:
        """Return a spot with the finest bets that fit.  Raises :class:`HistoryError` if none do."""
        offered = fits(spot, self.target, seconds=self.seconds, memory=self.memory, threads=self.threads)
        able = [fit for fit in offered if fit.fits]
        if not able:
            raise HistoryError("The spot of the hand takes more time or memory than is allowed, with any bets.")
        return _with_bets(spot, able[-1].bet, able[-1].raise_)

    def _path(self, spot: Spot) -> Path:
        return self.folder / f"{_name(spot)}.errai"

    def _kept(self, spot: Spot) -> Solution | None:
        """Return the solution of a spot that is there, if it is as good as the target or had as much time for it."""
        path = self._path(spot)
        found = load_solution(path, threads=self.threads) if path.exists() else None
        if found is None or found.exploitability.chips <= Target.parse(self.target, found.units).chips:
            return found
        same = found.settings.get("target") == self.target and found.settings.get("seconds", 0.0) >= self.seconds
        return found if same else None

    def _was_within(self, found: Solution) -> bool:
        """Return whether the bets of a solution were chosen for at least as much time and memory."""
        limits = (found.settings.get(name, 0.0) for name in ("seconds", "memory"))
        return all(had >= wanted for had, wanted in zip(limits, (self.seconds, self.memory), strict=True))

    def _solved(self, spot: Spot, stop: StopToken | None) -> Solution | None:
        # The time is what was estimated; a machine that is busy gets three times as much.
        seconds, memory = 3.0 * self.seconds, self.memory
        found = solve(spot, self.target, seconds=seconds, memory=memory, threads=self.threads, stop=stop)
        assert isinstance(found, Solution)
        return None if found.status == Status.INTERRUPTED else self._saved(found, spot)

    def _saved(self, found: Solution, spot: Spot) -> Solution:
        """Save the solution of a spot with the limits, and return it."""
        found = replace(found, settings={**found.settings, "seconds": self.seconds, "memory": self.memory})
        found.save(self._path(spot))
        return found


def _with_bets(spot: Spot, bet: str, raise_: str) -> Spot:
    return Spot.from_dict({**spot.to_dict(), "bets": {"bet": bet, "raise": raise_}})


def _name(spot: Subject) -> str:
    """Return the name of a spot's solution in the library."""
    return spot.digest()[:16]


def _in_big_blinds(decision: ReviewedDecision, blind: float, solution: str) -> ReviewedDecision:
    """Return a decision with its solution, and with amounts and bets in big blinds, in which lines are read too."""

    def text(chips: str) -> str:
        return _BETS.sub(lambda bet: f"{bet[1]} {amount_text(float(bet[2]) / blind, 1)}bb", chips)

    return replace(
        decision,
        solution=solution,
        line=text(decision.line),
        played=text(decision.played),
        action=text(decision.action),
        ev_chips={text(action): ev / blind for action, ev in decision.ev_chips.items()},
        probabilities={text(action): often for action, often in decision.probabilities.items()},
        loss_chips=decision.loss_chips / blind,
        unconverged_chips=decision.unconverged_chips / blind,
        pot_chips=decision.pot_chips / blind,
        pot_percents={text(action): percent for action, percent in decision.pot_percents.items()},
        all_in=tuple(map(text, decision.all_in)),
    )
