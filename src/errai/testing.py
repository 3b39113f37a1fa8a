"""Conformance kits: whether code of your own keeps the contract of the seam that it is written for.

Each function takes what you wrote, asks it in many ways, and returns nothing if all is well.  Otherwise it raises a
:class:`ContractError` that says what is wrong and where.  They need no test framework::

    import errai.testing

    errai.testing.check_rule(MyRule())

docs/extending.md describes the seams.  What a kit cannot know is whether the code is *good*: a certificate or a match
says that.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import numpy as np

from errai.agents.agent import Agent, MatchStart
from errai.agents.given import Contestant, as_agent
from errai.agents.reader import read_agent
from errai.engine.schedules import Schedule, find_schedule
from errai.errors import ContractError, ErraiError
from errai.extensive.histories import CHANCE
from errai.extensive.walk import Rules
from errai.games.catalogue import load_game
from errai.games.game import Game, Subject
from errai.games.hand import Hand, PublicState, Shuffle
from errai.kernels.layout import BEST, FIXED, TreeArrays
from errai.kernels.protocol import Kernel, State
from errai.kernels.reference import ReferenceKernel
from errai.own_code import described, fault_text
from errai.solving.solve import solve
from errai.strategies.given import Given, given_strategy
from errai.strategies.strategy import Strategy, asked, require_equal
from errai.tree.public_tree import build_public_tree

ACTIONS, COLUMNS = 3, 5
SHORT, LONG = 400, 6400
"""Steps after which the regret of a rule is measured."""
VANISHES = 0.5
"""The average regret after :data:`LONG` steps is at most this share of the one after :data:`SHORT`, or very small."""
SMALL_REGRET = 0.02
CLOSE = 1e-9


def check_schedule(schedule: Schedule, iterations: int = 300) -> None:
    """Check a variant of CFR: its coefficients, and that a small game is solved by it.

    Raises :class:`ContractError` if coefficients change when they are asked for again, or if the average strategy of
    Kuhn poker does not come nearer to an equilibrium.
    """
    with _blamed(f"The schedule {schedule.name!r}"):
        first = schedule.coefficients(1, iterations)
        again = np.concatenate([schedule.coefficients(t, 1) for t in range(1, iterations + 1)])
        if not np.array_equal(first, again):
            at = int((first != again).any(axis=1).argmax()) + 1
            raise ContractError(
                f"The schedule {schedule.name!r} answers differently when asked again, at iteration {at}."
            )
        backend: Any = {} if schedule.rule is None else {"backend": "reference"}
        kuhn = load_game("kuhn")
        found = solve(kuhn, max_iterations=iterations, algorithm=schedule, **backend)
        if not found.verify():
            raise ContractError(f"The schedule {schedule.name!r} leads to a solution whose certificate does not hold.")
        if not found.exploitability.chips < 0.1:
            raise ContractError(
                f"The schedule {schedule.name!r} leaves Kuhn poker exploitable by {found.exploitability.chips:.3g} "
                f"chips after {iterations:,} iterations; plain CFR comes below .01."
            )


def check_rule(rule: Any) -> None:
    """Check a local rule: shapes, probabilities, that columns are independent, and that its regret vanishes.

    The rule is asked about values from 0 to 1, random ones and those that are worst for what it plays.

    Raises :class:`ContractError` if it answers with other shapes, with no probabilities, differently for the same
    arguments, or for one column by what stands in others; if it changes its arguments; or if its average regret does
    not shrink.
    """
    name = type(rule).__name__
    with _blamed(f"The rule {name}"):
        for kind in ("random", "adversarial"):
            rng, regrets = np.random.default_rng(1), []
            state, won, total = np.zeros((ACTIONS, COLUMNS)), np.zeros(COLUMNS), np.zeros((ACTIONS, COLUMNS))
            for t in range(1, LONG + 1):
                played = _probabilities(rule, state, t, name)
                values = rng.random(played.shape)
                if kind == "adversarial":
                    # What the rule plays least wins, and one action is better than the others in the long run.
                    values = 0.7 * (played == played.min(axis=0)) + 0.3 * (np.arange(ACTIONS) == 0)[:, None]
                won += (played * values).sum(axis=0)
                total += values
                given = [state.copy(), values.copy(), played.copy()]
                following = np.asarray(rule.update(*given, t), dtype=np.float64)
                if following.shape != state.shape or not np.isfinite(following).all():
                    raise ContractError(
                        f"The rule {name} returns {described(following)} as the state of iteration {t}."
                    )
                if not all(map(np.array_equal, given, (state, values, played))):
                    raise ContractError(f"The rule {name} changes its arguments in iteration {t}; return a new array.")
                if t <= 20:
                    _columns_alone(rule, state, values, played, following, t, name)
                state = following
                if t in (SHORT, LONG):
                    regrets.append(float((total.max(axis=0) - won).max()) / t)
            if regrets[1] > max(VANISHES * regrets[0], SMALL_REGRET):
                raise ContractError(
                    f"The average regret of the rule {name} against {kind} values is {regrets[0]:.3g} after {SHORT:,} "
                    f"iterations and {regrets[1]:.3g} after {LONG:,}; a regret minimiser's shrinks to 0."
                )


def _probabilities(rule: Any, state: np.ndarray, t: int, name: str) -> np.ndarray:
    given = state.copy()
    found = np.asarray(rule.strategy(given, t), dtype=np.float64)
    if not np.array_equal(given, state):
        raise ContractError(f"The rule {name} changes the state that it is asked about in iteration {t}.")
    if found.shape != state.shape or not (found >= 0.0).all() or np.abs(found.sum(axis=0) - 1.0).max() > 1e-6:
        raise ContractError(f"The rule {name} returns no probabilities in iteration {t}: {described(found)}.")
    if not np.array_equal(found, np.asarray(rule.strategy(state.copy(), t))):
        raise ContractError(f"The rule {name} answers differently when asked again, in iteration {t}.")
    return found


def _columns_alone(rule: Any, *arrays: Any) -> None:
    state, values, played, following, t, name = arrays
    for column in range(COLUMNS):
        one = slice(column, column + 1)
        alone = np.asarray(rule.update(state[:, one].copy(), values[:, one].copy(), played[:, one].copy(), t))
        asked_alone = np.asarray(rule.strategy(following[:, one].copy(), t + 1))
        together = np.asarray(rule.strategy(following.copy(), t + 1))
        if not np.allclose(alone, following[:, one], atol=CLOSE) or not np.allclose(
            asked_alone, together[:, one], atol=CLOSE
        ):
            raise ContractError(f"The rule {name} lets one column depend on others in iteration {t}.")


def check_leaf_values(values: Any, subject: Subject, depth: Any) -> None:
    """Check values at the leaves of a tree that is cut: a function of :class:`errai.Leaves`, or an object.

    ``depth`` is the street after which it is cut, as for :func:`errai.solve`.

    Raises :class:`ContractError` if they fail, have another shape, are not finite, do not repeat, or are not zero-sum
    although they say so, and if a solution with them does not verify.
    """
    with _blamed(f"The leaf values {described(values)}"):
        found = solve(subject, max_iterations=10, depth=depth, leaf_values=values)
        if not found.verify(leaf_values=values):
            raise ContractError("A solution with these leaf values does not verify: they do not repeat.")


def check_strategy(strategy: Given, game: Game) -> None:
    """Check a strategy of any form at every public state of a small game, such as Kuhn poker or Leduc.

    Raises :class:`ContractError` if it fails, names an action that is not allowed, gives no probabilities, or answers
    differently when it is asked again.
    """
    with _blamed(f"The strategy {described(strategy)}"):
        if not callable(getattr(strategy, "strategy", None)):
            given_strategy(strategy, game)
            from errai.agents.exploitability import exploitability

            exploitability(game, strategy)
            return
        own = cast(Strategy, strategy)
        stack = [PublicState.start(game)]
        while stack:
            state = stack.pop()
            if state.cards_due:
                left = [card for card in range(game.deck.num_cards) if card not in state.board]
                stack += [state.with_cards((card,)) for card in left[: state.cards_due + 2]]
            elif state.actor >= 0:
                first = asked(own, state, again=True)
                require_equal(first, own.strategy(state), state, "the strategy")
                stack += [state.after(action) for action in state.legal_actions]


def check_agent(make: Callable[[], Agent] | Contestant, game: Subject, hands: int = 200) -> None:
    """Check an agent in some hands against uniform play, in both seats.

    Raises :class:`ContractError` if it fails, takes an action that is not legal, or, unless it learns, plays the same
    deals differently with the same seed.
    """
    with _blamed(f"The agent {described(make)}"):
        lines = []
        for _ in range(2):
            agents = [as_agent(make, game), read_agent("uniform", game)]
            for number, agent in enumerate(agents):
                agent.start_match(MatchStart(game, number, hands))
            played = []
            for number in range(hands):
                hand = Hand(game, Shuffle(game).numbered(5, number), number)
                seat = number % 2
                while not hand.is_over:
                    acting = agents[0] if hand.actor == seat else agents[1]
                    hand.act(acting.act(hand.observation(hand.actor)))
                won = hand.net_chips()
                agents[0].end_hand(hand.observation(seat), won[seat])
                agents[1].end_hand(hand.observation(1 - seat), won[1 - seat])
                played.append(hand.state.actions)
            for agent in agents:
                agent.close()
            lines.append(played)
        if not agents[0].learns and lines[0] != lines[1]:
            at = next(number for number, (a, b) in enumerate(zip(*lines, strict=True)) if a != b)
            raise ContractError(
                f"The agent plays hand {at} differently with the same seed and the same cards; draw by the seed of "
                "start_match and the number of the hand, or say learns = True."
            )


def check_game(rules: Rules, max_histories: int = 200_000) -> None:
    """Check the rules of a game of one's own: that it can be written out, and that asking changes nothing.

    Raises :class:`ContractError` with what :func:`errai.extensive_game` says, imperfect recall for instance; or if a
    state changes when an action is made from it, or the rules answer differently when asked again.
    """
    from errai.extensive.solve import extensive_game

    with _blamed(f"The game {described(rules)}"):
        if extensive_game(rules, max_histories=max_histories).digest() != extensive_game(rules).digest():
            raise ContractError("The rules describe another game when they are walked again.")
        stack, walked = [rules.start()], 0
        while stack and walked < max_histories:
            state = stack.pop()
            walked += 1
            player = rules.player(state)
            if player is None:
                continue
            told = None if player == CHANCE else rules.information(state)
            actions = list(rules.actions(state))
            following = [rules.after(state, a[0] if player == CHANCE else a) for a in actions]
            if rules.player(state) != player or list(rules.actions(state)) != actions:
                raise ContractError(
                    f"The state {state!r:.80} changes when an action is made from it; return a new one."
                )
            if player != CHANCE and rules.information(state) != told:
                raise ContractError(f"The player knows something else at {state!r:.80} once an action has been made.")
            stack += following


def check_kernel(make: Callable[[TreeArrays], Kernel]) -> None:
    """Check a kernel backend on small trees against the reference, which is the definition.

    Raises :class:`ContractError` if values, best responses or iterations differ.
    """
    for name in ("kuhn", "leduc"):
        tree = build_public_tree(load_game(name)).arrays
        kernel, reference, rng = make(tree), ReferenceKernel(tree), np.random.default_rng(2)
        with _blamed(f"The kernel {type(kernel).__name__}"):
            strategy = [[rng.random(a.shape) for a in pair] for pair in tree.zeros(np.float64)]
            for player in (0, 1):
                for role in (FIXED, BEST):
                    here, there = (k.root_values(strategy, player, role=role) for k in (kernel, reference))
                    _same(here, there, f"values of player {player} in {name}")
            for algorithm in ("cfr", "cfr+", "dcfr-foresight", "pcfr+"):
                schedule = find_schedule(algorithm)
                states = [
                    State.zeros(tree, np.float64, predictive=schedule.predictive, simultaneous=False) for _ in range(2)
                ]
                for one, state in zip((kernel, reference), states, strict=True):
                    one.iterate(state, schedule.coefficients(1, 5))
                for key, array in states[0].arrays().items():
                    _same(array, states[1].arrays()[key], f"{key} of {algorithm} in {name}")


def _same(here: np.ndarray, there: np.ndarray, what: str) -> None:
    if not np.allclose(here, there, rtol=0.0, atol=CLOSE * max(1.0, float(np.abs(there).max(initial=0.0)))):
        raise ContractError(f"The {what} differ from the reference by up to {np.abs(here - there).max():.3g}.")


class _blamed:
    """Turns errors of what is checked into a :class:`ContractError` that names it."""

    def __init__(self, what: str) -> None:
        self.what = what

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> None:
        if error is None or isinstance(error, ContractError) or not isinstance(error, Exception):
            return
        text = str(error) if isinstance(error, ErraiError) else fault_text(error)
        raise ContractError(f"{self.what} breaks its contract: {text}") from error
