"""From a public state to a node of a betting tree and back: how a strategy made for some bet sizes meets any bet.

A bet that the tree has leads to its node.  Another one is taken for the nearest that the tree has, by the
pseudo-harmonic rule of Ganzfried & Sandholm, "Action translation in extensive-form games with large action spaces"
(IJCAI 2013), decided at one half instead of drawn: with bets of A and B pots on both sides, x pots count as A where
(B - x)(1 + A) / ((B - A)(1 + x)) is at least 1/2.  From then on the tree's pot differs from the real one, and bets
are compared, and made, as shares of the pot.
"""

from __future__ import annotations

from errai.games.betting import ActionKind
from errai.games.hand import CALL, FOLD, Action, PublicState, raise_to
from errai.tree.betting_tree import BettingTree, NodeKind

OFF_TREE = -1
"""The tree has ended, or somebody else acts there than in the hand that is played."""

REMEMBERED_LINES = 100_000


class TreeWalk:
    """Finds nodes of one betting tree."""

    def __init__(self, betting: BettingTree) -> None:
        self.betting = betting
        self._found: dict[tuple[tuple[Action, ...], ...], int] = {}

    def node(self, state: PublicState) -> int:
        """The decision node that stands for a public state, or ``OFF_TREE``."""
        key = state.actions
        if key not in self._found:
            if len(self._found) >= REMEMBERED_LINES:
                self._found.clear()
            self._found[key] = self._decision(state)
        return self._found[key]

    def actions(self, node: int, state: PublicState) -> list[Action]:
        """What the actions at a node are in the hand that is played; several may come out as the same."""
        betting = self.betting
        legal = state.betting.legal()
        found = []
        for child in betting.children(node):
            kind, total = int(betting.action_kind[child]), int(betting.action_total[child])
            if kind == ActionKind.RAISE and legal.raise_range is not None:
                least, most = legal.raise_range
                if total == betting.all_in_total:
                    total = most
                elif not self._same_chips(node, state):
                    faced, pot = max(state.betting.spent), self._pot_after_call(state)
                    total = faced + round(self._share(node, child) * pot)
                found.append(raise_to(min(max(total, least), most)))
            else:
                found.append(FOLD if kind == ActionKind.FOLD and legal.fold else CALL)
        return found

    def _decision(self, state: PublicState) -> int:
        """Walk the line from the root; the tree must agree on who acts on which street."""
        betting = self.betting
        node = betting.after_chance(0)
        before = PublicState.start(state.subject)
        for action in state.line:
            if betting.kind[node] != NodeKind.DECISION or betting.actor[node] != before.betting.actor:
                return OFF_TREE
            node = betting.after_chance(self.child(node, before, action))
            before = before.ahead(action)
        same_street = int(betting.street[node]) == state.betting.round - state.first_round
        if betting.kind[node] != NodeKind.DECISION or betting.actor[node] != state.betting.actor or not same_street:
            return OFF_TREE
        return node

    def child(self, node: int, state: PublicState, action: Action) -> int:
        """The child of a decision node that an action leads to, the nearest where the tree does not have the bet."""
        betting = self.betting
        children = betting.children(node)
        if action.kind != ActionKind.RAISE:
            same = [c for c in children if betting.action_kind[c] == action.kind]
            # A fold that the tree does not offer ends the hand; where it leads is never asked.
            return same[0] if same else children[0]
        raises = [c for c in children if betting.action_kind[c] == ActionKind.RAISE]
        if not raises:
            return next(c for c in children if betting.action_kind[c] == ActionKind.CALL)
        in_step = self._same_chips(node, state)
        for child in raises:
            total = int(betting.action_total[child])
            if total == action.total and in_step:
                return child
        most = state.betting.legal().raise_range
        if most is not None and action.total == most[1] and betting.action_total[raises[-1]] == betting.all_in_total:
            return raises[-1]
        x = (action.total - max(state.betting.spent)) / self._pot_after_call(state)
        shares = [self._share(node, child) for child in raises]
        above = next((i for i, share in enumerate(shares) if share >= x), len(raises))
        if above == 0:
            return raises[0]
        if above == len(raises):
            return raises[-1]
        a, b = shares[above - 1], shares[above]
        lower = (b - x) * (1.0 + a) >= 0.5 * (b - a) * (1.0 + x)
        return raises[above - 1] if lower else raises[above]

    def _same_chips(self, node: int, state: PublicState) -> bool:
        """Whether as many chips are in as in the tree: no bet has been taken for another one."""
        tree, dead = self.betting.contributions[node], state.dead_chips
        spent = state.betting.spent
        return bool(tree[0] == spent[0] + dead and tree[1] == spent[1] + dead)

    def _share(self, node: int, child: int) -> float:
        """What a raise puts in above the bet faced, as a share of the pot after a call, in the tree."""
        faced = float(self.betting.contributions[node].max())
        return (float(self.betting.contributions[child].max()) - faced) / max(2.0 * faced, 1.0)

    @staticmethod
    def _pot_after_call(state: PublicState) -> float:
        return max(2.0 * (max(state.betting.spent) + state.dead_chips), 1.0)
