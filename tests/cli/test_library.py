"""`errai library`, and spots by name with ``--board``."""

from __future__ import annotations

from errai.cards.ranges import Range


def test_the_list_and_what_a_name_stands_for(errai, tmp_path, monkeypatch):
    (tmp_path / "charts").mkdir()
    (tmp_path / "charts" / "mine.toml").write_text('[ranges]\n"BTN open" = "20%"\n')
    (tmp_path / "charts" / "broken.toml").write_text("[[chart]]\n")
    monkeypatch.setenv("ERRAI_LIBRARY", str(tmp_path))
    found = errai("library", "--json").document()
    assert {"name": "btn-vs-bb-srp", "title": "Button against big blind, single-raised pot", "own": False} in found[
        "spots"
    ]
    assert {"name": "@mine/BTN open", "own": True} in found["ranges"]
    assert found["charts"] == ["broken", "heads-up", "mine", "six-handed"]
    listed = errai("library")
    assert "btn-vs-bb-srp" in listed.out
    assert "broken cannot be read" in listed.err
    assert errai("library", "btn-vs-bb-srp").printed().startswith("# Six-handed")
    assert "[[chart]]" in errai("library", "six-handed", "--json").document()["text"]
    held = errai("library", "@mine/btn open", "--json").document()
    assert (Range.parse(held["range"]).num_hands, held["hands"]) == (265.2, 265.2)
    assert errai("library", "@mine/btn open").printed().strip() == held["range"]
    assert "lists what it has" in errai("library", "nothing").refusal()


def test_a_spot_by_name_on_a_board(errai):
    found = errai("estimate", "btn-vs-bb-srp", "--board", "Qs9h4d2c3h", "--json").document()
    assert found["game"] == "Button against big blind, single-raised pot, Qs 9h 4d 2c 3h"
    assert found["boards"] == [1]
    solved = errai("solve", "btn-vs-bb-srp", "--board", "Qs 9h 4d 2c 3h", "--json").document()
    assert solved["status"] == "target met"
    assert "--board is for spots" in errai("solve", "kuhn", "--board", "Ks7h2d").refusal()
    assert "5 cards" in errai("solve", "btn-vs-bb-srp", "--board", "Ks7h").refusal()


def test_a_named_range_in_an_option(errai, folder):
    asked = ("query", folder / "turn.errai", "--json", "--hand")
    held = errai("library", "@six-handed/bb-vs-btn-3bp/BTN").printed().strip()
    named = errai(*asked, "@six-handed/bb-vs-btn-3bp/BTN").document()
    assert named["hands"] == errai(*asked, held).document()["hands"]
    assert named["hands"]
    assert "no charts 'nine'" in errai(*asked, "@nine/x").err


def test_a_library_that_is_not_there(errai, tmp_path, monkeypatch):
    monkeypatch.setenv("ERRAI_LIBRARY", str(tmp_path / "nowhere"))
    listed = errai("library")
    assert "btn-vs-bb-srp" in listed.printed()
    assert "nowhere', which ERRAI_LIBRARY names" in listed.err
