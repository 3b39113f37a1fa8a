"""Seven-card hands per second: our evaluator and those of other packages, each called in its fastest way.

Run ``python benchmarks/cards.py``.  Packages that are not installed are left out.  Every row is the best of several
repetitions on one thread; other packages evaluate one hand per call, so their rows include Python's loop.
"""

from __future__ import annotations

import argparse
import importlib.util
import time
from collections.abc import Callable, Iterator

import numpy as np

from errai.cards.deck import FULL_DECK
from errai.cards.hands import hand_cards
from errai.cards.isomorphism import HandIndexer
from errai.cards.strength import category_counts, strength, strengths_on_boards

Row = tuple[str, int, Callable[[], object]]


def random_hands(rng: np.random.Generator, rows: int, n: int) -> np.ndarray:
    """Draw int16[rows, n] without repetition within a row."""
    return np.argsort(rng.random((rows, 52), dtype=np.float32), axis=1)[:, :n].astype(np.int16)


def our_rows(hands: np.ndarray) -> Iterator[Row]:
    """Our evaluator and indexer on arrays."""
    for n in (5, 6, 7):
        cards = np.ascontiguousarray(hands[:, :n])
        yield f"errai, array of {n}-card hands", len(hands), lambda cards=cards: strength(cards)
    boards, every_hand = hands[:2_000, :5], hand_cards(52, 2)
    yield (
        "errai, 2,000 boards x 1,326 hands",
        len(boards) * len(every_hand),
        lambda: strengths_on_boards(boards, every_hand),
    )
    yield "errai, all 133,784,560 7-card hands", 133_784_560, lambda: category_counts(7)
    indexer = HandIndexer()
    numbers = indexer.index(hands)
    yield "errai, index of river deals up to suits", len(hands), lambda: indexer.index(hands)
    yield "errai, river deals of their indices", len(hands), lambda: indexer.unindex(numbers, 3)


def peer_rows(hands: np.ndarray) -> Iterator[Row]:
    """Other evaluators, one hand a call, on cards that are made beforehand."""
    rows = hands.tolist()
    if importlib.util.find_spec("phevaluator"):
        from phevaluator import evaluate_cards

        yield "phevaluator", len(rows), lambda: [evaluate_cards(*row) for row in rows]
    if importlib.util.find_spec("eval7"):
        import eval7

        eval7_cards = [[eval7.Card(FULL_DECK.card_text(card)) for card in row] for row in rows]
        yield "eval7", len(rows), lambda: [eval7.evaluate(row) for row in eval7_cards]
    if importlib.util.find_spec("treys"):
        import treys

        evaluator = treys.Evaluator()
        treys_cards = [[treys.Card.new(FULL_DECK.card_text(card)) for card in row] for row in rows]
        yield "treys", len(rows), lambda: [evaluator.evaluate(row[:2], row[2:]) for row in treys_cards]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hands", type=int, default=1_000_000, help="hands for our own rows (default: %(default)s)")
    parser.add_argument("--peer-hands", type=int, default=20_000, help="hands for the others (default: %(default)s)")
    parser.add_argument("--repeat", type=int, default=7, help="repetitions, of which the best counts")
    options = parser.parse_args()
    hands = random_hands(np.random.default_rng(0), options.hands, 7)
    print(f"{'':42}{'million a second':>18}")
    for name, count, work in [*our_rows(hands), *peer_rows(hands[: options.peer_hands])]:
        best = float("inf")
        for _ in range(options.repeat):
            start = time.perf_counter()
            work()
            best = min(best, time.perf_counter() - start)
        print(f"{name:42}{count / best / 1e6:18.3f}")


if __name__ == "__main__":
    main()
