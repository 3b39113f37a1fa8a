"""Reviews: losses against sums over every hand and card, hands of a game in a spot, and what is left out."""

from __future__ import annotations

import dataclasses
import re

import numpy as np
import pytest
from random_hands import random_hand
from small_subjects import RIVER

import errai
from errai.agents.solved import SolvedAgent
from errai.arena.histories.formats import read_text
from errai.arena.histories.holdem import named
from errai.arena.review import SolutionNodes, align, review_hands
from errai.cards.hands import hand_cards, hand_index
from errai.errors import HistoryError, MatchError
from errai.games.catalogue import load_game
from errai.games.hand import CALL, FOLD, Action, Deal, Hand, PlayedHand, PublicState, raise_to
from errai.games.spot import Spot, parse_spot
from errai.strategies.tree_walk import TreeWalk


@pytest.fixture(scope="module")
def leduc():
    # Few iterations: a strategy that still errs has losses everywhere, and every value must be right all the same.
    return errai.solve(load_game("leduc"), "200mbb")


@pytest.fixture(scope="module")
def river():
    return errai.solve(parse_spot(RIVER), "3%pot")


class BruteForce:
    """EVs of actions, by walking every continuation with every hand of the opponent."""

    def __init__(self, solution) -> None:
        self.subject = solution.subject
        self.agent = SolvedAgent(solution)
        game = self.subject.rules
        self.cards = game.deck.num_cards
        self.hands = [tuple(row) for row in hand_cards(self.cards, game.num_hole_cards).tolist()]

    def chance(self, state: PublicState, action: Action, hand: tuple[int, ...]) -> float:
        choices = self.agent.strategy(state)
        row = choices.probabilities[int(hand_index(np.asarray(hand)))]
        return float(row[choices.actions.index(action)]) if action in choices.actions else 0.0

    def value(self, state: PublicState, hole: list[tuple[int, ...]], seat: int) -> float:
        if state.is_over:
            return state.net_chips((hole[0], hole[1]))[seat]
        if state.cards_due:
            used = {*state.board, *hole[0], *hole[1]}
            left = [card for card in range(self.cards) if card not in used]
            return sum(self.value(state.with_cards((card,)), hole, seat) for card in left) / len(left)
        choices = self.agent.strategy(state)
        row = choices.probabilities[int(hand_index(np.asarray(hole[state.actor])))]
        return sum(
            p * self.value(state.after(action), hole, seat)
            for action, p in zip(choices.actions, row.tolist(), strict=True)
            if p
        )

    def values(self, hand: PlayedHand, until: int) -> dict[Action, float]:
        """What each action is worth at a decision of a hand."""
        moments = list(hand.moments())
        state, _ = moments[until]
        seat = state.actor
        own = hand.hole[seat]
        weights = {}
        for i, other in enumerate(self.hands):
            if set(other) & {*own, *state.board}:
                continue
            weight = float(self.subject.ranges[1 - seat].weights[i]) if isinstance(self.subject, Spot) else 1.0
            for before, action in moments[:until]:
                if before.actor != seat and weight:
                    weight *= self.chance(before, action, other)
            if weight:
                weights[other] = weight
        worth = {}
        for action in self.agent.strategy(state).actions:
            after, total = state.after(action), 0.0
            for other, weight in weights.items():
                total += weight * self.value(after, [own, other] if seat == 0 else [other, own], seat)
            worth[action] = total / sum(weights.values())
        return worth


def check_against_brute_force(solution, hands):
    brute, checked = BruteForce(solution), 0
    for hand in hands:
        reviewed = review_hands([hand], solution).decisions
        expected = []
        for number, (state, action) in enumerate(hand.moments()):
            worth = brute.values(hand, number)
            expected.append((hand.players[state.actor], max(worth.values()) - worth[action]))
        for _, loss in expected:
            assert loss >= 0
        found = sorted((d.player, d.loss_chips) for d in reviewed)
        assert [name for name, _ in found] == sorted(name for name, _ in expected)
        assert [loss for _, loss in found] == pytest.approx([loss for _, loss in sorted(expected)], abs=1e-9)
        checked += len(found)
    return checked


