"""DeepStack: continual re-solving over value networks.

Method: Moravčík et al., "DeepStack" (Science 356, 2017).  At every decision, or on every new street, the agent solves a
lookahead from the public state, with the range that results from its own actual play and a gadget that holds the
opponent to the opponent's counterfactual values (:mod:`errai.resolving.player`).  Lookaheads end with the street, and a
network gives the values at their leaves (:mod:`errai.nets.below.leaves`); on the last street they go to the end of the
game.  The opponent's values are the means of the network's outputs over a lookahead's iterations
(:mod:`errai.nets.below.averages`).

Games are played in this way from the first action.  In hold'em the lookaheads before the flop end over the auxiliary
network, which has the mean of the flop's network over all flops in it, and those on the flop over the network for the
turn; turn and river are solved to the end of the hand.  The very first solve of a hand needs no gadget, because the
ranges are known there, and from it on the opponent is held to its values, after any bet.  Solutions of the lines that
come up are kept, so that a match solves each of them once.

Instead, a blueprint can play before the flop, or a saved solution of the first street: `errai preflop` solves it once,
over the network for the flop on all flops.  The agent then re-solves from the flop on, from the ranges of that
solution, and holds the opponent to the means of the network's outputs over its iterations.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from errai.agents.agent import StrategicAgent
from errai.agents.continual import ContinualAgent, ContinualOptions
from errai.agents.reader import read_strategic_agent
from errai.agents.resolver import FIRST_BETS, YES_NO, ResolverAgent, ResolverOptions, read_solving_options
from errai.cards.deck import FULL_DECK
from errai.engine.leaf_values import LeafValues
from errai.engine.root import Gadget
from errai.engine.schedules import DEFAULT, SCHEDULES, Schedule, find_schedule
from errai.errors import StrategyError
from errai.games.game import Game, Subject
from errai.games.hand import PublicState
from errai.games.lookahead import Lookahead, last_street
from errai.games.sizing import BetMenu
from errai.games.streets import STREETS, street_name
from errai.kernels.layout import LEAF
from errai.nets.below.averages import PARTS
from errai.nets.below.leaves import NetLeafValues
from errai.nets.below.values_below import NetsBelow
from errai.nets.network import SHIPPED, Network, load_net
from errai.nets.positions import Predictor
from errai.nets.predictors import UNTRAINED, find_predictor, predictor_after_first_street
from errai.resolving.budget import DEEPSTACK_SECONDS, Budget, CostBelow, deepstack_menu
from errai.resolving.gadgets import DEEPSTACK_MIXING
from errai.resolving.player import Again
from errai.solutions.artefact import load_solution
from errai.solutions.solution import Solution
from errai.solving.solve import solve
from errai.strategies.names import Name
from errai.strategies.of_tree import TreeStrategy
from errai.strategies.solution import SolutionStrategy
from errai.strategies.strategy import Choices
from errai.tree.public_tree import plan_public_tree

SHIPPED_FOR = {"leduc.nolimit": ("leduc",), "holdem.nolimit.2p": ("preflop", "flop", "turn")}
"""By the name of the game, the networks of the package that the agent uses."""

BLUEPRINT = "blueprint-nl"
"""The strategy that plays hold'em where there is no time to solve."""

FLOP = 1
"""The round of the flop."""

UNTIMED_SECONDS = 1e9
"""What stands for no limit of time."""

PREPARING_SECONDS = 0.7
"""Seconds of one processor to prepare the boards that follow a flop for the network of the package, with all hands."""

ASKING_SECONDS = 0.015
"""Seconds of one processor to evaluate that network for one line, not all-in, on all turns."""

AUXILIARY_SECONDS = 0.0001
"""Seconds of one processor and an iteration to evaluate the auxiliary network for one line."""

AUXILIARY_ITERATION_SECONDS = 0.002
"""Seconds of one processor and an iteration over the auxiliary network besides."""

FIRST_USEFUL_ITERATIONS = 40
"""A menu is used before the flop if there is time for so many iterations."""

USEFUL_ITERATIONS = 160
"""A menu is used on the flop if there is time for so many iterations: 80 to 200 reach .3 % of the pot there.  Trees of
a few lines need fewer, over more boards each."""

TARGET = "0.3%pot"
"""Exploitability, in the cut game, at which a solve over a network ends: about what the network itself costs there."""

END_ITERATIONS = 2.0
"""Iterations whose time is left on the flop when a solve is stopped: one that has begun, and the end, whose certificate
needs no network, because it uses the means of what the network has said."""


