"""Subgames of Kuhn and Leduc poker with uneven ranges, and an old strategy for them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from small_subjects import spot_text

import errai
from errai.engine.root import in_hands
from errai.games.hand import CALL, PublicState, raise_to
from errai.games.lookahead import Lookahead
from errai.games.spot import Spot, parse_spot
from errai.kernels.layout import BEST
from errai.resolving.subgame import Subgame
from errai.solutions.solution import Solution

# Few hands, because the linear programs have a part for each of them.
RIVER = spot_text("Qs Jh 2c 8d 3s", "AA, KQs, 76s, 54s:0.5", "JJ, AJs:0.5, QJs, A5s", bet="50%, a", stack=300)


def kuhn() -> PublicState:
    """After a check."""
    return PublicState.start(errai.load_game("kuhn")).after(CALL)


def leduc() -> PublicState:
    """The second round after a raise and a check, with a queen on the table."""
    state = PublicState.start(errai.load_game("leduc"))
    return state.after(CALL).after(raise_to(3)).after(CALL).with_cards((2,)).after(CALL)


def river() -> PublicState:
    """A river after a check: hands of two cards that block each other, of several weights."""
    return PublicState.start(parse_spot(RIVER)).after(CALL)


STATES = {"kuhn": kuhn, "leduc": leduc}


def lookahead_of(name: str) -> Lookahead:
    """The rest of the game there, with ranges of uneven weights."""
    state = (STATES | {"river": river})[name]()
    if isinstance(state.subject, Spot):
        return errai.lookahead(state.subject, state, None, None)
    if name == "kuhn":
        ranges = np.array([0.7, 0.2, 1.0]), np.array([1.0, 0.5, 0.25])
    else:
        generator = np.random.default_rng(4)
        ranges = generator.uniform(0.2, 1.0, 6), generator.uniform(0.2, 1.0, 6)
    return errai.lookahead(state.subject, state, ranges, None)  # type: ignore[arg-type]


def root_best(solution: Solution, player: int) -> NDArray[np.float64]:
    """float64[H]: a best response's counterfactual values at the root, against the other's strategy; NaN elsewhere."""
    values = solution.kernel.root_values(solution.strategy, player, role=BEST)
    return in_hands(values, solution.tree, player)


def subgame_of(name: str, opponent: int, *, iterations: int = 3, scale: float = 1.0) -> Subgame:
    """The subgame with the values of a coarse solution for the opponent; the player's range is scaled as given."""
    rest = lookahead_of(name)
    before = errai.solve(rest, max_iterations=iterations, precision="float64", algorithm="cfr")
    ranges = [w.copy() for w in rest.ranges]
    ranges[1 - opponent] *= scale
    values = scale * root_best(before, opponent)
    estimated = scale * before.root_values.counterfactual[opponent]
    gifts = scale * np.random.default_rng(8).uniform(0.0, 0.3, len(values))
    return Subgame(rest.state, 1 - opponent, (ranges[0], ranges[1]), values, estimated, gifts)