def test_losses_in_leduc_are_those_of_brute_force(leduc):
    assert check_against_brute_force(leduc, [random_hand(leduc.subject, 1, number) for number in range(12)]) > 40


def in_range(spot, count):
    """Hands of a spot with actions of its tree."""
    rng = np.random.default_rng(3)
    deck = spot.deck
    pairs = [("AhAd", "QhQd"), ("9h9c", "KhKc"), ("KdTd", "Ts9s"), ("AcAs", "Th9h"), ("KsTs", "QcQd")]
    lines = [
        (CALL, raise_to(50), raise_to(300), CALL), (raise_to(50), CALL), (CALL, CALL), (raise_to(300), FOLD),
        (CALL, raise_to(300), CALL), (raise_to(50), raise_to(300), FOLD),
    ]  # fmt: skip
    for number in range(count):
        first, second = pairs[int(rng.integers(len(pairs)))]
        hand = Hand(spot, Deal((deck.parse_cards(first), deck.parse_cards(second)), spot.board), number)
        for action in lines[number % len(lines)]:
            hand.act(action)
        yield hand.played(("Olga", "Ivan"))


def test_losses_in_a_spot_are_those_of_brute_force(river):
    assert check_against_brute_force(river, list(in_range(river.subject, 12))) == 32


def test_a_small_bet_counts_as_a_check(river):
    deck = river.subject.deck
    hands = []
    # A sixth of the pot is nearer to a check than to a bet of half of it, by the pseudo-harmonic mapping; .3 is not.
    for number, size in enumerate((17, 30)):
        hand = Hand(river.subject, Deal((deck.parse_cards("AhAd"), deck.parse_cards("QhQd")), river.board), number)
        for action in (raise_to(size), CALL):
            hand.act(action)
        hands.append(hand.played(("Olga", "Ivan")))
    found = {(d.hand, d.player): d for d in review_hands(hands, river).decisions}
    assert [(found[i, "Olga"].played, found[i, "Olga"].action) for i in (0, 1)] == [
        ("bet 17", "check"),
        ("bet 30", "bet 50"),
    ]
    assert [(found[i, "Ivan"].played, found[i, "Ivan"].action) for i in (0, 1)] == [("call", "check"), ("call", "call")]
    assert all(d.mapped for d in found.values())


def whole_hand(spot_hand: PlayedHand, board: str = "JhQs2c8d3s") -> PlayedHand:
    """A hand of the whole game that reaches the river spot: seat 0 is out of position in both."""
    game = named(dataclasses.replace(load_game("holdem.nolimit.2p"), blinds=(10, 5), stacks=(350, 350)))
    deal = Deal(spot_hand.hole, game.deck.parse_cards(board))
    hand = Hand(game, deal, spot_hand.number)
    for action in (raise_to(50), CALL, CALL, CALL, CALL, CALL):
        hand.act(action)
    for action in (a for done in spot_hand.actions for a in done):
        hand.act(raise_to(action.total + 50) if action.total else action)
    return hand.played(spot_hand.players)


def test_hands_of_the_whole_game_are_reviewed_from_the_spot_on(river):
    inside = list(in_range(river.subject, 6))
    hands = [whole_hand(hand) for hand in inside]
    found, expected = review_hands(hands, river), review_hands(inside, river)
    assert [(d.hand, d.action, d.loss_chips) for d in found.decisions] == [
        (d.hand, d.action, d.loss_chips) for d in expected.decisions
    ]
    # What was played is said in the chips of its street.
    for review in (found, expected):
        assert {d.played for d in review.decisions if d.action == "bet 50"} == {"bet 50"}
    assert found.units.big_blind_chips is None
    other = [
        whole_hand(inside[0], "JhQs3c8d2s"),
        dataclasses.replace(hands[1], actions=((FOLD,),), board=()),
    ]
    review = review_hands(other, river)
    assert review.decisions == ()
    assert review.left_out == {
        "The hand has another board than the spot.": 1,
        "The hand ends before the spot's street.": 1,
    }


