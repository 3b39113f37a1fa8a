"""Random hands of any game or spot, as a match would have played them."""

from __future__ import annotations

import dataclasses
import random

import numpy as np

from errai.games.game import Game, Subject
from errai.games.hand import CALL, FOLD, Action, Hand, PlayedHand, PublicState, Shuffle, raise_to


def random_action(state: PublicState, rng: random.Random) -> Action:
    """One legal action; folding is rare, so that hands become long."""
    betting = state.betting
    legal = betting.legal()
    drawn = rng.random()
    if legal.fold and drawn < 0.08:
        return FOLD
    if legal.raise_range is None or drawn < 0.55:
        return CALL
    least, most = legal.raise_range
    kind = rng.randrange(4)
    if kind == 0:
        return raise_to(least)
    if kind == 1:
        return raise_to(most)
    if kind == 2:
        pot = 2 * max(betting.spent)
        return raise_to(min(most, max(least, max(betting.spent) + int(pot * rng.uniform(0.3, 1.5)))))
    return raise_to(rng.randint(least, most))


def random_hand(
    subject: Subject, seed: int, number: int = 0, players: tuple[str, str] = ("Ann", "Bob"), **details: object
) -> PlayedHand:
    """A hand with random cards and actions; the same seed and number are the same hand."""
    rng = random.Random((seed << 32) + number)
    hand = Hand(subject, Shuffle(subject).deal(np.random.default_rng([seed, number])), number)
    while not hand.state.is_over:
        hand.act(random_action(hand.state, rng))
    return dataclasses.replace(hand.played(players), details=details)


def short_stacks(game: Game, seed: int) -> Game:
    """The same game with short stacks, equal or not."""
    rng = random.Random(seed)
    stacks = [rng.randint(game.big_blind, 30 * game.big_blind) for _ in range(2)]
    return dataclasses.replace(game, stacks=tuple(stacks) if rng.random() < 0.7 else (stacks[0], stacks[0]))
