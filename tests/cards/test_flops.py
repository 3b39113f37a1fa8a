"""Flops up to suits, their textures, and weighted subsets."""

from __future__ import annotations

from collections import Counter
from itertools import combinations, permutations

import pytest

from errai.cards.deck import FULL_DECK
from errai.cards.flops import FLOPS, TEXTURES, all_flops, flops_of, read_flops, subset_sizes
from errai.errors import InputError


def canonical(cards: tuple[int, ...]) -> tuple[int, ...]:
    """The least of all renamings of a flop's suits, found by trying them."""
    return min(tuple(sorted(c // 4 * 4 + suits[c % 4] for c in cards)) for suits in permutations(range(4)))


def test_all_flops_are_counted() -> None:
    counted = Counter(canonical(cards) for cards in combinations(range(52), 3))
    assert len(counted) == 1755
    assert {canonical(flop.cards): flop.weight for flop in all_flops()} == counted


def test_textures() -> None:
    of = {
        "Ah Kh Qh": ("monotone", "unpaired", "1", "A"),
        "9s 8d 7c": ("rainbow", "unpaired", "3", "9"),
        "5d 3d 2c": ("two-tone", "unpaired", "2", "5"),
        "Ac 3d 2c": ("two-tone", "unpaired", "1", "A"),
        "Ks 7h 2d": ("rainbow", "unpaired", "0", "K"),
        "8s 8h 7d": ("rainbow", "paired", "0", "8"),
        "4s 4h 4d": ("rainbow", "trips", "0", "4"),
        "Qs Jh 8s": ("two-tone", "unpaired", "1", "Q"),
    }
    for text, wanted in of.items():
        (flop,) = read_flops([text], "here")
        assert tuple(getattr(flop, name) for name in TEXTURES) == wanted, text
        assert flop.text == text
    shares = Counter()
    for flop in all_flops():
        shares[flop.suits] += flop.weight
    # 4 suits of C(13, 3) flops; 13^3 * 4 * 3 * 2 / 3! less those of one rank or with a pair are rainbow.
    assert shares == {"monotone": 1144, "two-tone": 12168, "rainbow": 8788}


def test_subsets_stand_for_all() -> None:
    assert subset_sizes() == (25, 49, 95, 184)
    every = {canonical(flop.cards) for flop in all_flops()}
    for count in subset_sizes():
        flops = flops_of(count)
        assert len({canonical(flop.cards) for flop in flops} & every) == count
        assert sum(flop.weight for flop in flops) == pytest.approx(FLOPS, rel=1e-4)
        assert min(flop.weight for flop in flops) > 0
        for kind, share in (("two-tone", 0.5506), ("rainbow", 0.3977)):
            assert sum(f.weight for f in flops if f.suits == kind) / FLOPS == pytest.approx(share, abs=0.03)
    assert flops_of(1755) == all_flops()
    with pytest.raises(InputError, match="There is no subset of 50 flops; there are 25, 49, 95, 184, and all 1,755"):
        flops_of(50)


def test_lists_of_flops() -> None:
    found = read_flops(["# mine", "", "Ks7h2d: 3", "Ah Kh Qh  # one"], "mine.txt")
    assert [(flop.text, flop.weight) for flop in found] == [("Ks 7h 2d", 0.75 * FLOPS), ("Ah Kh Qh", 0.25 * FLOPS)]
    assert found[0].cards == tuple(sorted(FULL_DECK.parse_cards("Ks7h2d"), reverse=True))


@pytest.mark.parametrize(
    ("lines", "wanted"),
    [
        (["Ks7h"], "mine, line 1: a flop has three different cards"),
        (["", "Ks7h7h"], "mine, line 2"),
        (["Ks7h2x"], "mine, line 1"),
        (["Ks7h2d: none"], "mine, line 1"),
        (["Ks7h2d:"], "the weight of a flop is a number above 0"),
        (["Ks7h2d: 0"], "the weight of a flop is a number above 0"),
        (["Ks7h2d: inf"], "the weight of a flop is a number above 0"),
        (["Ks7h2d: 1,5"], "the weight of a flop is a number above 0"),
        (["Ks7h2d: 1e308"], "the weight of a flop is a number above 0 and up to 1,000,000,000"),
        (["Ks7h2d", "2d Ks 7h"], "has a flop twice"),
        (["# nothing"], "has no flop in it"),
    ],
)
def test_faulty_lists(lines: list[str], wanted: str) -> None:
    with pytest.raises(InputError, match=wanted):
        read_flops(lines, "mine")
