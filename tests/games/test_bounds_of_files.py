"""Files that ask for far too much memory or time are refused at once."""

from __future__ import annotations

import resource
import subprocess
import sys
import time

import pytest

import errai
from errai.errors import ErraiError, GameDefinitionError, LockError, SpotSyntaxError, TreeTooLargeError
from errai.games.catalogue import parse_game
from errai.games.lock_file import parse_locks
from errai.games.size import count_betting, game_size
from errai.games.spot import parse_spot
from errai.games.text_files import MOST_PARTS, read_toml
from errai.tree.betting_tree import NodeKind, build_betting_tree

MANY = ".".join("a" * 20_000)

LONG_KEYS = {
    "bare": f"{MANY} = 1",
    "header": f"[{MANY}]",
    "spaces": " . ".join("a" * 20_000) + " = 1",
    "quoted": ".".join(['"a b"'] * 20_000) + " = 1",
    "inline": f"x = {{ {MANY} = 1 }}",
    "after a string": f'x = "a \\" b" # a.b\n{MANY} = 1',
}
DEEP = {"lists": "x = " + "[" * 20_000, "tables": "x = " + "{a=" * 20_000, "headers": "[" * 20_000}


LIMIT = """GAMEDEF
limit
numPlayers = 2
numRounds = 4
blind = 10 5
raiseSize = 10 10 20 20
numSuits = 4
numRanks = 13
numHoleCards = 2
numBoardCards = 0 3 1 1
END GAMEDEF
"""


@pytest.mark.parametrize("text", [*LONG_KEYS.values(), *DEEP.values()], ids=[*LONG_KEYS, *DEEP])
def test_toml_that_takes_gigabytes_is_refused_in_megabytes(text: str) -> None:
    code = (
        "import resource, sys\n"
        "from errai.errors import ErraiError\n"
        "from errai.games.spot import parse_spot\n"
        "from errai.games.lock_file import parse_locks\n"
        "from errai.arena.histories import phh\n"
        "text = sys.stdin.read()\n"
        "used = int(open('/proc/self/statm').read().split()[0]) * resource.getpagesize()\n"
        "resource.setrlimit(resource.RLIMIT_AS, (used + (100 << 20),) * 2)\n"
        "for read in (parse_spot, parse_locks):\n"
        "    try:\n"
        "        read(text)\n"
        "    except ErraiError as error:\n"
        "        print('refused:', error)\n"
        "print('refused:', phh.toml_table(text, 1))\n"
    )
    began = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    done = subprocess.run([sys.executable, "-c", code], input=text, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.count("refused:") == 3
    assert "parts" in done.stdout or "too deeply" in done.stdout
    assert resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - began < 10


def test_the_place_is_named_by_line() -> None:
    with pytest.raises(SpotSyntaxError, match="a key has more than 32 parts") as spot:
        parse_spot(f'title = "x"\n{MANY} = 1')
    with pytest.raises(LockError, match="a key has more than 32 parts") as locks:
        parse_locks(f"# a\n\n{MANY} = 1")
    assert (spot.value.line, locks.value.line) == (2, 3)


@pytest.mark.parametrize(
    "text",
    [
        ".".join("a" * MOST_PARTS) + " = 1",
        f'x = "{MANY}"',
        f"x = '{MANY}'",
        f'x = """\n{MANY}\n"""',
        f"x = '''\n{MANY}\n'''",
        f"# {MANY}\nx = 1",
        "x = " + "[" * MOST_PARTS + "]" * MOST_PARTS,
        "x = [" + ", ".join("[1.5]" for _ in range(1000)) + "]",
        'x = "' + "[" * 1000 + '"',
        "\n".join(f"a{i}.b.c = 1.5" for i in range(1000)),
    ],
)
def test_what_is_within_bounds_is_read_as_python_reads_it(text: str) -> None:
    import tomllib

    assert read_toml(text, "The spot", SpotSyntaxError) == tomllib.loads(text)


def test_a_definition_that_does_not_end_is_refused_with_its_line() -> None:
    cut = LIMIT.removesuffix("END GAMEDEF\n")
    with pytest.raises(GameDefinitionError, match="begins in line 1 does not end; add the line END GAMEDEF") as found:
        parse_game(cut)
    assert found.value.line == cut.count("\n") + 1
    assert parse_game(cut.removeprefix("GAMEDEF\n")).num_rounds == 4


def test_unbounded_limit_betting_is_refused_at_once() -> None:
    game = parse_game(LIMIT)
    for use in (game_size, lambda g: errai.solve(g, "1mbb"), errai.estimate):
        began = time.process_time()
        with pytest.raises(ErraiError, match="maxRaises"):
            use(game)  # type: ignore[operator]
        assert time.process_time() - began < 5


@pytest.mark.parametrize("caps", [(4, 4, 4, 4), (1, 2, 1, 3), (3, 0, 1, 0)])
def test_the_fewest_nodes_are_no_more_than_there_are(caps: tuple[int, ...]) -> None:
    text = LIMIT.replace("END", f"maxRaises = {' '.join(map(str, caps))}\nEND")
    for stack in ("", "stack = 60 60\n"):
        game = parse_game(text.replace("END", f"{stack}END"))
        count = errai.estimate(game).nodes
        tree = build_betting_tree(game, max_nodes=count)
        assert len(tree.kind) == count
        assert sum(betting.nodes for betting in count_betting(game)) == int((tree.kind == NodeKind.DECISION).sum())
        with pytest.raises(TreeTooLargeError):
            build_betting_tree(game, max_nodes=count - 1)