def table_text(spot_hand: PlayedHand, times: int = 1, board: str = "JhQs2c8d3s") -> str:
    """A hand of five players with antes that reaches the river spot, in whose pot two of them leave dead money."""
    deck = spot_hand.subject.deck
    cards = [[board[i : i + 2] for i in range(0, 10, 2)]]
    flop, turn, river = " ".join(cards[0][:3]), cards[0][3], cards[0][4]
    olga, ivan = (" ".join(map(deck.card_text, hole)) for hole in spot_hand.hole)
    names = {1: "Ivan", 2: "Sam", 3: "Olga", 4: "Uta", 5: "Cora"}
    n = times
    lines = [
        f"PokerStars Hand #{spot_hand.number}:  Hold'em No Limit ({5 * n}/{10 * n})",
        "Table 'T' 6-max Seat #1 is the button",
        *(f"Seat {seat}: {name} ({341 * n} in chips)" for seat, name in names.items()),
        *(f"{name}: posts the ante {n}" for name in names.values()),
        f"Sam: posts small blind {5 * n}",
        f"Olga: posts big blind {10 * n}",
        "*** HOLE CARDS ***",
        f"Uta: calls {10 * n}",
        "Cora: folds",
        f"Ivan: raises {30 * n} to {40 * n}",
        "Sam: folds",
        f"Olga: calls {30 * n}",
        "Uta: folds",
        f"*** FLOP *** [{flop}]",
        "Olga: checks",
        "Ivan: checks",
        f"*** TURN *** [{flop}] [{turn}]",
        "Olga: checks",
        "Ivan: checks",
        f"*** RIVER *** [{flop} {turn}] [{river}]",
    ]
    faced = 0
    for state, action in spot_hand.moments():
        name = spot_hand.players[state.actor]
        to = action.total * n
        if action.total:
            lines.append(f"{name}: " + (f"raises {to - faced} to {to}" if faced else f"bets {to}"))
            faced = to
        else:
            due = state.betting.to_call_chips * n
            lines.append(f"{name}: folds" if action == FOLD else f"{name}: calls {due}" if due else f"{name}: checks")
    final = spot_hand.final_state()
    won = spot_hand.net_chips[0] * n
    pot = 2 * int(final.betting.stake_chips + 50) * n
    back = max(final.betting.spent) - min(final.betting.spent)
    if back:
        name = spot_hand.players[0 if final.betting.spent[0] > final.betting.spent[1] else 1]
        lines.append(f"Uncalled bet ({back * n}) returned to {name}")
    lines += [f"Olga: shows [{olga}]", f"Ivan: shows [{ivan}]"]
    lines.append(f"{'Olga' if won > 0 else 'Ivan'} collected {pot} from pot")
    lines += ["*** SUMMARY ***", f"Total pot {pot} | Rake 0"]
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("times", [1, 7])
def test_hands_of_a_table_are_reviewed_from_the_moment_two_are_left(river, times):
    inside = [hand for hand in in_range(river.subject, 6) if hand.net_chips[0]]
    read = read_text("\n\n".join(table_text(hand, times) for hand in inside))
    assert read.faults == ()
    assert len(read.tables) == len(inside)
    solution = river
    if times > 1:
        # At other stakes a spot says its big blind.
        solution = errai.solve(dataclasses.replace(river.subject, big_blind=10), "3%pot")
    found, expected = review_hands(read.tables, solution), review_hands(inside, river)
    assert len(expected.decisions) > 12
    assert [(d.hand, d.player, d.action, d.loss_chips) for d in found.decisions] == [
        (d.hand, d.player, d.action, d.loss_chips) for d in expected.decisions
    ]
    for table, hand in zip(read.tables, inside, strict=True):
        aligned = align(table, solution.subject)
        assert aligned.net_chips == hand.net_chips == aligned.final_state().net_chips(aligned.hole)


