"""Spots, charts and ranges by name: the package's own, the user's, and names that are wrong."""

from __future__ import annotations

import pytest

import errai
from errai.cards.ranges import Range
from errai.errors import ChartError, RangeParseError, SpotFileError, SpotRangeError
from errai.games.charts import read_charts
from errai.games.library import library_files, named_ranges, read_hands
from errai.games.spot import parse_spot

CHARTS = """
[[chart]]
raises = 2
raiser = "SB"
ranges = { BTN = "TT-88, AQs", SB = "QQ+, AK" }

[[chart]]
raises = 0
ranges = { BB = "22+", CO = "55+" }

[ranges]
"BTN open 2.5bb" = "20%"
"""

SPOT = """
board = "Ks 7h 2d"
pot = 20
stack = 90
[ranges]
oop = "@mine/sb-vs-btn-3bp/SB"
ip = "@mine/BTN open 2.5bb"
[bets]
bet = "50%"
raise = ""
"""


@pytest.fixture
def own(tmp_path, monkeypatch):
    """A library of the user's."""
    for kind, text in (("charts", CHARTS), ("spots", SPOT)):
        (tmp_path / kind).mkdir()
        (tmp_path / kind / "mine.toml").write_text(text)
    monkeypatch.setenv("ERRAI_LIBRARY", str(tmp_path))
    return tmp_path


@pytest.mark.parametrize("name", library_files("spots"))
def test_spots_of_the_package_are_those_of_their_charts(name: str) -> None:
    spot = errai.load_spot(name)
    assert spot.title
    situation = name.removeprefix("heads-up-") if name.startswith("heads-up-") else ""
    charts = read_charts(library_files("charts")["heads-up" if situation else "six-handed"])
    chart = next(c for c in charts.charts if c.name == (f"btn-vs-bb-{situation}" if situation else name))
    # The order after the flop: the blinds act first, the button last.
    order = ["SB", "BB", "UTG", "HJ", "CO", "BTN"]
    first, second = sorted(chart.positions, key=order.index)
    assert spot.ranges == (Range.parse(chart.ranges[first]), Range.parse(chart.ranges[second]))
    assert spot.seats == (first, second)
    # What both put in before the flop, with the blinds of those who folded, is the pot.
    paid = 100 - spot.effective_stack
    folded = {"SB": 0.5, "BB": 1.0}
    dead = sum(blind for who, blind in folded.items() if who not in chart.positions) if not situation else 0.0
    assert spot.pot == pytest.approx(2 * paid + dead)


def test_names_of_the_user(own) -> None:
    spot = errai.load_spot("mine")
    assert spot.ranges == (Range.parse("QQ+, AK"), Range.parse("20%"))
    assert read_hands(" @mine/CO-vs-BB-limped/bb ") == Range.parse("22+")
    assert list(named_ranges(read_charts(own / "charts" / "mine.toml"))) == [
        "sb-vs-btn-3bp/BTN", "sb-vs-btn-3bp/SB", "co-vs-bb-limped/BB", "co-vs-bb-limped/CO", "BTN open 2.5bb",
    ]  # fmt: skip
    # A solution keeps the hands, so that it can be read where there is no library.
    assert "@" not in spot.to_toml()
    assert parse_spot(spot.to_toml()).digest() == spot.digest()


def test_own_files_come_before_those_of_the_package_and_files_before_names(own, monkeypatch) -> None:
    (own / "spots" / "btn-vs-bb-srp.toml").write_text(SPOT)
    assert errai.load_spot("btn-vs-bb-srp").pot == 20
    monkeypatch.chdir(own)
    (own / "btn-vs-bb-srp").write_text(SPOT.replace("pot = 20", "pot = 30"))
    assert errai.load_spot("btn-vs-bb-srp").pot == 30


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("@", "no charts ''"),
        ("@six", "no charts 'six'"),
        ("@six-handed", "no range ''"),
        ("@six-handed/btn-vs-bb-srp", "did you mean 'btn-vs-bb-srp/b"),
        ("@six-handed/btn-vs-bb-srp/CO", "no range 'btn-vs-bb-srp/CO'"),
        ("@../charts/six-handed/btn-vs-bb-srp/BB", "no charts '..'"),
        ("@six-handed/btn-vs-bb-srp/BB, AA:0", "no range"),
        ("AA, @six-handed/btn-vs-bb-srp/BB", "found '@'"),
    ],
)
def test_wrong_names(text: str, message: str) -> None:
    with pytest.raises(RangeParseError, match="column") as caught:
        read_hands(text)
    assert message in caught.value.message
    with pytest.raises(SpotRangeError, match="line 6"):
        parse_spot(SPOT.replace("@mine/sb-vs-btn-3bp/SB", text).replace("@mine/BTN open 2.5bb", "AA"))


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"BTN open 2.5bb"', '"BTN/open"', "cannot be named"),
        ('"BTN open 2.5bb"', '" BTN"', "cannot be named"),
        ('= "20%"', '= "200%"', "0 to 100"),
        ('= "20%"', "= 20", "The range"),
        ('= "20%"', '= "20%"\n"btn OPEN 2.5bb" = "AA"', "capital letters"),
        ('raiser = "SB"\nranges = {', 'raiser = "SB"\nranges = { CO = "AA",', "two of"),
    ],
)
def test_faulty_ranges_of_a_file(own, old: str, new: str, message: str) -> None:
    path = own / "charts" / "mine.toml"
    path.write_text(CHARTS.replace(old, new))
    with pytest.raises(ChartError, match=message):
        read_charts(path)
    with pytest.raises(RangeParseError, match="The charts of @mine/x cannot be read"):
        read_hands("@mine/x")


def test_a_name_that_nothing_has() -> None:
    with pytest.raises(SpotFileError, match="cannot be read"):
        errai.load_spot("no-such-spot")
    with pytest.raises(SpotFileError):
        errai.load_spot("../data/spots/btn-vs-bb-srp")


def test_a_spot_on_another_board() -> None:
    spot = errai.load_spot("btn-vs-bb-srp")
    placed = spot.on("Qs 9h 4d 2c")
    assert (placed.board_text, placed.pot, placed.first_round) == ("Qs 9h 4d 2c", 5.5, 2)
    assert placed.on("Ks7h2d 2c").to_dict()["bets"]["turn"] == spot.to_dict()["bets"]["turn"]
    with pytest.raises(errai.errors.SpotBoardError):
        spot.on("Qs Qs 4d")