@dataclass(frozen=True)
class DeepStackOptions:
    """How the agent solves; see :data:`SETTINGS`."""

    iterations: int | None = None
    """Iterations of each solve; by default 1,000, and in hold'em as many as the time allows."""
    left_out: float = 0.0
    """Share of the iterations, counted from the first, whose strategies and values are left out of the averages."""
    schedule: Schedule = SCHEDULES[DEFAULT]
    """The variant of counterfactual regret minimisation."""
    again: Again = "street"
    """When to solve again: see :class:`errai.resolving.player.Settings`."""
    mixing: float | None = None
    """With the gadget ``resolve``: weight of the opponent's estimated range at the first action on a street.  By
    default it is the paper's 0.9 in hold'em and 0 in small games, where it costs more after bets that the lookaheads
    lack than it gains elsewhere (docs/nets.md)."""
    gadget: str = "resolve"
    """The gadget that holds the opponent to the opponent's values: one of :data:`errai.agents.resolver.GADGETS`."""
    menu: str | None = None
    """Bet sizes, by default the pot and all-in; in hold'em as fine as the time allows, or those of the paper."""
    first_bets: str | None = None
    """Bet sizes of the first action of each lookahead in hold'em, where there is no menu: see
    :class:`errai.agents.resolver.ResolverOptions`."""
    every: int = 1
    """The network is evaluated once in this many iterations."""
    first: str = STREETS[0]
    """The street of hold'em where re-solving begins: before the flop, or on it."""
    seconds: float | None = DEEPSTACK_SECONDS
    """Seconds of a decision in hold'em; None for no limit."""
    threads: int | None = None
    ahead: bool = False
    """Whether the agent thinks ahead in hold'em; see :class:`errai.agents.resolver.ResolverOptions`."""


PAPERS = find_schedule("cfr+", gamma=0.0, simultaneous=True)
"""DeepStack's solver: regret matching+, simultaneous updates, averages that weight all iterations alike."""

SETTINGS = {
    "best": DeepStackOptions(),
    "paper": DeepStackOptions(1_000, 0.5, PAPERS, "decision", DEEPSTACK_MIXING, seconds=None),
}
"""The paper's settings (supplement, table 4, and the mixture with the estimated range), and the best found here."""


def deepstack(
    subject: Subject,
    nets: list[Predictor] | None = None,
    options: DeepStackOptions | None = None,
    blueprint: StrategicAgent | None = None,
    preflop: Solution | None = None,
) -> ContinualAgent | ResolverAgent:
    """Make the agent.

    Parameters
    ----------
    subject:
        No-limit hold'em, or a no-limit game of two rounds or more that is small enough to solve its streets in moments.
    nets:
        One network for each round but the first, and perhaps an auxiliary one for the end of the first; for hold'em the
        auxiliary one, one for the flop and one for the turn.  Those of the package stand where none is given.
    options:
        By default ``SETTINGS["best"]``.
    blueprint:
        The agent that plays hold'em where there is no time to solve, and, if re-solving begins on the flop, before it;
        None for other games.
    preflop:
        A solution of hold'em's first street by :func:`errai.preflop`, which is played instead of the blueprint there.

    Raises
    ------
    StrategyError
        The game is a limit game or too large, there is no network for one of its rounds, a network is of another game,
        or a blueprint or a solution is missing, not needed, or not one that can be played.
    """
    options = SETTINGS["best"] if options is None else options
    game, holdem = subject.rules, is_holdem(subject.rules)
    rounds = {net.round for net in nets or ()}
    shipped = (load_net(name) for name in SHIPPED_FOR.get(game.name, ()) if name in SHIPPED)
    nets = [*(nets or ()), *(net for net in shipped if net.round not in rounds)]
    if preflop is not None and blueprint is not None:
        blueprint = FirstStreetAgent(preflop, subject, blueprint)
        nets = [*(net for net in nets if net.round != FLOP), _net_above(preflop, nets)]
    begins_on_flop = preflop is not None or options.first == STREETS[FLOP]
    needed = {FLOP, FLOP + 1} if holdem else set(range(1, game.num_rounds))
    _check(game, nets, needed if begins_on_flop or not holdem else {0, *needed})
    below = NetsBelow(nets, every=options.every, parts=None if holdem else 1, threads=options.threads, averaged=True)
    if not holdem and (preflop is not None or blueprint is not None):
        what = "a solution of its first street" if blueprint is None else "a blueprint before the flop"
        raise StrategyError(f"Only hold'em is begun with {what}, not {game.title or game.name}; leave it out.")
    if holdem and blueprint is None:
        raise StrategyError("Hold'em needs an agent that plays where there is no time to solve; give a blueprint.")
    shared: dict[str, Any] = {"gadget": options.gadget, "menu": options.menu, "again": options.again}
    if blueprint is not None:
        made = ResolverOptions(
            street=STREETS[FLOP] if begins_on_flop else STREETS[0],
            seconds=UNTIMED_SECONDS if options.seconds is None else options.seconds,
            iterations=options.iterations,
            mixing=DEEPSTACK_MIXING if options.mixing is None else options.mixing,
            threads=options.threads,
            ahead=options.ahead,
            first_bets=options.first_bets,
            **shared,
        )
        budget = UntimedBudget(options) if options.seconds is None else None
        agent = ResolverAgent(blueprint, subject, made, "deepstack", below, OVER_A_NET, budget, preflop)
        below.stop = agent.budget.counting
        return agent
    iterations = options.iterations or 1_000
    every_round = ContinualOptions(
        iterations=iterations,
        mixing=options.mixing or 0.0,
        threads=options.threads or 1,
        schedule=_averaged_from(options, iterations),
        **shared,
    )
    return ContinualAgent(subject, every_round, None, "deepstack", below)


