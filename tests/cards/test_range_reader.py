"""The text of ranges: what is read, and what is refused, where and why."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from errai.cards.pair_table import equities_against_random
from errai.cards.ranges import Range
from errai.errors import RangeParseError


def same(text: str, *others: str) -> None:
    for other in others:
        assert Range.parse(text) == Range.parse(other), other


def test_classes() -> None:
    assert Range.parse("AA").num_hands == 6
    assert Range.parse("AKs").num_hands == 4
    assert Range.parse("AKo").num_hands == 12
    assert Range.parse("AK").num_hands == 16
    assert Range.parse("AhKh").num_hands == 1
    same("AK", "KA", "ak", "AKs,AKo", "AKo AKs")
    same("AhKd", "KdAh", "ahkd", "AHKD")


def test_plus() -> None:
    same("TT+", "TT,JJ,QQ,KK,AA")
    same("A2s+", "AKs,AQs,AJs,ATs,A9s,A8s,A7s,A6s,A5s,A4s,A3s,A2s")
    same("K9s+", "K9s,KTs,KJs,KQs")
    same("96s+", "96s,97s,98s")
    same("Q9+", "Q9,QT,QJ")
    same("T9s+", "T9s,JTs,QJs,KQs,AKs")
    same("KQo+", "KQo,AKo")
    same("AA+", "AA")
    same("AKs+", "AKs")


def test_runs() -> None:
    same("QQ-88", "88-QQ", "QQ - 88", "QQ,JJ,TT,99,88")
    same("A9s-A6s", "A6s-A9s", "A9s,A8s,A7s,A6s")
    same("AQ-AT", "AQ,AJ,AT")
    same("76s-54s", "54s-76s", "76s,65s,54s")
    same("T8o-86o", "T8o,97o,86o")
    same("AKs-AKs", "AKs")


def test_separators() -> None:
    same("AA,KK,QQ", "AA KK QQ", "AA\nKK\r\nQQ", " AA ,, KK,\n\tQQ, ", "QQ,KK,AA")
    assert Range.parse("") == Range.parse(" ,\n") == Range()


def test_ten() -> None:
    same("TT", "1010", "tt", "T10")
    same("ATs", "A10s", "a10S")
    same("ThTd", "10h10d")
    same("1010-88", "TT-88")
    same("TT:0.5", "1010:0.5")


def test_weights() -> None:
    same("AA:0.5", "AA: 0.5", "AA:.5", "AA:0.50", "AA:5e-1", "AA : 0.5", "AA :0.5", "AA\n: 0.5")
    same("KK : 0.5, QQ-JJ :0.25,66 : 1", "KK:0.5,QQ-JJ:0.25,66")
    same("AA 50 : KK", "AA, KK:0.5")
    same("AA:1", "AA", "AA:1.0", "AA:1.")
    same("AA:0", "")
    assert Range.parse("random:0.25").num_hands == 331.5
    assert Range.parse("QQ-JJ:0.5,T9s+:0.5").num_hands == 6 + 10


def test_a_later_weight_of_0_takes_hands_out() -> None:
    same("random,AA:0", "KK-22,A2+,K2+,Q2+,J2+,T2+,92+,82+,72+,62+,52+,42+,32")
    same("AK:0.5 AhKh:0", "AKo:0.5 AcKc:0.5 AdKd:0.5 AsKs:0.5")


def test_a_hand_may_occur_twice_with_the_same_weight() -> None:
    same("88-TT, 88", "88-TT")
    same("AK:0.5 AhKh:0.5", "AK:0.5")
    same("[50%]QQ+, AA[/50%]", "QQ+:0.5")


def test_every_hand_and_any_kicker() -> None:
    same("random", "any", "ANY", "Random", "100%", "22+,Ax,Kx,Qx,Jx,Tx,9x,8x,7x,6x,5x,4x,3x")
    same("Ax", "A2+", "ax", "AX")
    same("Kxs", "K2s+")
    same("10xo", "T2o+", "TxO")
    same("3x", "32")
    assert Range.parse("Ax").num_hands == 12 * 16
    assert Range.parse("Kxs").num_hands == 11 * 4
    same("Axs:0.5", "A2s+:0.5")


def test_weights_in_per_cent() -> None:
    same("AA:50%", "AA:0.5", "AA : 50%")
    same("AhKh:1%", "AhKh:0.01")
    same("AA:0%,KK:100%", "KK")
    same("20%:0.5", "50%: 20%", "[50%]20%[/50%]")
    same("75%: 20%", "[75%]20%[/75%]")
    same("80: 20%", "80%: 20%")


@pytest.mark.parametrize("percent", [0.1, 1, 5, 20, 33.3, 50, 99.9, 100])
def test_the_best_hands_have_the_weight_that_was_asked_for(percent: float) -> None:
    best = Range.parse(f"{percent}%")
    assert best.num_hands == pytest.approx(1326 * percent / 100, abs=1e-9)
    # One class at most has a part of its weight, and none outside is better than one inside.
    grid, equity = best.grid(), equities_against_random()
    assert np.count_nonzero((grid > 0) & (grid < 1)) <= 1
    assert equity[best.weights > 0].min() > equity[best.weights < 1].max(initial=0) - 1e-12


def test_the_best_hands_by_name() -> None:
    # The order by equity against a random hand begins so in every published table of them.
    best = [6, 12, 18, 24, 30, 36, 42, 46, 52, 56, 60, 72]
    named = ["AA", "KK", "QQ", "JJ", "TT", "99", "88", "AKs", "77", "AQs", "AJs", "AKo"]
    for i, hands in enumerate(best):
        found = Range.parse(f"{100 * hands / 1326:.12f}%")
        assert np.abs(found.weights - Range.parse(",".join(named[: i + 1])).weights).max() < 1e-9
    outer, inner = Range.parse("20%"), Range.parse("5%")
    assert Range.parse("5%-20%") == Range.parse("20% - 5%")
    assert np.abs(Range.parse("5%-20%").weights - (outer.weights - inner.weights)).max() < 1e-12


def test_groups_of_flopzilla_and_gto_plus() -> None:
    same("[25%]AKs[/25%]", "AKs:0.25", "[25]AKs[/25]", "[25.0]AKs[/25.0]", "[ 25 % ] AKs [ / 25.00 % ]")
    same("AA,[25%]AKs, QQ-JJ[/25%],TT", "AA,AKs:0.25,QQ-JJ:0.25,TT")
    same("AA[50%]KK[/50%][25.5%]QQ[/25.5%]JJ", "AA KK:0.5 QQ:0.255 JJ")
    same("[33.3%]AA[/33.3%]", "AA:0.333")


def test_marks_of_equilab() -> None:
    same("75: AQo-ATo", "AQo-ATo:0.75")
    same("100: AA, AKs, 75: AQs, 50: AJs, 25: ATs", "AA,AKs,AQs:0.75,AJs:0.5,ATs:0.25")
    same("KK 50%: AA, 37.5: AKs", "KK,AA:0.5,AKs:0.375")
    same("75:\nAA\nKK\n\n20:\nQQ", "AA:0.75,KK:0.75,QQ:0.2")


def test_numbers_that_are_hands_as_well() -> None:
    same("66: AQo", "AQo:0.66")
    same("72: 22+", "22+:0.72")
    same("75: 1010", "TT:0.75")
    same("66:1,72:0.5,A2s", "66,72s:0.5,72o:0.5,A2s")
    same("66: 0.5", "66:0.5")
    same("66:0 AA", "AA")
    same("50: 66", "66:0.5")


@pytest.mark.parametrize(
    ("text", "column", "expected"),
    [
        ("AZ", 2, "rank"),
        ("2x", 1, "lower than a 2"),
        ("Axx", 3, "comma"),
        ("Ax+", 3, "comma"),
        ("xA", 1, "such as AKs"),
        ("20", 2, "rank"),
        ("0%", 1, "are none"),
        ("20%-20%", 1, "are none"),
        ("120%", 1, "0 to 100"),
        ("20%-120%", 5, "0 to 100"),
        ("20%x", 4, "comma"),
        ("20%, AA:0.5", 6, "occurs twice"),
        ("66:50%", 1, "write 66:0.5"),
        ("AA, 75 : 20%", 5, "or 75%: 20%"),
        ("AA:50", 4, "such as 25%"),
        ("AA:150%", 4, "0 to 1"),
        ("AA:1e1%", 4, "0 to 1"),
        ("X", 1, "such as AKs"),
        ("AA,;KK", 4, "such as AKs"),
        ("A", 2, "the end of the text"),
        ("AA,KK!", 6, "comma"),
        ("AAKK", 3, "comma"),
        ("AKsQQ", 4, "comma"),
        ("AAs", 3, "expected AA"),
        ("AhK", 4, "suit"),
        ("AhKx", 4, "suit"),
        ("AhAh", 3, "different"),
        ("AhKh+", 5, "comma"),
        ("AhKh-AhQh", 5, "comma"),
        ("QQ-", 4, "such as AKs"),
        ("QQ-AKs", 1, "kind"),
        ("AKs-ATo", 1, "kind"),
        ("AKs-AT", 1, "without s or o"),
        ("AKs-72s", 1, "same distance"),
        ("QQ-AT", 1, "same distance"),
        ("A5s-K3s", 1, "same first rank"),
        ("AA:", 4, "0 to 1"),
        ("AA:x", 4, "0 to 1"),
        ("AA:1.5", 4, "0 to 1"),
        ("AA:-0.5", 4, "0 to 1"),
        ("AA:nan", 4, "0 to 1"),
        ("AA:0.5x", 7, "comma"),
        ("AA:0.5:0.5", 7, "comma"),
        ("AA+:2", 5, "0 to 1"),
        ("[25%]AA", 1, "[/25%]"),
        ("[25%]AA[/30%]", 8, "[/25%]"),
        ("AA[/25%]", 3, "not opened"),
        ("[25%][/25%]", 6, "inside the group"),
        ("[25%][50%]AA[/50%][/25%]", 6, "inside another"),
        ("[25%]AA:0.5[/25%]", 8, "second"),
        ("[125%]AA[/125%]", 2, "0 to 100"),
        ("[x]AA", 1, "[25%]"),
        ("[25%", 1, "[25%]"),
        ("75:", 1, "after this weight"),
        ("75: 50: AA", 1, "after this weight"),
        ("75: AA:0.5", 7, "second"),
        ("75: [50%]AA[/50%]", 5, "mixed"),
        ("[50%]75: AA[/50%]", 6, "mixed"),
        ("175: AA", 1, "0 to 100"),
        ("66:100", 4, "0 to 1"),
        ("randomly", 7, "comma"),
        ("anyhow", 4, "comma"),
        ("AA:0.5%", 4, "0.5 if that is meant, or 0.005"),
        ("AA : x", 5, "0 to 1"),
        ("AA : , KK", 5, "0 to 1"),
        ("88-TT, 88:0.5", 8, "8d8c occurs twice, with the weight 1 before and 0.5 here"),
        ("AA:0, AA", 7, "AdAc occurs twice, with the weight 0 before and 1 here"),
        ("AK:0.5 AhKh", 8, "AhKh occurs twice"),
        ("AhKh AK:0.5", 6, "AhKh occurs twice"),
        ("random:0.5, 75: 22", 17, "2d2c occurs twice, with the weight 0.5 before and 0.75 here"),
        ("5: ", 1, "after this weight"),
    ],
)
def test_wrong_text_names_column_and_expectation(text: str, column: int, expected: str) -> None:
    with pytest.raises(RangeParseError) as caught:
        Range.parse(text)
    assert caught.value.line is None
    assert (caught.value.column, expected in caught.value.message) == (column, True), str(caught.value)


def test_wrong_text_on_a_later_line() -> None:
    with pytest.raises(RangeParseError, match="oop, line 3, column 4") as caught:
        Range.parse("AA,KK\nQQ\nJJ,1x", source="oop")
    assert (caught.value.line, caught.value.column) == (3, 4)


ALPHABET = "AKQJT98765432akqjtcdhsoCDHSO10.:%[]/+-, \n random" + "xé№\x00٣"


def damaged(rng: random.Random) -> str:
    """A text near the grammar: a valid one with a few characters replaced, removed, doubled or added."""
    base = rng.choice(
        [
            "66+,A8s+,A5s-A4s,AJo+,K9s+:0.5",
            "[25%]AKs, QQ[/25%] JJ",
            "100: AA, AKs, 75: AQo-ATo",
            "AhKh:0.25\n1010,random:0.1",
            "76s-54s KQo+:1e-3",
            "".join(rng.choices(ALPHABET, k=rng.randint(1, 30))),
        ]
    )
    for _ in range(rng.randint(1, 5)):
        at = rng.randint(0, len(base))
        base = base[:at] + rng.choice(["", *ALPHABET, base[:at]]) + base[at + rng.randint(0, 2) :]
    return base


def refuse(number: int, seed: int) -> None:
    """Read damaged texts until so many were wrong; each must answer with the typed error and its place."""
    rng = random.Random(seed)
    wrong = 0
    while wrong < number:
        text = damaged(rng)
        error = None
        try:
            weights = Range.parse(text).weights
        except RangeParseError as caught:
            error = caught
        if error is None:
            assert ((weights >= 0) & (weights <= 1)).all()
            continue
        wrong += 1
        line = text.split("\n")[error.line - 1] if error.line else text
        assert error.column is not None
        assert 1 <= error.column <= len(line) + 1


def test_wrong_texts_get_typed_errors() -> None:
    refuse(2_000, seed=1)


@pytest.mark.slow
def test_a_hundred_thousand_wrong_texts_get_typed_errors() -> None:
    refuse(100_000, seed=2)


@given(st.text() | st.text(alphabet=ALPHABET))
@settings(max_examples=300)
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        made = Range.parse(text)
    except RangeParseError:
        return
    assert Range.parse(made.text()) == made
