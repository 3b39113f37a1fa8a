"""The grammar of names: ``KIND[:KEY=VALUE,...][:SOURCE]``."""

from __future__ import annotations

import pytest

from errai.errors import StrategyError
from errai.strategies.names import read_name


@pytest.mark.parametrize(
    ("text", "kind", "options", "source"),
    [
        ("uniform", "uniform", "", ""),
        ("by-strength:20", "by-strength", "", "20"),
        (" vexbot:search=miximix,decay=0.95 ", "vexbot", "search=miximix,decay=0.95", ""),
        ("solution:a,b.errai", "solution", "", "a,b.errai"),
        ("solution:translation=geometric:a:b.errai", "solution", "translation=geometric", "a:b.errai"),
        ("solution:./a=b.errai", "solution", "", "./a=b.errai"),
        ("resolver:solution:a.errai", "resolver", "", "solution:a.errai"),
        ("resolver:from=river,seconds=1:blueprint:a", "resolver", "from=river,seconds=1", "blueprint:a"),
        ("python:my.module:Class", "python", "", "my.module:Class"),
        ("acpc:./player game.game", "acpc", "", "./player game.game"),
        ("fold=0.1,call=0.4,raise=0.5", "", "fold=0.1,call=0.4,raise=0.5", ""),
        ("raise = 1", "", "raise = 1", ""),
    ],
)
def test_names_come_apart(text: str, kind: str, options: str, source: str) -> None:
    assert read_name(text)[1:] == (kind, options, source)


def test_options_are_read_and_checked() -> None:
    numbers, words = {"trials": (1, 10), "decay": (0.0, 1.0)}, {"model": ("off", "generic")}
    found = read_name("bot:trials=3, decay=1,model=off,menu=50%+a").read(numbers, words, ("menu",))
    assert found == {"trials": 3, "decay": 1.0, "model": "off", "menu": "50%+a"}
    assert type(found["trials"]) is int
    for text, message in (
        ("bot:trials=3,trials=3", "'trials' of bot is given twice"),
        ("bot:trials=2.5", r"'trials=2.5' is not an option of bot; its options are model=off\|generic, trials=1..10"),
        ("bot:trials=11", "1..10"),
        ("bot:model=all", "off"),
        ("bot:speed=1", "'speed=1' is not an option"),
        ("bot:trials=1,", "'' is not an option"),
        ("bot:menu=", "'menu=' is not an option"),
        ("bot:x.errai", "bot takes no 'x.errai'"),
    ):
        with pytest.raises(StrategyError, match=message):
            read_name(text).read(numbers, words, ("menu",))
    with pytest.raises(StrategyError, match="it has none"):
        read_name("bot:a=1").read()
    with pytest.raises(StrategyError, match="'bot' lacks its FILE; write bot:FILE"):
        read_name("bot").read(source="FILE")
    assert read_name("bot").read(source="[FILE]") == {}
