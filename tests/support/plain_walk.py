"""Small solutions, and a plain walk over their real hands and boards that computes the values of hands.

The walk deals every card and plays every pair of hands.  It reads only a node's strategy, range weights and pot.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from itertools import combinations

import numpy as np
from small_subjects import spot_text

import errai
from errai.cards.strength import strength
from errai.games.spot import Spot, parse_spot
from errai.solutions.node import SolutionNode
from errai.solutions.solution import Solution

SPOTS: dict[str, tuple[str, int, int | list[int], str, str, str]] = {
    # Hands that share cards with each other, that tie, and that are in one range only.
    "river": ("Qs Jh 2c 8d 3s", 100, 300, "AA, KQ, KTs, 65s:0.5", "JJ, KQ, T9s:0.3, AhQd", "50%, a"),
    # Clubs and diamonds play alike on the turn, and hands of one strength are merged.
    "turn": ("Qs Jh 2s 8h", 60, 80, "QQ, T9s, AKo:0.5", "22, AKs, QTs", "100%"),
    "turn, unequal": ("Qs Jh 2c 8d", 100, [100, 150], "QQ, T9s", "22, 88, AhKh", "60%, a"),
    # 5 % of each pot and at most 4 chips: less than the cap of the smallest pots, and hands that tie.
    "turn, raked": ("Qs Jh 2c 8d", 60, 80, "QQ, T9s, AKo:0.5", "T9s, AKs, 88", "100%"),
    "flop": ("Td 9d 6d", 100, 60, "TT, AhKh", "99:0.5, AdQh", "a"),
}
# Either player bets somewhere, and there are bets on every street; with more of them the walk takes long.
MENUS = {"flop": '[bets.flop.ip]\nbet = ""\n[bets.turn.ip]\nbet = ""\n[bets.river.oop]\nbet = ""\n'}
RAKED = {"turn, raked": (0.05, 4.0)}
GAMES = ("kuhn", "leduc", "rhode-island-short", "two-cards-short")


@cache
def solved(name: str) -> Solution:
    """Solved for a few iterations only, so that no two actions have equal EVs by indifference."""
    if name in SPOTS:
        board, pot, stack, oop, ip, bet = SPOTS[name]
        text = spot_text(board, oop, ip, bet=bet, pot=pot, stack=stack) + MENUS.get(name, "")
        if name in RAKED:
            share, cap = RAKED[name]
            text = f"rake = {{ percent = {100 * share}, cap = {cap} }}\n{text}"
        backend = "reference" if name in RAKED else "cpu"
        return errai.solve(parse_spot(text), max_iterations=6, threads=1, backend=backend)
    if name == "rhode-island-short":
        short = replace(errai.load_game("rhode-island"), name=name, num_ranks=3, num_suits=2, max_raises=(1, 1, 1))
    elif name == "two-cards-short":
        short = replace(errai.load_game("holdem-2-1"), name=name, num_ranks=3, num_suits=3)
    else:
        short = errai.load_game(name)
    return errai.solve(short, max_iterations=6, threads=1)


class PlainWalk:
    """All pairs of hands that either player may hold at the root; matrices have a row a hand and a column a hand."""

    def __init__(self, solution: Solution, rake: tuple[float, float] = (0.0, 0.0)) -> None:
        root = solution.root
        self.rake = rake
        self.solution = solution
        self.cards = [frozenset(solution.deck.parse_cards(hand)) for hand in root.hands]
        self.held = [i for i in range(len(root.hands)) if root.ranges[:, i].any()]
        self.fit = np.array([[not self.cards[i] & self.cards[j] for j in self.held] for i in self.held])
        self.won: dict[str, np.ndarray] = {}
        """Line: float64[2, pairs], chips that each player takes from the pot from there on less those put in."""
        self.nodes: dict[str, SolutionNode] = {}
        self.shown: dict[frozenset[int], np.ndarray] = {}

    def walk(self, node: SolutionNode) -> np.ndarray:
        if node.kind == "chance":
            found = self.mean_over_deals(node)
        elif node.kind == "fold":
            # Who has folded put in less: the other takes all that is in the middle.
            put_in = self.solution.tree.betting.contributions[node.node]
            found = np.zeros((2, *self.fit.shape))
            found[int(np.argmax(put_in))] = node.pot_chips - self.taken(2 * min(put_in))
        elif node.kind == "showdown":
            won = self.showdown(frozenset(node.board))
            found = (node.pot_chips - self.taken(node.pot_chips)) * np.stack([won, 1.0 - won])
        else:
            p = node.player
            found = np.zeros((2, *self.fit.shape))
            plays = np.nan_to_num(node.strategies[self.held])
            for a, action in enumerate(node.actions):
                after = self.after(node, action)
                often = plays[:, a, None] if p == 0 else plays[None, :, a]
                found += often * after
        self.won[node.line], self.nodes[node.line] = found, node
        return found

    def taken(self, pot: float) -> float:
        """What the house takes of a pot."""
        share, cap = self.rake
        return min(share * pot, cap)

    def after(self, node: SolutionNode, action: str) -> np.ndarray:
        """float64[2, pairs]: counted from the node, before the player has paid for the action."""
        child = node[action]
        found = (self.won[child.line] if child.line in self.won else self.walk(child)).copy()
        found[node.player] -= child.pot_chips - node.pot_chips
        return found

    def mean_over_deals(self, node: SolutionNode) -> np.ndarray:
        total, count = np.zeros((2, *self.fit.shape)), np.zeros(self.fit.shape)
        for cards in combinations(node.children, self.solution.tree.root.new_cards[node.street]):
            dealt = set(self.solution.deck.parse_cards("".join(cards)))
            free = np.array([not self.cards[i] & dealt for i in self.held])
            both = free[:, None] & free[None, :]
            total += both * self.walk(node["".join(cards)])
            count += both
        return total / np.maximum(count, 1)

    def showdown(self, board: frozenset[int]) -> np.ndarray:
        """float64[pairs]: 1 where the hand of player 0 wins, half where hands tie; 0.5 where one is dead."""
        if board not in self.shown:
            game = self.solution.subject.game if isinstance(self.solution.subject, Spot) else self.solution.subject
            of = [
                -1
                if self.cards[i] & board
                else int(strength(np.array(sorted(self.cards[i] | board)), game.deck, game.ranking))
                for i in self.held
            ]
            mine, theirs = np.array(of)[:, None], np.array(of)[None, :]
            self.shown[board] = np.where((mine < 0) | (theirs < 0), 0.5, np.sign(mine - theirs) / 2 + 0.5)
        return self.shown[board]

    def equity(self, board: frozenset[int], due: int) -> np.ndarray:
        """float64[pairs]: of player 0's hand, over every way in which the cards that are due may come."""
        if due == 0:
            return self.showdown(board)
        total, count = np.zeros(self.fit.shape), np.zeros(self.fit.shape)
        for card in range(self.solution.deck.num_cards):
            if card not in board:
                free = np.array([card not in self.cards[i] for i in self.held])
                both = free[:, None] & free[None, :]
                total += both * self.equity(board | {card}, due - 1)
                count += both
        return total / np.maximum(count, 1)

    # --- what hands are worth ---

    def pairs(self, node: SolutionNode, p: int) -> np.ndarray:
        """float64[own hands, other hands]: weights of the other player's hands that fit, on this board."""
        live = np.array([not self.cards[i] & set(node.board) for i in self.held])
        theirs = node.ranges[1 - p][self.held]
        return self.fit * live[:, None] * live[None, :] * theirs[None, :]

    def mean(self, node: SolutionNode, p: int, matrix: np.ndarray) -> np.ndarray:
        """float64[held]: mean of a matrix [pairs] over the other player's range, for each hand of a player."""
        weights = self.pairs(node, p)
        total = weights.sum(axis=1)
        mine = matrix if p == 0 else matrix.T
        return (weights * mine).sum(axis=1) / np.where(total > 1e-12, total, np.nan)