class FirstStreetAgent(StrategicAgent):
    """Plays a solution on the first street.

    Bets that the solution lacks are translated into bets that it has, as for any solution.

    The solution is one of the game, or of a spot with the same rules and all hands, that is cut after the first street
    and has the history of its leaf values (:func:`errai.preflop`); others raise :class:`StrategyError`.  The agent
    ``after`` plays the later streets.
    """

    def __init__(self, solution: Solution, subject: Subject, after: StrategicAgent) -> None:
        made_for, played = solution.subject.rules, subject.rules
        if made_for.digest() != played.digest() or subject.whole_game is None:
            raise StrategyError(
                f"The solution '{solution.title}' is of another game than '{played.title or played.name}'; its stacks "
                "and blinds must be those of the game."
            )
        if solution.depth != 0 or solution.history is None:
            raise StrategyError(
                f"'{solution.title}' is not a solution of the first street over a network, with the ranges of its "
                "iterations; `errai preflop --stack N --menu SIZES -o FILE.errai` makes one."
            )
        if any(np.any(weights != 1.0) for weights in solution.subject.weights):
            raise StrategyError(
                f"'{solution.title}' was solved for ranges that leave hands out; the game begins with all of them."
            )
        self.solution = solution
        self.after = after
        self.helpers = (after,)
        self.name = f"{solution.title}, then {after.name}"
        self._first = TreeStrategy(SolutionStrategy(solution, whole=False), subject, solution.tree.betting)

    def strategy(self, state: PublicState) -> Choices:
        return self.after.strategy(state) if state.betting.round else self._first.strategy(state)


class UntimedBudget(Budget):
    """Solves hold'em with the paper's bets and a number of iterations, without a time limit."""

    def __init__(self, options: DeepStackOptions) -> None:
        super().__init__(UNTIMED_SECONDS, threads=options.threads)
        self.options = options

    def menu(self, state: PublicState, depth: str | int | None = None) -> BetMenu | None:
        """Return the bets of table 4 of the supplement, or the given menu."""
        given = self.options.menu
        if given is not None:
            return BetMenu.parse(state.subject.rules.num_rounds, given)
        return deepstack_menu(state, first_bets=self.options.first_bets)

    def solve(
        self, subject: Lookahead, gadget: Gadget | None = None, leaf_values: LeafValues | None = None
    ) -> Solution:
        """Solve a lookahead; on the last street with twice the iterations, as the paper does."""
        last = subject.first_round == subject.game.num_rounds - 1
        iterations = (self.options.iterations or 1_000) * (2 if last else 1)
        return solve(
            subject,
            None,
            max_iterations=iterations,
            gadget=gadget,
            leaf_values=leaf_values,
            algorithm=_averaged_from(self.options, iterations),
            threads=self.options.threads,
        )


def _averaged_from(options: DeepStackOptions, iterations: int) -> Schedule:
    return find_schedule(options.schedule, average_from=int(options.left_out * iterations) + 1)


def seconds_over_a_net(subject: Lookahead) -> tuple[float, float]:
    """Return seconds of one processor for a network at the leaves, once and per iteration; 0 for whole trees."""
    if subject.depth is None:
        return 0.0, 0.0
    before_flop = subject.first_round < FLOP
    plan = plan_public_tree(subject, last_street=last_street(subject, None))
    at_leaves = plan.betting.contributions[plan.betting.kind == LEAF]
    lines = int((at_leaves < plan.betting.all_in_total).any(axis=1).sum())
    if before_flop:
        return 0.0, AUXILIARY_ITERATION_SECONDS + AUXILIARY_SECONDS * lines
    return PREPARING_SECONDS, ASKING_SECONDS / PARTS * lines


def useful_iterations(subject: Lookahead) -> int:
    """Return for how many iterations of a lookahead there must be time if its menu is to be used."""
    return FIRST_USEFUL_ITERATIONS if subject.first_round < FLOP else USEFUL_ITERATIONS


def is_prepared(subject: Lookahead, leaf_values: LeafValues | None) -> bool:
    """Return whether the boards after a lookahead's have been prepared for an earlier one."""
    return isinstance(leaf_values, NetLeafValues) and leaf_values.is_prepared(subject.state.board)


