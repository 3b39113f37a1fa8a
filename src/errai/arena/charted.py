"""Reviews of hands that nobody has solved: charts give the ranges, the spot is built, solved and kept.

A *chart* says with which ranges two positions come to the flop.  Of each hand that comes to a flop with two players who
can still bet, the situation before the flop (who is left, how many raises there were, who made the last) chooses a
chart; board, pot and stacks are those of the hand.  Spots are solved once and kept in a folder, by what they are.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from errai.arena.histories.record import Told
from errai.arena.histories.table_hand import TableHand
from errai.arena.review import Review, ReviewedDecision, review_hands
from errai.engine.status import Status
from errai.engine.units import Units
from errai.errors import ChartError, ErraiError, HistoryError, MatchError, TreeTooLargeError
from errai.games.betting import ActionKind
from errai.games.charts import Chart, Charts, read_charts
from errai.games.hand import PlayedHand, still_in
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

IN_BIG_BLINDS = Units(1.0, 1.0)
"""The units of a review in which hands of all stakes stand together: a chip is a big blind."""


def load_charts(path: str | Path) -> Charts:
    """Read a file of charts by its path, or by its name in the library, and check its bets.

    Raises :class:`ChartError` if the file cannot be read, or a chart or the bets in it are faulty.
    """
    charts = read_charts(named_file("charts", path) or path)
    if not charts.charts:
        raise ChartError("The file has no table [[chart]], only ranges by name.", source=str(path))
    try:
        _spot(charts.charts[0], charts.bets, "Ks7h2d", 100, 1000, 10, charts.charts[0].positions)
    except ErraiError as error:
        raise ChartError(f"The table [bets] cannot be used: {error}", source=str(path)) from error
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
    left = still_in(before)
    if len(left) != 2:
        raise HistoryError("More than two players see the flop.")
    first = before.actor
    second = left[0] if left[1] == first else left[1]
    chart = charts.find((positions[first], positions[second]), raises, raiser)
    behind = min(rules.stacks[seat] - before.betting.spent[seat] for seat in left)
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
        "pot": int(pot) if pot == int(pot) else pot,
        "stack": int(behind) if behind == int(behind) else behind,
        "ranges": {"oop": chart.ranges[order[0]], "ip": chart.ranges[order[1]]},
        "bets": dict(zip(("bet", "raise"), MENUS[0], strict=True)) if bets is None else dict(bets),
    }
    if blind:
        table["big_blind"] = int(blind) if blind == int(blind) else blind
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
        A folder for the solutions; those that are there are not solved again.
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
        A function that is called with the number of spots that are solved, of all, and the title of the next.

    Returns
    -------
    Review
        Losses in big blinds: its unit of chips is one big blind, whatever the stakes of the hands.

    Raises
    ------
    MatchError
        No hand was played by the player.
    DamagedFileError, FileAccessError
        A solution in the library cannot be read, or none can be written.
    """
    folder = Path(library)
    make_folder(folder)
    left_out: Counter[str] = Counter()
    names, wanted = set[str](), list[tuple[PlayedHand, Spot]]()
    for hand in hands:
        names.update(hand.players)
        if player is not None and player not in hand.players:
            continue
        try:
            wanted.append((hand, spot_of(hand, charts)))
        except HistoryError as reason:
            left_out[reason.message] += 1
        except ErraiError as reason:
            left_out[f"The spot of the hand cannot be solved: {reason}"] += 1
    if player is not None and player not in names:
        raise MatchError(f"No hand was played by {player!r}; the players are {', '.join(sorted(names)) or 'none'}.")
    decisions: list[ReviewedDecision] = []
    reviewed = 0
    for number, (hand, spot) in enumerate(wanted):
        if stops(stop):
            left_out["The review was stopped before this hand."] += len(wanted) - number
            break
        if progress is not None:
            progress(number, len(wanted), spot.label)
        try:
            fitted = spot if charts.bets is not None else _fitted(spot, target, seconds, memory, threads)
            solution = _solved(fitted, folder, target, seconds, memory, threads, stop)
        except (HistoryError, TreeTooLargeError) as reason:
            left_out[str(reason)] += 1
            continue
        if solution is None:
            left_out["The review was stopped before this hand."] += len(wanted) - number
            break
        found = review_hands([hand], solution, player=player)
        left_out.update(found.left_out)
        blind = float(Told(hand).big_blind or 1)
        decisions += [_in_big_blinds(decision, blind) for decision in found.decisions]
        reviewed += found.hands
    decisions.sort(key=lambda decision: (-decision.counted_chips, -decision.loss_chips))
    return Review(tuple(decisions), reviewed, dict(left_out.most_common()), IN_BIG_BLINDS)


def _fitted(spot: Spot, target: str, seconds: float, memory: int, threads: int | None) -> Spot:
    """Return a spot with the finest bets that fit.  Raises :class:`HistoryError` if none do."""
    able = [fit for fit in fits(spot, target, seconds=seconds, memory=memory, threads=threads) if fit.fits]
    if not able:
        raise HistoryError("The spot of the hand takes more time or memory than is allowed, with any bets.")
    bets = {"bet": able[-1].bet, "raise": able[-1].raise_}
    return Spot.from_dict({**spot.to_dict(), "bets": bets})


def _solved(
    spot: Spot,
    folder: Path,
    target: str,
    seconds: float,
    memory: int,
    threads: int | None,
    stop: StopToken | None,
) -> Solution | None:
    """Return the solution of a spot, from the folder if it is there; None if it was stopped before it had any."""
    path = folder / f"{spot.digest()[:16]}.errai"
    if path.exists():
        return load_solution(path, threads=threads)
    # The time is what was estimated; a machine that is busy gets three times as much.
    found = solve(spot, target, seconds=3.0 * seconds, memory=memory, threads=threads, stop=stop)
    assert isinstance(found, Solution)
    if found.status == Status.INTERRUPTED:
        return None
    found.save(path)
    return found


def _in_big_blinds(decision: ReviewedDecision, blind: float) -> ReviewedDecision:
    """Return a decision with its amounts in big blinds; its texts stay in the chips of the hand."""
    return replace(
        decision,
        ev_chips={action: ev / blind for action, ev in decision.ev_chips.items()},
        loss_chips=decision.loss_chips / blind,
        unconverged_chips=decision.unconverged_chips / blind,
        pot_chips=decision.pot_chips / blind,
    )
