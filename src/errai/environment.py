"""Every game of the catalogue as an environment of PettingZoo, for reinforcement learning (``errai[env]``).

An episode is one hand.  The interface is PettingZoo's AEC, in which the agents act one after another::

    from errai.environment import env

    table = env("leduc")
    table.reset(seed=7)
    for agent in table.agent_iter():
        observation, reward, termination, truncation, info = table.last()
        table.step(None if termination else table.action_space(agent).sample(observation["action_mask"]))
"""

from __future__ import annotations

from typing import Any

import numpy as np

from errai.errors import IllegalActionError, InputError, UnsupportedGameError, needs_extra
from errai.games.catalogue import load_game
from errai.games.game import Game
from errai.games.hand import CALL, FOLD, Action, Hand, raise_to
from errai.games.ring import RingGame, load_ring_game, numbered_hand

with needs_extra("env", "An environment"):
    from gymnasium import spaces
    from pettingzoo import AECEnv
    from pettingzoo.utils import wrappers

LIMIT_ACTIONS = ("fold", "check or call", "bet or raise")
NO_LIMIT_ACTIONS = ("fold", "check or call", "smallest raise", "raise of half the pot", "raise of the pot", "all-in")
"""The actions by their numbers.  A raise of a share of the pot is moved to the nearest that is legal; if two raises are
the same, the first of them is the one that is legal."""


def env(game: Game | RingGame | str, *, render_mode: str | None = None) -> Any:
    """Return an environment of a game, of two players or more, with PettingZoo's usual wrappers.

    Parameters
    ----------
    game:
        A game, or its name or file.
    render_mode:
        ``human`` to print the hand, ``ansi`` for a text from ``render()``.

    Raises
    ------
    InputError
        The game is unknown, or the mode.
    """
    return wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(PokerEnv(game, render_mode=render_mode)))


