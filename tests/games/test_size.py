"""Counting a game against walking through all of it."""

from __future__ import annotations

import dataclasses
import json
from collections import Counter, defaultdict
from collections.abc import Iterator
from itertools import combinations, permutations
from typing import Any

import pyspiel
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from errai.errors import UnsupportedGameError
from errai.games.betting import ActionKind, BettingState
from errai.games.catalogue import load_game
from errai.games.game import UNLIMITED_CHIPS, Game
from errai.games.size import COUNTS, count_betting, game_size


def decisions(state: BettingState) -> Iterator[BettingState]:
    """Every betting sequence that ends with a decision, one state for each."""
    if state.is_over:
        return
    yield state
    legal = state.legal()
    yield from decisions(state.apply(ActionKind.CALL))
    if legal.raise_range is not None:
        for total in range(legal.raise_range[0], legal.raise_range[1] + 1):
            yield from decisions(state.apply(ActionKind.RAISE, total))


def walked_betting(game: Game) -> dict[str, list[int]]:
    """The counts of each round, by walking the betting tree action by action."""
    found: dict[str, Counter[int]] = defaultdict(Counter)
    first = BettingState.start(game)
    found["showdowns"][first.round] += first.is_over
    for state in decisions(first):
        found["nodes"][state.round] += 1
        found["entering"][state.round] += state.acted == 0 and state.raises == 0
        legal = state.legal()
        sizes = () if legal.raise_range is None else range(legal.raise_range[0], legal.raise_range[1] + 1)
        children = [state.apply(ActionKind.RAISE, total) for total in sizes]
        children += [state.apply(ActionKind.CALL)] + ([state.apply(ActionKind.FOLD)] if legal.fold else [])
        found["actions"][state.round] += len(children)
        found["folds"][state.round] += sum(child.is_over and child.folded >= 0 for child in children)
        found["showdowns"][state.round] += sum(child.is_over and child.folded < 0 for child in children)
    names = ("entering", "nodes", "actions", "folds", "showdowns")
    return {name: [found[name][index] for index in range(game.num_rounds)] for name in names}


def assert_betting_counts(game: Game) -> None:
    walked = walked_betting(game)
    counts = count_betting(game)
    assert [count.entering_lines for count in counts] == walked["entering"]
    assert [count.continuations for count in counts] == [*walked["entering"][1:], 0]
    for name in ("nodes", "actions", "folds", "showdowns"):
        assert [getattr(count, name) for count in counts] == walked[name], name


def no_limit(stacks: tuple[int, int], blinds: tuple[int, int], *caps: int) -> Game:
    rounds = len(caps)
    return dataclasses.replace(
        load_game("leduc.nolimit"),
        num_rounds=rounds,
        blinds=blinds,
        stacks=stacks,
        first_player=(1,) + (0,) * (rounds - 1),
        max_raises=caps,
        num_board_cards=(0,) * rounds,
    )


CAPS = st.lists(st.sampled_from((0, 1, 2, 3, 255)), min_size=1, max_size=3)


@given(st.integers(1, 9), st.data(), CAPS)
@settings(max_examples=60)
def test_no_limit_with_equal_stacks(stack: int, data: st.DataObject, caps: list[int]) -> None:
    blinds = data.draw(st.integers(0, stack)), data.draw(st.integers(0, stack))
    assert_betting_counts(no_limit((stack, stack), blinds, *caps))


@given(st.integers(1, 8), st.integers(1, 8), st.data(), CAPS)
@settings(max_examples=40)
def test_no_limit_with_any_stacks(first: int, second: int, data: st.DataObject, caps: list[int]) -> None:
    blinds = data.draw(st.integers(0, first)), data.draw(st.integers(0, second))
    assert_betting_counts(no_limit((first, second), blinds, *caps))


@pytest.mark.parametrize(
    "game",
    [
        no_limit((30, 30), (4, 2), 255, 255),
        no_limit((45, 45), (9, 5), 255, 255, 255),
        no_limit((25, 25), (2, 1), 255),
        load_game("kuhn"),
        load_game("leduc"),
        load_game("rhode-island"),
        load_game("holdem.limit.2p"),
        dataclasses.replace(load_game("holdem.limit.2p"), stacks=(75, 75)),
        dataclasses.replace(load_game("holdem.limit.2p"), stacks=(75, 42)),
    ],
    ids=lambda game: f"{game.name}-{game.stacks[0]}",
)
def test_betting_of_larger_games(game: Game) -> None:
    assert_betting_counts(game)


