"""The arithmetic of an iteration on tensors, in functions that a compiler may fuse.

Each function is a handful of elementwise operations on whole tensors.  Without compilation each operation reads and
writes memory once.  With ``compiled`` PyTorch's compiler merges each function into one or two kernels.
"""

from __future__ import annotations

from types import SimpleNamespace

import torch
from torch import Tensor

from errai.kernels.layout import BEST


def match(source: Tensor, tie: Tensor, out: Tensor) -> None:
    """Regret matching: ``source`` and ``out`` are [D, A, S], ``tie`` [S] or [1]; in the precision of ``out``."""
    # torch.where with constants would copy them from the host, which a CUDA graph cannot record.
    torch.mul(source, source > tie, out=out)
    total = out.sum(1, keepdim=True)
    out.div_(total).masked_fill_(total <= 0, 1.0 / source.shape[1])


def mix(strategy: Tensor, values: Tensor) -> Tensor:
    """Return the value [D, S] of a strategy [D, A, S], given the values [D, A, S] of its actions."""
    return (strategy * values).sum(1)


def pay(ending: Tensor, which: Tensor, chips: Tensor) -> Tensor:
    """Return chips [n, S]: the rows ``which`` [n] of ``ending`` [U, S] times ``chips`` [n, 1] or [n, S]."""
    return ending.index_select(0, which) * chips


def learn(values: Tensor, value: Tensor, played: Tensor, regrets: Tensor, sums: Tensor, coefficients: Tensor) -> None:
    """Add one iteration's gains to ``regrets`` and its strategy to ``sums``, both [D, A, S], in place.

    ``values`` [D, A, S] are those of the actions and become the gains, ``value`` [D, S] are those of the nodes.
    ``played`` is added to the average's sum; ``coefficients`` [7] are as in
    :data:`errai.kernels.protocol.COEFFICIENTS`.
    """
    regrets.add_(values.sub_(value.unsqueeze(1)))
    regrets.mul_(torch.where(regrets > 0, coefficients[0], coefficients[1]))
    sums.mul_(coefficients[2]).addcmul_(played, coefficients[3])


def predict(gains: Tensor, regrets: Tensor, predicted: Tensor, coefficients: Tensor) -> None:
    """Set ``predicted`` [D, A, S] to the regrets plus the newest gains, which predict the next ones."""
    torch.addcmul(regrets, gains, coefficients[4], out=predicted)


def foresee(values: Tensor, value: Tensor, regrets: Tensor, tie: Tensor, coefficients: Tensor) -> Tensor:
    """Return the values [D, S] that nodes pass up with foresight: partly those of what they are about to learn.

    ``values`` and ``regrets`` [D, A, S] are those of the actions before :func:`learn`, and ``value`` [D, S] is that of
    the strategy just played.
    """
    gains = values - value.unsqueeze(1)
    new = regrets + gains
    new.mul_(torch.where(new > 0, coefficients[0], coefficients[1])).addcmul_(gains, coefficients[4])
    new.mul_(new > tie)
    total = new.sum(1)
    ahead = torch.where(total > 0, new.mul_(values).sum(1).div_(total), value)
    return value + coefficients[6] * (ahead - value)


def prefix_sums(reach: Tensor, place: Tensor, length: int) -> Tensor:
    """Return the prefix sums of reach along each board's list: [U, B * length] from ``reach`` [U, S].

    ``place`` [B * length] is the class at each position of the list.
    """
    listed = reach.index_select(1, place).view(-1, length)
    if len(listed) == 1:
        # PyTorch scans one long row in an order of summation that varies from run to run, but not two rows.
        return listed.expand(2, -1).contiguous().cumsum(1)[:1]
    return listed.cumsum(1).view(reach.shape[0], -1)


def fold_values(totals: Tensor, pile: Tensor, reach: Tensor, twin: Tensor, has_twin: Tensor) -> Tensor:
    """Return the reach [U, S] of the opponent's hands that share no card with each own hand.

    ``totals`` [U, piles] holds the sum of every pile; ``pile`` [1 + k, S] is the pile of all hands and of each own
    card.  With two cards, the same hand of the opponent has been subtracted twice and is added back once.
    """
    value = totals.index_select(1, pile[0])
    for card in pile[1:]:
        value.sub_(totals.index_select(1, card))
    if len(pile) == 3:
        value.addcmul_(reach.index_select(1, twin), has_twin)
    return value


def showdown_values(sums: Tensor, bounds: Tensor, pile: Tensor, weaker: Tensor, stronger: Tensor) -> Tensor:
    """Return the reach [U, S] of the weaker compatible hands minus that of the stronger ones, for each own hand.

    For each pile with prefix sums ``W``, this is W(before the hands of equal strength) + W(after them) - W(start) -
    W(end).  The piles of the own cards are subtracted from the pile of all hands.  ``weaker`` and ``stronger`` [1 + k,
    S] are the positions of the first two terms in ``sums``; ``bounds`` [U, piles] holds the sum of the last two.
    """
    parts = []
    for number in range(len(pile)):
        part = sums.index_select(1, weaker[number]).add_(sums.index_select(1, stronger[number]))
        parts.append(part.sub_(bounds.index_select(1, pile[number])))
    value = parts[0]
    for part in parts[1:]:
        value.sub_(part)
    return value


def tie_values(sums: Tensor, weaker: Tensor, stronger: Tensor, reach: Tensor, twin: Tensor, has_twin: Tensor) -> Tensor:
    """Return the reach [U, S] of the equally strong compatible hands; arguments as for the two functions above."""
    value = sums.index_select(1, stronger[0]).sub_(sums.index_select(1, weaker[0]))
    for number in range(1, len(weaker)):
        value.sub_(sums.index_select(1, stronger[number])).add_(sums.index_select(1, weaker[number]))
    if len(weaker) == 3:
        value.addcmul_(reach.index_select(1, twin), has_twin)
    return value


def respond(values: Tensor, does: Tensor, tie: Tensor, regrets: Tensor) -> None:
    """Set regrets [D, A, S] of hands that respond best so that they match to the first of their best actions.

    ``values`` [D, A, S] are those of the actions, and ``does`` uint8[D, S] are the roles.
    """
    good = (values >= values.amax(1, keepdim=True) - tie).to(torch.uint8)
    chosen = torch.zeros_like(regrets).scatter_(1, good.argmax(1, keepdim=True), 1.0) * (1.0 + 2.0 * tie)
    torch.where((does == BEST).unsqueeze(1), chosen, regrets, out=regrets)


def steps_of(compiled: bool) -> SimpleNamespace:
    """Return the functions above by name.

    Those that are ``compiled`` go through ``torch.compile``: first calls take seconds, later ones run fewer kernels.
    """
    steps = match, mix, pay, learn, predict, foresee, prefix_sums, fold_values, showdown_values, tie_values, respond
    return SimpleNamespace(**{f.__name__: torch.compile(f, dynamic=True) if compiled else f for f in steps})