def test_hands_of_a_table_that_do_not_come_to_the_spot(river, leduc):
    hand = next(hand for hand in in_range(river.subject, 6) if hand.actions == ((CALL, CALL),))
    text = table_text(hand)
    checks = "Olga: checks\nIvan: checks\n"
    texts = {
        "The hand has another board than the spot.": table_text(hand, board="JhQs3c8d2s"),
        "The hand comes to the spot's board with other stacks.": text.replace("341 in", "342 in"),
        "The hand comes to the spot's board with another pot.": re.sub(r"\b100\b", "99", text).replace(
            "Sam: posts small blind 5", "Sam: posts small blind 4"
        ).replace("(5/10)", "(4/10)"),
        "The hand comes to the spot's board with more than two players.": re.sub(r"\b100\b", "130", text)
        .replace("Uta: folds", "Uta: calls 30")
        .replace(checks, "Olga: checks\nUta: checks\nIvan: checks\n")
        .replace("*** SUMMARY", "Uta: mucks hand\n*** SUMMARY"),
        "The hand ends before the spot's street.": text[: text.index("*** FLOP")].replace("calls 30", "folds")
        + "Uncalled bet (30) returned to Ivan\nIvan collected 40 from pot\n*** SUMMARY ***\nTotal pot 40 | Rake 0\n",
    }  # fmt: skip
    for reason, table in texts.items():
        read = read_text(table)
        assert read.faults == (), reason
        assert review_hands(read.read, river).left_out == {reason: 1}
    # A whole game of two players is none that a table plays.
    reason = "A hand at a table is reviewed against a spot; the solution is of a whole game."
    assert review_hands(read_text(text).read, leduc).left_out == {reason: 1}


def test_two_players_with_antes_are_not_of_the_whole_game_without(river):
    """A table's digest, which says nothing of antes, may be that of a game."""
    text = (
        "PokerStars Hand #1:  Hold'em No Limit (50/100)\nTable 'T' 2-max Seat #1 is the button\n"
        "Seat 1: Ann (20010 in chips)\nSeat 2: Bob (20010 in chips)\nAnn: posts the ante 10\nBob: posts the ante 10\n"
        "Ann: posts small blind 50\nBob: posts big blind 100\n*** HOLE CARDS ***\nDealt to Ann [As Ks]\nAnn: folds\n"
        "Uncalled bet (50) returned to Bob\nBob collected 120 from pot\n*** SUMMARY ***\nTotal pot 120 | Rake 0\n"
    )
    (table,) = read_text(text).tables
    game = load_game("holdem.nolimit.2p")
    assert table.subject.digest() == game.digest()
    with pytest.raises(HistoryError, match="the solution is of a whole game"):
        align(table, game)


def test_bets_between_sizes_are_marked(river):
    spot = river.subject
    deck = spot.deck
    hand = Hand(spot, Deal((deck.parse_cards("AhAd"), deck.parse_cards("QhQd")), spot.board))
    for action in (raise_to(60), CALL):
        hand.act(action)
    review = review_hands([hand.played(("Olga", "Ivan"))], river)
    assert {(d.player, d.action, d.mapped) for d in review.decisions} == {
        ("Olga", "bet 50", True),
        ("Ivan", "call", True),
    }