def counted_by_levels(stack: int, big_blind: int, rounds: int) -> list[int]:
    """Decisions per round of a no-limit game, by a table over the bet and the last raise.

    The method of Johanson (2013), without any of the shortcuts of the code that it checks.
    """
    entering = {big_blind: 1}
    nodes = []
    for _ in range(rounds):
        count = 0
        following = Counter(entering)
        # facing[bet][last raise]: sequences after which a player faces that bet.
        facing: list[Counter[int]] = [Counter() for _ in range(stack + 1)]
        for level in range(big_blind, stack):
            opening = 2 * entering.get(level, 0)
            count += opening
            options = Counter(facing[level])
            options[big_blind] += opening
            count += sum(facing[level].values())
            following[level] += sum(facing[level].values())
            for least, ways in options.items():
                if ways:
                    for total in range(min(level + least, stack), stack + 1):
                        facing[total][max(least, total - level)] += ways
        count += sum(facing[stack].values())
        nodes.append(count)
        entering = {level: ways for level, ways in following.items() if level < stack and ways}
    return nodes


@pytest.mark.parametrize(("stack", "big_blind", "rounds"), [(60, 1, 4), (120, 7, 4), (100, 2, 3)])
def test_no_limit_against_the_table_of_bets(stack: int, big_blind: int, rounds: int) -> None:
    game = no_limit((stack, stack), (big_blind, big_blind // 2), *(255,) * rounds)
    assert [count.nodes for count in count_betting(game)] == counted_by_levels(stack, big_blind, rounds)


# --- cards ---


def deals(game: Game, round_index: int) -> Iterator[tuple[tuple[int, ...], ...]]:
    """All pairs of hands with the board of a round: (hand, hand, cards of each round so far)."""

    def deal(left: frozenset[int], sizes: tuple[int, ...]) -> Iterator[tuple[tuple[int, ...], ...]]:
        if not sizes:
            yield ()
            return
        for cards in combinations(sorted(left), sizes[0]):
            for rest in deal(left - set(cards), sizes[1:]):
                yield (cards, *rest)

    sizes = game.num_hole_cards, game.num_hole_cards, *game.num_board_cards[: round_index + 1]
    return deal(frozenset(range(game.deck.num_cards)), sizes)


def canonical(seen: tuple[tuple[int, ...], ...], game: Game, suits_matter: bool) -> tuple[tuple[int, ...], ...]:
    """The smallest of all renamings of the suits, or the ranks alone."""
    suits = game.num_suits
    if not suits_matter:
        return tuple(tuple(card // suits for card in cards) for cards in seen)
    return min(
        tuple(tuple(sorted(card - card % suits + names[card % suits] for card in cards)) for cards in seen)
        for names in permutations(range(suits))
    )


def small_deck(hole: int, board: tuple[int, ...], ranks: int, suits: int) -> Game:
    game = no_limit((6, 6), (2, 1), *(255,) * len(board))
    return dataclasses.replace(game, num_hole_cards=hole, num_board_cards=board, num_ranks=ranks, num_suits=suits)


@pytest.mark.parametrize(
    ("game", "suits_matter"),
    [
        (load_game("kuhn"), False),
        (load_game("leduc"), False),
        (small_deck(1, (0, 1, 1), 3, 3), False),
        (small_deck(1, (1, 0, 2), 3, 2), False),
        (small_deck(2, (0, 3), 3, 3), True),
        (small_deck(2, (1, 2), 4, 2), True),
        (dataclasses.replace(load_game("rhode-island"), num_ranks=3), True),
    ],
    ids=lambda value: value.name if isinstance(value, Game) else str(value),
)
def test_whole_games_by_enumeration(game: Game, suits_matter: bool) -> None:
    walked = walked_betting(game)
    nodes, actions = walked["nodes"], walked["actions"]
    last = sum(1 for _ in deals(game, game.num_rounds - 1))
    size = game_size(game)
    for index, row in enumerate(size.rounds):
        states = information_sets = 0
        seen = set()
        for first, _, *board in deals(game, index):
            states += 1
            seen.add((first, *board))
        information_sets = len(seen)
        classes = len({canonical(view, game, suits_matter) for view in seen})
        assert row["round"] == index
        assert row["betting_nodes"] == nodes[index]
        assert row["boards"] == len({view[1:] for view in seen})
        assert (row["deals"], row["hand_boards"]) == (states, information_sets)
        assert row["canonical_hand_boards"] == classes
        assert row["states"] == nodes[index] * states
        assert row["information_sets"] == nodes[index] * information_sets
        assert row["canonical_information_sets"] == nodes[index] * classes
        assert row["betting_actions"] == actions[index]
        assert row["information_set_actions"] == actions[index] * information_sets
        assert row["canonical_information_set_actions"] == actions[index] * classes
        assert row["terminal_states"] == walked["folds"][index] * states + walked["showdowns"][index] * last
    for key in COUNTS:
        assert getattr(size, key) == sum(row[key] for row in size.rounds)


def test_json_keeps_every_digit() -> None:
    size = game_size(load_game("leduc.nolimit"))
    read = json.loads(json.dumps(size.to_json()))
    assert set(read) == {*COUNTS, "rounds"}
    assert int(read["terminal_states"]) == size.terminal_states
    assert int(read["states"]) == size.states == 27_667_330_649_619_720
    assert [row["round"] for row in read["rounds"]] == [0, 1]
    assert [int(row["states"]) for row in read["rounds"]] == [row["states"] for row in size.rounds]


@pytest.mark.parametrize(
    "game",
    [
        dataclasses.replace(load_game("leduc.nolimit"), stacks=(UNLIMITED_CHIPS, UNLIMITED_CHIPS)),
        no_limit((UNLIMITED_CHIPS, UNLIMITED_CHIPS), (1, 1), 0, 1),
        dataclasses.replace(load_game("leduc.nolimit"), stacks=(1200, 1100), blinds=(1, 1)),
    ],
    ids=["unlimited", "unlimited-capped", "unequal"],
)
def test_games_too_deep_to_count_are_refused(game: Game) -> None:
    with pytest.raises(UnsupportedGameError, match="use "):
        game_size(game)


# --- OpenSpiel ---


def counted_by_openspiel(game: Any) -> dict[str, int]:
    """Decisions, ends, information sets and their actions of one of OpenSpiel's games, by visiting every history."""
    found: Counter[str] = Counter()
    seen: dict[str, int] = {}
    waiting = [game.new_initial_state()]
    while waiting:
        state = waiting.pop()
        if state.is_terminal():
            found["terminal_states"] += 1
            continue
        if not state.is_chance_node():
            found["states"] += 1
            seen[state.information_state_string()] = len(state.legal_actions())
        waiting += [state.child(action) for action in state.legal_actions()]
    return {**found, "information_sets": len(seen), "information_set_actions": sum(seen.values())}


UNIVERSAL = (
    "universal_poker(betting={betting},numPlayers=2,numRounds=2,blind={blinds},{chips},firstPlayer={first},"
    "maxRaises={caps},numSuits=2,numRanks=3,numHoleCards=1,numBoardCards=0 1{mode})"
)


@pytest.mark.parametrize("name", ["kuhn", "leduc", "limit", "nolimit"])
def test_openspiel_counts_the_same(name: str) -> None:
    if name in ("kuhn", "leduc"):
        ours, theirs = load_game(name), pyspiel.load_game(f"{name}_poker")
    elif name == "limit":
        ours = dataclasses.replace(load_game("leduc"), blinds=(2, 1), raise_sizes=(2, 3), max_raises=(1, 3))
        chips, mode = "raiseSize=2 3,stack=1000 1000", ""
        theirs = pyspiel.load_game(
            UNIVERSAL.format(betting="limit", blinds="2 1", chips=chips, first="1 1", caps="1 3", mode=mode)
        )
    else:
        ours = dataclasses.replace(no_limit((7, 7), (2, 1), 255, 255), num_board_cards=(0, 1), first_player=(1, 0))
        chips, mode = "stack=7 7", ",bettingAbstraction=fullgame"
        theirs = pyspiel.load_game(
            UNIVERSAL.format(betting="nolimit", blinds="2 1", chips=chips, first="2 1", caps="255 255", mode=mode)
        )
    size, counted = game_size(ours), counted_by_openspiel(theirs)
    assert {key: getattr(size, key) for key in counted} == counted
