from __future__ import annotations

import argparse

import pytest

from errai.cli.arguments import memory_bytes, natural_number, positive_integer, positive_seconds
from errai.cli.inputs import load_solution, load_subject, output_path
from errai.cli.size import count_text
from errai.console import bytes_text, seconds_text
from errai.errors import ErraiError, ForeignFileError, InputError


@pytest.mark.parametrize(
    ("text", "count"),
    [("4GiB", 4 << 30), ("1.5 gib", 3 << 29), ("500MB", 500_000_000), ("1024", 1024), ("2K", 2000), ("1kib", 1024)],
)
def test_memory(text, count):
    assert memory_bytes(text) == count


@pytest.mark.parametrize("text", ["", "4XB", "-1GiB", "0", "GiB", "1e9", "nan"])
def test_wrong_memory(text):
    with pytest.raises(argparse.ArgumentTypeError, match="4GiB"):
        memory_bytes(text)


def test_times():
    assert positive_seconds("90") == 90
    assert positive_seconds("1.5h") == 5400
    assert positive_seconds("10min") == 600
    for text in ("", "0", "-3", "3 days", "inf", "."):
        with pytest.raises(argparse.ArgumentTypeError):
            positive_seconds(text)


def test_whole_numbers():
    assert positive_integer("1e6") == 1_000_000
    assert positive_integer("10_000") == 10_000
    assert natural_number("0") == 0
    for text in ("0", "-1", "1.5", "x", "inf", "nan", "1e99", ""):
        with pytest.raises(argparse.ArgumentTypeError):
            positive_integer(text)
    for text in ("-1", "1.5", "x", str(2**63)):
        with pytest.raises(argparse.ArgumentTypeError):
            natural_number(text)


def test_games_by_name_and_file(tmp_path):
    kuhn = load_subject("kuhn")
    path = tmp_path / "mine.game"
    path.write_text(kuhn.to_text())
    assert load_subject(str(path)).digest() == kuhn.digest()
    unnamed = tmp_path / "rules"
    unnamed.write_text(kuhn.to_text())
    assert load_subject(str(unnamed)).digest() == kuhn.digest()


def test_wrong_subjects(tmp_path):
    binary = tmp_path / "x.toml"
    binary.write_bytes(bytes(range(256)))
    binary_game = tmp_path / "x.game"
    binary_game.write_bytes(bytes(range(256)))
    (tmp_path / "folder.toml").mkdir()
    cases = {
        str(tmp_path): "is a directory",
        str(tmp_path / "folder.toml"): "is a directory",
        str(tmp_path / "none.toml"): "none.toml",
        str(tmp_path / "none.game"): "There is no file",
        "poker": "There is no game",
        str(binary): "x.toml",
        str(binary_game): "x.game",
        "spot.errai": "is a solution",
        "a\0b": "There is no game",
        "": "There is no game|is a directory",
    }
    for text, wanted in cases.items():
        with pytest.raises(ErraiError, match=wanted):
            load_subject(text)


def test_wrong_solutions(tmp_path):
    spot = tmp_path / "a.toml"
    spot.write_text("pot = 1")
    junk = tmp_path / "a.errai"
    junk.write_bytes(bytes(range(256)))
    with pytest.raises(InputError, match="is a directory"):
        load_solution(str(tmp_path))
    with pytest.raises(InputError, match="There is no file"):
        load_solution(str(tmp_path / "none.errai"))
    with pytest.raises(InputError, match="kuhn is a game; solve it first"):
        load_solution("kuhn")
    with pytest.raises(ForeignFileError, match="solve it first"):
        load_solution(str(spot))
    with pytest.raises(ErraiError, match=r"a\.errai"):
        load_solution(str(junk))


def test_output_paths(tmp_path):
    assert output_path(None) is None
    assert output_path(str(tmp_path / "a.png"), suffix=".png") == tmp_path / "a.png"
    with pytest.raises(InputError, match="is a directory"):
        output_path(str(tmp_path))
    with pytest.raises(InputError, match="There is no folder"):
        output_path(str(tmp_path / "no" / "a.png"))
    with pytest.raises(InputError, match=r"end in \.png"):
        output_path(str(tmp_path / "a.jpg"), suffix=".png")


def test_counts_and_units():
    assert count_text(123456) == "123,456"
    assert count_text(10**164 * 631144 // 10**5) == "6.31144e164"
    assert count_text(10**30 - 1) == "1.00000e30"
    assert bytes_text(0) == "0 bytes"
    assert bytes_text(1536 << 20) == "1.5 GiB"
    assert [seconds_text(s) for s in (0.0123, 3.44, 320, 11100, 4e5)] == [
        "12.3 ms",
        "3.44 s",
        "5 min 20 s",
        "3 h 05 min",
        "4.6 days",
    ]


def test_a_checkpoint_must_be_no_other_file(errai, folder, tmp_path):
    spot = tmp_path / "river1.toml"
    spot.write_text((folder / "turn.toml").read_text())
    for more in ((), ("--resume",)):
        refused = errai("solve", "kuhn", "--checkpoint", spot, *more).refusal()
        assert "already that is no checkpoint; choose another name" in refused
        assert "delete" not in refused
    assert "no checkpoint" in errai("solve", spot, "--checkpoint", folder / "turn.errai").refusal()
    assert spot.read_text() == (folder / "turn.toml").read_text()


def test_a_line_needs_no_quotation_marks(errai, folder):
    quoted = errai("show", folder / "turn.errai", "check bet 50", "--hand", "AhKd").out
    assert errai("show", folder / "turn.errai", "check", "bet", "50", "--hand", "AhKd").out == quoted
    assert errai("show", folder / "turn.errai", "check", "--hand", "AhKd", "bet", "50").out == quoted
    assert "unrecognized arguments: --hnd" in errai("show", folder / "turn.errai", "check", "--hnd", "bet").err
    assert "unrecognized arguments: extra" in errai("verify", folder / "turn.errai", "extra").err
