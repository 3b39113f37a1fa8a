"""The size of a game, counted exactly without building its tree.

The numbers are those of Johanson, "Measuring the size of large no-limit poker games" (2013), and the terminal states:

- *states*: pairs of a betting sequence that ends with a decision, and a deal of both hands and of the board
  so far.  Chance and terminal states are not counted.
- *information sets*: the same with the acting player's own hand only, so that everything a player cannot see
  counts once.  Every decision belongs to one player, so this is the number of information sets of both
  together.
- *information set-actions*: pairs of an information set and an action that is legal there.  This is how many
  probabilities a strategy for both players has.
- *terminal states*: pairs of a betting sequence that ends the hand, and a deal of both hands and of the board: the
  board of the round in which a player folds, or the whole board at a showdown, also after an all-in in an earlier
  round.
- *canonical information sets*: information sets that differ only by a renaming of the suits count once.  In
  games whose ranking never looks at suits (fewer than five cards in all, by the standard ranking) only ranks
  are told apart: Leduc has 288.

Hands are sets, and so are the board cards of one round; the rounds are kept apart.  In no-limit games every
whole number of chips is a bet of its own.

Betting sequences are counted by dynamic programming.  Limit games, and no-limit games of a special shape, go
through :class:`errai.games.betting.BettingState` once per distinct state.  For no-limit games with equal
stacks ``S`` there is a closed form of one round.  Let ``C[t]`` be the number of sequences that begin the
round with ``t`` chips from each player, and ``m`` the smallest bet.  A line of ``j`` bets and raises lifts
the bet by amounts that never decrease and start at ``m`` or more; so the lines that lift it by ``n`` chips
are the partitions of ``n`` into ``j`` parts of at least ``m``, whose generating function is
``z^(jm) / ((1-z)(1-z^2)...(1-z^j))``.  Each of them occurs twice, because either player may make the first
bet.  With ``A_0 = C`` and ``A_j = z^m A_(j-1) / (1 - z^j)``, cut off below ``S``:

- ``2 sum(A_j)`` decisions follow ``j`` raises below all-in (for ``j = 0``: both players may act before a
  bet);
- from each of them exactly one raise is all-in, short or not, if the cap allows raise ``j + 1``, and the
  opponent then has one decision, to fold or call;
- ``C + 2 (A_1 + A_2 + ...)`` sequences go on to the next round; after a called all-in nothing is left to
  decide.

The actions follow.  Of ``N`` decisions in a round, ``2C`` come before its first raise and each of the others answers a
raise, so there are ``N - 2C`` raises; as many decisions may fold, and before the first raise the player who has posted
the smaller blind.  Every decision may call.  ``C`` calls only pass the action on, some begin the next round, and the
rest are showdowns.

Dividing by ``1 - z^j`` is a running sum with stride ``j``, so a round costs about ``S^2 / 2m`` additions.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, fields
from itertools import product
from math import comb
from typing import Any

import numpy as np

from errai.cards.isomorphism import canonical_count
from errai.cards.strength import HandRanking
from errai.errors import UnsupportedGameError
from errai.games.betting import ActionKind, BettingState
from errai.games.game import UNCAPPED_RAISES, Game, GameRules
from errai.games.ring import RingBetting, RingGame

_FEWEST_CARDS_WITH_FLUSH = 5
_MAX_ADDITIONS = 2_000_000_000
_MAX_SPAN = 2_000_000
_MAX_ACTIONS = 20_000_000
_MAX_STATES = 500_000
_MOST_RING_ACTIONS = 300_000


@dataclass(frozen=True)
class GameSize:
    """How large a game is; all numbers are exact.

    Parameters
    ----------
    states:
        Decisions, told apart by the betting, both hands and the board.
    information_sets:
        Decisions, told apart by the betting, the actor's own hand and the board.
    canonical_information_sets:
        Information sets up to a renaming of the suits.
    information_set_actions, canonical_information_set_actions:
        Pairs of an information set and a legal action, and the same up to suits.
    terminal_states:
        Ends of the hand, told apart by the betting, both hands and the board.
    rounds:
        One dictionary per round: ``round`` from 0; ``entering_lines``, betting sequences that begin the round
        with a decision; ``betting_nodes``, betting sequences that end with a decision of this round;
        ``betting_actions``, actions at these; ``continuations``, sequences that go on to a decision in the next round;
        ``folds`` and ``showdowns``, sequences that end the hand with an action of this round; ``boards``;
        ``hand_boards``, pairs of one hand and a board, and ``canonical_hand_boards`` up to suits; ``deals``, two hands
        and a board; and of the round ``states``, ``information_sets``, ``canonical_information_sets``,
        ``information_set_actions``, ``canonical_information_set_actions`` and ``terminal_states``.
    """

    states: int
    information_sets: int
    canonical_information_sets: int
    information_set_actions: int
    canonical_information_set_actions: int
    terminal_states: int
    rounds: list[dict[str, int]]

    def to_json(self) -> dict[str, Any]:
        """Return the numbers for JSON; counts are strings of digits, because JSON readers round large numbers."""
        return {
            **{name: str(getattr(self, name)) for name in COUNTS},
            "rounds": [
                {key: value if key == "round" else str(value) for key, value in row.items()} for row in self.rounds
            ],
        }


COUNTS = tuple(field.name for field in fields(GameSize) if field.name != "rounds")
"""The numbers that are counted for each round and in all."""


@dataclass(frozen=True)
class BettingCount:
    """Numbers of betting sequences in one round; see ``rounds`` of :class:`GameSize`."""

    entering_lines: int
    nodes: int
    continuations: int
    raises: int
    """Actions of this round that raise; every decision may call too."""
    folds: int
    showdowns: int

    @property
    def actions(self) -> int:
        """Number of actions at the decisions of this round."""
        return self.nodes + self.raises + self.folds


def game_size(game: Game) -> GameSize:
    """Count the states and information sets of a game (see the module for what is counted and how).

    Raises
    ------
    UnsupportedGameError
        If counting the betting would take more than some minutes: unlimited or very large stacks, or unequal
        stacks of more than a few hundred chips; or if it is no game.

    Examples
    --------
    >>> import errai
    >>> size = errai.game_size(errai.load_game("leduc"))
    >>> size.information_sets
    936
    """
    if not isinstance(game, Game):
        raise UnsupportedGameError(
            f"The size of a whole game is counted, not that of {game!r:.80}; use errai.estimate."
        )
    rounds, counts = [], count_betting(game)
    cards_of = [_count_cards(game, index) for index in range(game.num_rounds)]
    for index, (betting, cards) in enumerate(zip(counts, cards_of, strict=True)):
        rounds.append(
            {
                "round": index,
                "entering_lines": betting.entering_lines,
                "betting_nodes": betting.nodes,
                "betting_actions": betting.actions,
                "continuations": betting.continuations,
                "folds": betting.folds,
                "showdowns": betting.showdowns,
                **cards,
                "states": betting.nodes * cards["deals"],
                "information_sets": betting.nodes * cards["hand_boards"],
                "canonical_information_sets": betting.nodes * cards["canonical_hand_boards"],
                "information_set_actions": betting.actions * cards["hand_boards"],
                "canonical_information_set_actions": betting.actions * cards["canonical_hand_boards"],
                "terminal_states": betting.folds * cards["deals"] + betting.showdowns * cards_of[-1]["deals"],
            }
        )
    return GameSize(**{name: sum(row[name] for row in rounds) for name in COUNTS}, rounds=rounds)


def count_betting(game: Game) -> list[BettingCount]:
    """Count the betting sequences of a game, round by round; errors as :func:`game_size`."""
    if not game.limit and game.stacks[0] == game.stacks[1] and game.big_blind < game.stacks[0]:
        return _count_no_limit(game)
    return _count_by_states(game)


@dataclass(frozen=True)
class RingSize:
    """The size of a ring game; numbers are by player."""

    information_sets: tuple[int, ...]
    canonical_information_sets: tuple[int, ...]
    """Up to a renaming of the suits."""
    information_set_actions: tuple[int, ...]


def ring_size(game: RingGame) -> RingSize:
    """Count the information sets of a ring game, and the actions that are legal there.

    The distinct states of the betting are gone through, each after all that lead to it, with multiplicities.

    Raises :class:`UnsupportedGameError` if there are too many of them: large stacks without a limit.

    Examples
    --------
    >>> import errai
    >>> from errai.games.size import ring_size
    >>> ring_size(errai.load_ring_game("kuhn3")).information_sets
    (16, 16, 16)
    """
    players = range(game.num_players)
    found = {name: [0] * game.num_players for name in ("sets", "canonical", "actions")}
    cards_of = [_count_cards(game, index) for index in range(game.num_rounds)]
    layers: dict[tuple[int, int, int], dict[tuple[Any, ...], tuple[RingBetting, int]]] = {}
    known = 0

    def add(state: RingBetting, count: int) -> None:
        # Within a round a raise leads to the next number of raises, a call or a fold to one player more who has acted.
        if not state.is_over:
            done = sum(state.acted[p] or state.folded[p] for p in players)
            layer = layers.setdefault((state.round, state.raises, done), {})
            layer[state[1:]] = state, count + (layer[state[1:]][1] if state[1:] in layer else 0)

    add(RingBetting.start(game), 1)
    while layers:
        layer = layers.pop(min(layers))
        for state, count in layer.values():
            legal, cards = state.legal(), cards_of[state.round]
            least, most = legal.raise_range or (1, 0)
            known += most - least + 3
            if known > _MOST_RING_ACTIONS:
                raise UnsupportedGameError(
                    f"Counting {game.name!r} takes too long: its betting has more than {_MOST_RING_ACTIONS:,} actions; "
                    "use smaller stacks, or a limit game."
                )
            children = [state.apply(ActionKind.CALL)]
            children += [state.apply(ActionKind.FOLD)] if legal.fold else []
            children += [state.apply(ActionKind.RAISE, total) for total in range(least, most + 1)]
            found["sets"][state.actor] += count * cards["hand_boards"]
            found["canonical"][state.actor] += count * cards["canonical_hand_boards"]
            found["actions"][state.actor] += count * len(children) * cards["hand_boards"]
            for child in children:
                add(child, count)
    return RingSize(*(tuple(numbers) for numbers in found.values()))


# --- betting ---


def _count_no_limit(game: Game) -> list[BettingCount]:
    """Equal stacks, every whole bet: the partitions of the module's text."""
    stack, least = game.stacks[0], game.min_bet
    span = stack - game.big_blind
    caps = [span if cap == UNCAPPED_RAISES else cap for cap in game.max_raises]
    additions = sum(min(cap, span // least) * span for cap in caps)
    if additions > _MAX_ADDITIONS or span > _MAX_SPAN:
        raise UnsupportedGameError(
            f"Counting {game.name!r} takes too long, because its stacks of {stack} chips are {span // least} "
            "times the smallest bet; use smaller stacks or a larger blind."
        )
    # lines[t]: sequences that begin the round with big_blind + t chips from each player, as exact ints.
    lines = np.zeros(span, dtype=object)
    lines[0] = 1
    counts: list[BettingCount] = []
    for cap in caps:
        entering = int(lines.sum())
        nodes = 2 * entering
        may_raise = 2 * entering if cap > 0 else 0
        going_on = lines.copy()
        lifted, raises = lines, 0
        while raises < cap and len(lifted) > least:
            raises += 1
            lifted = _divide(lifted[:-least], raises)
            going_on[-len(lifted) :] += 2 * lifted
            faced = 2 * int(lifted.sum())
            nodes += faced
            may_raise += faced if raises < cap else 0
        lines = going_on
        nodes += may_raise
        answers = nodes - 2 * entering
        going = int(going_on.sum()) if len(counts) + 1 < len(caps) else 0
        faces_a_blind = int(not counts and game.blinds[0] != game.blinds[1])
        counts.append(
            BettingCount(entering, nodes, going, answers, answers + faces_a_blind, showdowns=nodes - entering - going)
        )
    return counts


def _divide(series: np.ndarray, stride: int) -> np.ndarray:
    """Divide a power series of exact ints by ``1 - z^stride``: running sums with that stride."""
    result = series.copy()
    if stride * stride < len(result):
        for start in range(stride):
            result[start::stride] = np.add.accumulate(result[start::stride])
    else:
        for start in range(stride, len(result), stride):
            chunk = result[start : start + stride]
            chunk += result[start - stride : start - stride + len(chunk)]
    return result


def _count_by_states(game: Game) -> list[BettingCount]:
    """Count any game: go through the distinct betting states, each after all that lead to it, with multiplicities."""
    _require_few_states(game)
    entering = [0] * (game.num_rounds + 1)
    nodes, raises, folds, showdowns = ([0] * game.num_rounds for _ in range(4))
    first = BettingState.start(game)
    # A raise increases the number of raises, a call that of the players who have acted, or it ends the round.
    layers: dict[tuple[int, int, int], dict[tuple[Any, ...], tuple[BettingState, int]]] = {}

    def add(state: BettingState, count: int) -> None:
        """Count a state in its layer, by everything that its future depends on."""
        layer = layers.setdefault((state.round, state.raises, state.acted), {})
        key = state.actor, state.spent, state.min_raise_total
        layer[key] = state, count + (layer[key][1] if key in layer else 0)

    if not first.is_over:
        add(first, 1)
    entering[0] = len(layers)
    showdowns[0] = int(first.is_over)  # the blinds are all-in
    while layers:
        for state, count in layers.pop(min(layers)).values():
            nodes[state.round] += count
            legal, children = state.legal(), [state.apply(ActionKind.CALL)]
            least, most = legal.raise_range or (1, 0)
            children += [state.apply(ActionKind.RAISE, total) for total in range(least, most + 1)]
            raises[state.round] += count * (len(children) - 1)
            folds[state.round] += count * legal.fold
            for child in children:
                if child.is_over:
                    showdowns[state.round] += count
                    continue
                if child.round != state.round:
                    entering[child.round] += count
                add(child, count)
    columns = zip(entering, nodes, entering[1:], raises, folds, showdowns, strict=False)
    return [BettingCount(*counts) for counts in columns]


def _require_few_states(game: Game) -> None:
    """Raise an error for a game with too many states and raises to enumerate."""
    if game.limit:
        states, raises = 0, 0
        for cap, size in zip(game.max_raises, game.raise_sizes, strict=True):
            cap = min(cap, min(game.stacks) // size)
            states += 4 * (1 + raises) * (1 + cap)
            raises += cap
        if states > _MAX_STATES:
            raise UnsupportedGameError(
                f"{game.name!r} has up to {states:.1e} distinct betting states, because its rounds have up to "
                f"{max(game.max_raises)} raises; give it maxRaises or a stack."
            )
        return
    span = max(0, min(game.stacks) - game.big_blind)
    # Bets below all-in, last raises, and raises from each.
    actions = game.num_rounds * span**2 * max(game.stacks) // (2 * game.min_bet)
    if actions > _MAX_ACTIONS:
        raise UnsupportedGameError(
            f"{game.name!r} has up to {actions:.1e} distinct no-limit actions, and the fast count does not cover "
            "unequal stacks; use equal stacks above the blinds, or smaller ones."
        )


# --- cards ---


def _count_cards(game: GameRules, round_index: int) -> dict[str, int]:
    """Count boards, hands with boards and deals of one round."""
    deck, hole = game.num_ranks * game.num_suits, game.num_hole_cards
    board = [cards for cards in game.num_board_cards[: round_index + 1] if cards]
    own = comb(deck, hole)
    # Only a flush, and the three-card ranking, look at suits at the end of the game.
    if game.ranking is HandRanking.THREE_CARD or hole + sum(game.num_board_cards) >= _FEWEST_CARDS_WITH_FLUSH:
        canonical = canonical_count(game.num_ranks, game.num_suits, (hole, *board))[-1]
    else:
        canonical = _count_rank_classes(game.num_ranks, game.num_suits, (hole, *board))
    return {
        "boards": _count_boards(deck, board),
        "hand_boards": own * _count_boards(deck - hole, board),
        "canonical_hand_boards": canonical,
        "deals": own * comb(deck - hole, hole) * _count_boards(deck - 2 * hole, board),
    }


def _count_boards(deck: int, board: Sequence[int]) -> int:
    """Count the ways to deal sets of cards one after the other from a deck."""
    boards = 1
    for cards in board:
        boards *= comb(deck, cards)
        deck -= cards
    return boards


def _count_rank_classes(num_ranks: int, num_suits: int, groups: tuple[int, ...]) -> int:
    """Count the ways to deal groups of cards of which only ranks are seen, each at most ``num_suits`` times."""
    takes = [take for take in product(*(range(size + 1) for size in groups)) if sum(take) <= num_suits]
    ways = Counter({groups: 1})
    for _ in range(num_ranks):
        following: Counter[tuple[int, ...]] = Counter()
        for left, count in ways.items():
            for take in takes:
                if all(own <= rest for own, rest in zip(take, left, strict=True)):
                    following[tuple(rest - own for own, rest in zip(take, left, strict=True))] += count
        ways = following
    return ways[(0,) * len(groups)]