def test_a_loss_within_the_solution_s_own_error_is_not_counted(leduc):
    """A coarse solution gains more from best responses than many decisions lose against it; a fine one does not."""
    hands = [random_hand(leduc.subject, 4, number) for number in range(40)]
    coarse = review_hands(hands, leduc)
    for d in coarse.decisions:
        assert d.is_counted == (d.loss_chips > d.unconverged_chips)
        assert d.counted_chips == (d.loss_chips if d.is_counted else 0.0)
        assert d.loss_chips == 0 or d.unconverged_chips > 0
    missed = [d for d in coarse.decisions if d.loss_chips > 0 and not d.is_counted]
    assert len(missed) > 3
    # What is left out is what the fine solution does not confirm, by and large.
    fine = review_hands(hands, errai.solve(load_game("leduc"), "1mbb"))
    assert sum(d.loss_chips for d in fine.decisions if not d.is_counted) < 0.1 * sum(d.loss_chips for d in missed)
    true = {(d.hand, d.player, d.line): d.loss_chips for d in fine.decisions}
    pairs = [(d, true[d.hand, d.player, d.line]) for d in coarse.decisions if (d.hand, d.player, d.line) in true]
    wrong = [abs(d.loss_chips - loss) for d, loss in pairs if d in missed]
    assert np.mean(wrong) < np.mean([d.loss_chips for d in coarse.decisions if d.is_counted])


def test_how_often_a_line_is_reached_is_that_of_brute_force(leduc):
    """Given the cards of the board: over all pairs of hands that they leave, how often both take the line."""
    brute = BruteForce(leduc)
    hand = next(h for n in range(50) if len((h := random_hand(leduc.subject, 9, n)).actions) == 2)
    moments = list(hand.moments())
    found = {d.line: d.line_reached for d in review_hands([hand], leduc).decisions}
    walk = TreeWalk(leduc.tree.betting)
    for number, (state, _) in enumerate(moments):
        total, pairs = 0.0, 0
        for first in brute.hands:
            for second in brute.hands:
                if len({*first, *second, *state.board}) < 2 + len(state.board):
                    continue
                reach = 1.0
                for before, action in moments[:number]:
                    reach *= brute.chance(before, action, (first, second)[before.actor])
                total, pairs = total + reach, pairs + 1
        line = SolutionNodes(leduc).at(walk.node(state), state.board).line
        if line in found:
            assert found[line] == pytest.approx(total / pairs, rel=1e-5)
    assert len(found) > 1


def test_one_player_s_decisions_and_totals(leduc):
    hands = [random_hand(leduc.subject, 4, number) for number in range(30)]
    both, one = review_hands(hands, leduc), review_hands(hands, leduc, player="Ann")
    assert [d for d in both.decisions if d.player == "Ann"] == list(one.decisions)
    losses = [d.counted_chips for d in both.decisions]
    assert losses == sorted(losses, reverse=True)
    for key in (lambda d: d.street, lambda d: d.line, lambda d: d.player):
        assert sum(total.loss_chips for total in both.totals(key).values()) == pytest.approx(sum(losses))
    assert set(both.totals(lambda d: d.street)) == {"round 1", "round 2"}
    with pytest.raises(MatchError, match="No hand was played by 'Zoe'"):
        review_hands(hands, leduc, player="Zoe")


def test_unknown_cards_are_left_out(leduc):
    hand = random_hand(leduc.subject, 4, 1)
    hidden = dataclasses.replace(hand, hole=(None, hand.hole[1]))
    review = review_hands([hidden], leduc)
    assert {d.player for d in review.decisions} == {"Bob"}
    assert review_hands([hidden], leduc, player="Ann").left_out == {"The player's cards are not known.": 1}


def test_hands_in_other_stakes():
    game = load_game("holdem.limit.2p")
    half = named(dataclasses.replace(game, blinds=(100, 50), raise_sizes=(100, 100, 200, 200), stacks=(90_000, 80_000)))
    for number in range(20):
        hand = random_hand(half, 6, number)
        aligned = align(hand, game)
        assert aligned.subject == game
        assert aligned.net_chips == tuple(chips / 10 for chips in hand.net_chips)
        assert aligned.final_state().net_chips(aligned.hole) == aligned.net_chips
    short = named(dataclasses.replace(half, stacks=(300, 300)))
    reasons = set()
    for number in range(40):
        try:
            align(random_hand(short, 6, number), game)
        except HistoryError as error:
            reasons.add(error.message)
    assert reasons == {"The hand was played by other rules or with other stacks than the solution's."}