OVER_A_NET = CostBelow(seconds_over_a_net, useful_iterations, END_ITERATIONS, TARGET, is_prepared)
"""The cost of a flop's lookahead over the network of the package."""


def is_holdem(game: Game) -> bool:
    """Whether a blueprint plays the first round of a game."""
    return (game.num_rounds, game.num_hole_cards, game.deck) == (4, 2, FULL_DECK)


def _net_above(preflop: Solution, nets: list[Predictor]) -> Predictor:
    """Return the network for the flop over which a first street was solved: one that is given, or of the package."""
    assert preflop.below is not None
    for net in nets:
        if net.round == FLOP and (net.name, net.digest) == (preflop.below.name, preflop.below.digest):
            return net
    name = preflop.below.name
    found = predictor_after_first_street(name, preflop.subject) if name in (*UNTRAINED, *SHIPPED) else None
    if found is None or found.digest != preflop.below.digest:
        raise StrategyError(
            f"The first street was solved over the network {preflop.below}, which the package does not have: name its "
            "file besides that of the network for the turn, as in deepstack:preflop=FILE,net=turn+flop.net."
        )
    return found


def _check(game: Game, nets: list[Predictor], needed: set[int]) -> None:
    if game.limit:
        raise StrategyError("Networks are for no-limit games: their inputs are chips as shares of the pot.")
    missing = needed - {net.round for net in nets}
    if missing:
        street = street_name(game, min(missing))
        raise StrategyError(
            f"The package has no network for {street} of {game.title or game.name}: name one, as in deepstack:net=FILE "
            f"(`errai nets train` makes them), or net={'|'.join(UNTRAINED)}."
        )
    for net in nets:
        if isinstance(net, Network) and _cards(net.game) != _cards(game):
            raise StrategyError(
                f"The network {net.name} was trained for {net.game.name}, which is dealt otherwise than {game.name}; "
                "name a network of this game."
            )


def _cards(game: Game) -> tuple[object, ...]:
    """Return the properties of a game that a network depends on."""
    return game.deck, game.num_hole_cards, game.num_board_cards, game.first_player[1:], game.ranking


def read_deepstack(name: Name, subject: Subject) -> ContinualAgent | ResolverAgent:
    """Make the agent of a name such as ``deepstack`` or ``deepstack:settings=paper,net=FILE,iterations=400``.

    The options are those of :class:`DeepStackOptions` without the schedule, and ``settings`` for one of ``SETTINGS``,
    whose values they override; sizes of ``menu`` are joined by ``+``.  ``net`` is a file, a network of the package, or
    one of :data:`errai.nets.predictors.UNTRAINED`; with several rounds it names several, joined by ``+``.  The
    package's networks serve the rounds that these leave out.  ``from`` is the street where re-solving begins, preflop
    or flop.  The name of an agent may follow the options: it plays hold'em where there is no time to solve, and up to
    that street.  ``preflop`` is the file of a solution that is played before the flop instead.  Raises
    :class:`StrategyError` if an option is wrong, there is no network for a round, or the game cannot be played, and
    :class:`ArtefactError` if a network or a solution cannot be read.
    """
    game = subject.rules
    numbers = {"left-out": (0.0, 0.99), "every": (1, 1_000), "seconds": (1e-3, 1e9)}
    source = "[AGENT]" if is_holdem(game) else ""
    words: dict[str, tuple[str, ...]] = {"settings": tuple(SETTINGS)}
    texts: tuple[str, ...] = ("net", "preflop")
    if is_holdem(game):
        texts += (FIRST_BETS,)
        words |= {"from": STREETS[: FLOP + 1], "ahead": YES_NO}
    chosen = read_solving_options(name, numbers, words, texts, source=source)
    settings = SETTINGS[chosen.pop("settings", "best")]
    if "left-out" in chosen:
        chosen["left_out"] = chosen.pop("left-out")
    given, first = chosen.pop("net", None), chosen.pop("preflop", None)
    if chosen.get("gadget", settings.gadget) != "resolve":
        chosen["mixing"] = 0.0
    nets: list[Predictor] | None = None
    if "from" in chosen:
        chosen["first"] = chosen.pop("from")
    if given in UNTRAINED:
        nets = [find_predictor(given, game, number) for number in range(0 if is_holdem(game) else 1, game.num_rounds)]
    elif given is not None:
        nets = [load_net(one) for one in given.split("+")]
    blueprint = None
    if is_holdem(game) and not game.limit:
        blueprint = read_strategic_agent(name.source or BLUEPRINT, subject)
    preflop = None if first is None else load_solution(first)
    made = deepstack(subject, nets, replace(settings, **chosen), blueprint, preflop)
    made.name = name.text
    if isinstance(made, ContinualAgent):
        made.text = name.text
    return made