@cache
def plain(name: str) -> PlainWalk:
    walk = PlainWalk(solved(name), RAKED.get(name, (0.0, 0.0)))
    walk.walk(walk.solution.root)
    return walk


def chosen(name: str) -> list[SolutionNode]:
    """Nodes on all lines, a few boards each, at which both players may still be."""
    generator = np.random.default_rng(3)
    nodes = list(plain(name).nodes.values())
    by_length = {depth: [n for n in nodes if len(n.line.split()) == depth] for depth in range(20)}
    found = []
    for same in by_length.values():
        picked = generator.permutation(len(same))[:12]
        found += [same[i] for i in picked]
    return [n for n in found if (plain(name).pairs(n, 0) * n.ranges[0][plain(name).held][:, None]).sum() > 1e-6]


def held_by(walk: PlainWalk, node: SolutionNode, p: int) -> np.ndarray:
    """Of the walk's hands those that a player may have had at the root and can have on this board."""
    live = np.array([not walk.cards[i] & set(node.board) for i in walk.held])
    return live & (walk.solution.root.ranges[p][walk.held] > 0)


def put_in(node: SolutionNode, p: int) -> float:
    """Chips that a game's values count against a player, over the whole hand; a spot's count from the node on."""
    solution = node.solution
    return 0.0 if isinstance(solution.subject, Spot) else float(solution.tree.betting.contributions[node.node][p])


ALL = [*SPOTS, *GAMES]