class PokerEnv(AECEnv):  # type: ignore[misc]
    """A game as an environment; parameters and errors are those of :func:`env`.

    ``player_0`` sits in the first position of the game in every hand, and so on.  The cards follow from the seed of
    ``reset`` and the number of resets since.  Rewards are chips, given when the hand is over; they sum to 0.

    An observation is a dictionary.  ``action_mask`` is int8[A], 1 for legal actions, with the actions of
    :data:`LIMIT_ACTIONS` or :data:`NO_LIMIT_ACTIONS`.  ``observation`` is float32[n]: for each card of the deck whether
    the agent holds it; for each card whether it is on the board; for each round whether it is played; then for each
    player, from the agent on in the order of the seats, the chips that it has put in, in big blinds, whether it has
    folded, and whether it is its turn.
    """

    def __init__(self, game: Game | RingGame | str, *, render_mode: str | None = None) -> None:
        super().__init__()
        if render_mode not in (None, "human", "ansi"):
            raise InputError(f"A render mode is human or ansi, not {render_mode!r:.40}.")
        self.game = _loaded(game)
        self.render_mode = render_mode
        modes = ["human", "ansi"]
        self.metadata = {"render_modes": modes, "name": f"errai_{self.game.name}", "is_parallelizable": False}
        self.names = LIMIT_ACTIONS if self.game.limit else NO_LIMIT_ACTIONS
        players, deck = self.game.num_players, self.game.deck.num_cards
        self.possible_agents = [f"player_{seat}" for seat in range(players)]
        self._seat = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        size = 2 * deck + self.game.num_rounds + 3 * players
        self.observation_spaces = {
            agent: spaces.Dict(
                {
                    "observation": spaces.Box(0.0, np.inf, (size,), np.float32),
                    "action_mask": spaces.Box(0, 1, (len(self.names),), np.int8),
                }
            )
            for agent in self.possible_agents
        }
        self.action_spaces = {agent: spaces.Discrete(len(self.names)) for agent in self.possible_agents}
        self._seed, self._number = int(np.random.SeedSequence().generate_state(1)[0]), -1
        self.hand: Hand | None = None

    def observation_space(self, agent: str) -> Any:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Any:
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Deal a hand; with a seed the first one of that seed, otherwise the next one."""
        self._number += 1
        if seed is not None:
            self._seed, self._number = seed, 0
        self.agents = list(self.possible_agents)
        self.hand = numbered_hand(self.game, self._seed, self._number)
        for name in ("rewards", "_cumulative_rewards"):
            setattr(self, name, dict.fromkeys(self.agents, 0.0))
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        # A hand in which the blinds leave nothing to decide is over at once.
        self.agent_selection = self.agents[max(self.hand.actor, 0)]
        self._end_if_over()

    def step(self, action: int | None) -> None:
        """Act.  Raises :class:`IllegalActionError` for an action that the mask forbids; nothing has changed then."""
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        assert self.hand is not None
        found = self._options()[int(action)] if action is not None else None
        if found is None:
            raise IllegalActionError(f"{agent} cannot take action {action}; the action mask has those that are legal.")
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        self.hand.act(found)
        if not self.hand.is_over:
            self.agent_selection = self.agents[self.hand.actor]
        self._end_if_over()
        self._accumulate_rewards()
        if self.render_mode == "human":
            self.render()

    def observe(self, agent: str) -> dict[str, Any]:
        """Return what an agent sees."""
        assert self.hand is not None
        state, seat, deck = self.hand.state, self._seat[agent], self.game.deck.num_cards
        players, betting = self.game.num_players, self.hand.state.betting
        own, board, rounds = np.zeros(deck), np.zeros(deck), np.zeros(self.game.num_rounds)
        own[list(self.hand.deal.hole[seat])] = 1.0
        board[list(state.board)] = 1.0
        rounds[betting.round] = 1.0
        folded: Any = betting.folded
        table = np.zeros((players, 3))
        for other in range(players):
            out = folded[other] if isinstance(folded, tuple) else folded == other
            spent = betting.spent[other] / max(self.game.big_blind, 1)
            table[(other - seat) % players] = spent, out, self.hand.actor == other
        mask = np.zeros(len(self.names), np.int8)
        if self.hand.actor == seat:
            mask[:] = [option is not None for option in self._options()]
        vector = np.concatenate([own, board, rounds, table.ravel()]).astype(np.float32)
        return {"observation": vector, "action_mask": mask}

    def render(self) -> str | None:
        """Return the hand as text, or print it."""
        if self.hand is None:
            raise InputError("There is no hand yet; call reset first.")
        text, state = self.game.deck.cards_text, self.hand.state
        lines = [f"{self.game.label}, hand {self._number}: board {text(state.board) or '-'}, pot {state.pot_chips:g}"]
        for agent, hole, spent in zip(self.possible_agents, self.hand.deal.hole, state.betting.spent, strict=True):
            turn = " to act" if self.hand.actor == self._seat[agent] else ""
            lines.append(f"  {agent} {text(hole)} has put in {spent}{turn}")
        found = "\n".join(lines)
        if self.render_mode == "human":
            print(found)
            return None
        return found

    def close(self) -> None:
        """There is nothing to close."""

    def _options(self) -> list[Action | None]:
        """Return the action for each number; None where it is not legal."""
        assert self.hand is not None
        state = self.hand.state
        legal = state.betting.legal()
        found: list[Action | None] = [FOLD if legal.fold else None, CALL]
        if self.game.limit:
            return [*found, None if legal.raise_range is None else raise_to(legal.raise_range[0])]
        if legal.raise_range is None:
            return found + [None] * 4
        low, high = legal.raise_range
        called = state.betting.to_call_chips
        after = state.pot_chips + called
        matched = state.betting.spent[self.hand.actor] + called
        totals = [low, *(min(max(round(matched + share * after), low), high) for share in (0.5, 1.0)), high]
        return found + [raise_to(t) if t not in totals[:i] else None for i, t in enumerate(totals)]

    def _end_if_over(self) -> None:
        assert self.hand is not None
        if self.hand.is_over:
            self.rewards = dict(zip(self.possible_agents, map(float, self.hand.net_chips()), strict=True))
            self.terminations = dict.fromkeys(self.agents, True)
            self.agent_selection = self.agents[0]


def _loaded(game: Game | RingGame | str) -> Any:
    if isinstance(game, Game | RingGame):
        return game
    if not isinstance(game, str):
        raise InputError(f"{game!r:.80} is no game; give one, or its name.")
    try:
        return load_game(game)
    except UnsupportedGameError:
        return load_ring_game(game)
