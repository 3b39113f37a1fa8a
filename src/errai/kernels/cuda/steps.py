"""The arithmetic of an iteration, tensor by tensor: what a compiler may fuse.

Each function is a handful of elementwise operations that read and write whole tensors; run as they are, each operation
goes through memory once.  ``compiled`` has PyTorch's compiler merge each of them into one or two kernels.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields

import torch
from torch import Tensor

from errai.kernels.layout import BEST


def match(source: Tensor, tie: Tensor, out: Tensor) -> None:
    """Regret matching: ``source`` and ``out`` are [D, A, S], ``tie`` [S] or [1]; in the precision of ``out``."""
    # No constants in torch.where: they are copied from the host, which a CUDA graph cannot record.
    torch.mul(source, source > tie, out=out)
    total = out.sum(1, keepdim=True)
    out.div_(total).masked_fill_(total <= 0, 1.0 / source.shape[1])


def mix(strategy: Tensor, values: Tensor) -> Tensor:
    """The value [D, S] of playing a strategy, [D, A, S] as the values of its actions."""
    return (strategy * values).sum(1)


def pay(ending: Tensor, which: Tensor, chips: Tensor) -> Tensor:
    """Values in chips [n, S] of the rows ``which`` [n] of ``ending`` [U, S], at ``chips`` [n, 1] or [n, S] each."""
    return ending.index_select(0, which) * chips


def learn(values: Tensor, value: Tensor, played: Tensor, regrets: Tensor, sums: Tensor, coefficients: Tensor) -> None:
    """Add one iteration's gains to ``regrets`` and its strategy to ``sums``, both [D, A, S], in place.

    ``values`` [D, A, S] are the actions', ``value`` [D, S] the nodes'; ``values`` becomes the gains.  ``played`` is
    what enters the average; ``coefficients`` [7] as in :data:`errai.kernels.protocol.COEFFICIENTS`.
    """
    regrets.add_(values.sub_(value.unsqueeze(1)))
    regrets.mul_(torch.where(regrets > 0, coefficients[0], coefficients[1]))
    sums.mul_(coefficients[2]).addcmul_(played, coefficients[3])


def predict(gains: Tensor, regrets: Tensor, predicted: Tensor, coefficients: Tensor) -> None:
    """Set ``predicted`` [D, A, S] to the regrets and what the newest gain says about the next."""
    torch.addcmul(regrets, gains, coefficients[4], out=predicted)


def foresee(values: Tensor, value: Tensor, regrets: Tensor, tie: Tensor, coefficients: Tensor) -> Tensor:
    """What nodes hand up [D, S] with foresight: partly their value under the strategy that they are about to learn.

    ``values`` and ``regrets`` [D, A, S] are the actions' before :func:`learn`, ``value`` [D, S] is what was played.
    """
    gains = values - value.unsqueeze(1)
    new = regrets + gains
    new.mul_(torch.where(new > 0, coefficients[0], coefficients[1])).addcmul_(gains, coefficients[4])
    new.mul_(new > tie)
    total = new.sum(1)
    ahead = torch.where(total > 0, new.mul_(values).sum(1).div_(total), value)
    return value + coefficients[6] * (ahead - value)


def prefix_sums(reach: Tensor, place: Tensor, length: int) -> Tensor:
    """Sums of reach up to each place of each board's list: [U, B * length] from ``reach`` [U, S].

    ``place`` [B * length] says whose reach stands at a place of the list.
    """
    listed = reach.index_select(1, place).view(-1, length)
    if len(listed) == 1:
        # PyTorch hands one long row to a scan whose order of summation varies from run to run; two rows it does not.
        return listed.expand(2, -1).contiguous().cumsum(1)[:1]
    return listed.cumsum(1).view(reach.shape[0], -1)


def fold_values(totals: Tensor, pile: Tensor, reach: Tensor, twin: Tensor, has_twin: Tensor) -> Tensor:
    """Reach of the opponent's hands that fit each own hand: [U, S].

    ``totals`` [U, piles] sums every pile; ``pile`` [1 + k, S] names the pile of all hands and of each own card.  With
    two cards, the hand itself has been taken away twice and is put back.
    """
    value = totals.index_select(1, pile[0])
    for card in pile[1:]:
        value.sub_(totals.index_select(1, card))
    if len(pile) == 3:
        value.addcmul_(reach.index_select(1, twin), has_twin)
    return value


def showdown_values(sums: Tensor, bounds: Tensor, pile: Tensor, weaker: Tensor, stronger: Tensor) -> Tensor:
    """Reach of the weaker hands that fit each own hand less that of the stronger ones: [U, S].

    For each pile, with ``W`` its prefix sums: W(before the hands of equal strength) + W(behind them) - W(start) -
    W(end); the pile of all hands less those of the own cards.  ``weaker`` and ``stronger`` [1 + k, S] are the places
    of the first two in ``sums``, ``bounds`` [U, piles] holds the last two summed.
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
    """Reach of the equally strong hands that fit each own hand: [U, S]; arguments as of the two above."""
    value = sums.index_select(1, stronger[0]).sub_(sums.index_select(1, weaker[0]))
    for number in range(1, len(weaker)):
        value.sub_(sums.index_select(1, stronger[number])).add_(sums.index_select(1, weaker[number]))
    if len(weaker) == 3:
        value.addcmul_(reach.index_select(1, twin), has_twin)
    return value


def respond(values: Tensor, does: Tensor, tie: Tensor, regrets: Tensor) -> None:
    """Let hands that respond best have regrets [D, A, S] that are matched to the first action as good as any alone.

    ``values`` [D, A, S] are the actions', ``does`` uint8[D, S] the roles.
    """
    good = (values >= values.amax(1, keepdim=True) - tie).to(torch.uint8)
    chosen = torch.zeros_like(regrets).scatter_(1, good.argmax(1, keepdim=True), 1.0) * (1.0 + 2.0 * tie)
    torch.where((does == BEST).unsqueeze(1), chosen, regrets, out=regrets)


@dataclass(frozen=True)
class Steps:
    """The functions above, as they are or compiled."""

    match: Callable[..., None] = match
    mix: Callable[..., Tensor] = mix
    pay: Callable[..., Tensor] = pay
    learn: Callable[..., None] = learn
    predict: Callable[..., None] = predict
    foresee: Callable[..., Tensor] = foresee
    prefix_sums: Callable[..., Tensor] = prefix_sums
    fold_values: Callable[..., Tensor] = fold_values
    showdown_values: Callable[..., Tensor] = showdown_values
    tie_values: Callable[..., Tensor] = tie_values
    respond: Callable[..., None] = respond


def compiled() -> Steps:
    """The steps behind ``torch.compile``: the first call of each takes seconds, later ones fewer kernels."""
    return Steps(**{f.name: torch.compile(getattr(Steps, f.name), dynamic=True) for f in fields(Steps)})
