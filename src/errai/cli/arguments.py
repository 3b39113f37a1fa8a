"""The arguments of the verbs: how they are declared, in a line each, and how their values are read."""

from __future__ import annotations

import argparse
import contextlib
import math
import os
import re
from collections.abc import Callable
from functools import partial
from importlib import import_module
from textwrap import wrap
from typing import Any, NoReturn

from errai.errors import InputError
from errai.options import MOST_AT_ONCE, OPTIONS, Option, declared, default_text

BOARD = "the cards of the board instead of those of the spot, such as 'Ks 7h 2d'"
"""What a verb says of ``--board`` for a spot."""

SUBJECT = "a game of the catalogue (see `errai games`), a .game file, or a spot (.toml, or a name of `errai library`)"
"""What a verb says of an argument that is a game or a spot."""

SOLVED = "a solution (.errai), the folder of a run, or a blueprint by file or name"
"""What a verb says of an argument whose nodes it looks at."""

GAME = "a game of the catalogue (see `errai games`) or a .game file"
"""What a verb says of an argument that is a whole game."""

Options = argparse.Namespace
"""The values of a verb's arguments, by their names."""

_QUANTITY = re.compile(r"(\d[\d_]*(?:\.\d*)?|\.\d+)\s*([A-Za-z]*)")
_WRITTEN = ("output", "checkpoint", "log", "history", "session", "png", "svg")
"""Names of options whose files are written."""

_INTERVAL = re.compile(r"(\d+\.?\d*|\.\d+|)%?:(\d+\.?\d*|\.\d+|)%?")
_THOUSANDS = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}
_BYTES = {
    **{f"{prefix}{end}": number for prefix, number in _THOUSANDS.items() for end in ("", "B")},
    **{f"{prefix}I{end}": 1024**power for power, prefix in enumerate("KMGT", 1) for end in ("", "B")},
}


class UsageError(Exception):
    """The arguments are wrong; ``usage`` is the usage line that is shown with the message."""

    def __init__(self, message: str, usage: str) -> None:
        super().__init__(message)
        self.usage = usage


class _Formatter(argparse.HelpFormatter):
    """Help in which lines end between words only, and in which lists and examples of a description keep their lines.

    argparse would also cut a name such as ``hs-pcfr+-15`` at its hyphens.
    """

    def _split_lines(self, text: str, width: int) -> list[str]:
        return wrap(" ".join(text.split()), width, break_on_hyphens=False, break_long_words=False)

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        paragraphs = (
            part if re.search(r"^ |\S   ?\S|:$", part, re.MULTILINE) else "\n".join(self._split_lines(part, width))
            for part in text.split("\n\n")
        )
        return "\n\n".join(paragraphs)


class Parser(argparse.ArgumentParser):
    """A parser that raises an error instead of ending the process, so that ``main`` alone decides what is printed."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(formatter_class=_Formatter, allow_abbrev=False, **settings)
        # So that -1%pot and -5bb are values, of which the verb says what is wrong, as -1 is, and not options.
        self._negative_number_matcher = re.compile(r"^-[\d.]")

    def error(self, message: str) -> NoReturn:
        raise UsageError(message, self.format_usage())


def add_verb(verbs: Any, name: str, aliases: tuple[str, ...] = (), within: str = "") -> None:
    """Add a verb, or a verb ``within`` another one, to a parser.

    Its module says in its first line what it does, and then, up to the end of its docstring, what ``--help`` says of
    it; ``add_arguments`` declares its arguments, and ``run`` runs it.
    """
    module = import_module(f"errai.cli.{within}{name.replace('-', '_')}")
    module.add_arguments(described_verb(verbs, name, module.__doc__ or " ", getattr(module, "run", None), aliases))


def described_verb(verbs: Any, name: str, text: str, run: Any, aliases: tuple[str, ...] = ()) -> Arguments:
    """Add a verb to a parser, described by the first line and the rest of a text, and return its arguments."""
    first, _, rest = text.strip().partition("\n\n")
    first = f"{first[0].lower()}{first[1:]}".rstrip(".")
    parser = verbs.add_parser(name, help=first, description=rest or None, aliases=aliases)
    arguments = Arguments(parser)
    if run is not None:
        parser.set_defaults(run=partial(_run_checked, run, arguments))
    return arguments


def _run_checked(run: Callable[[Options], int], declared: Arguments, options: Options) -> int:
    """Run a verb.

    Raises :class:`InputError` for an argument that is given without the one that it needs, for an empty name of what is
    to be read, for an option that names the same file, and for two that are written to one: nothing is to be
    overwritten by a slip.
    """
    for name, other in declared.needs.items():
        if getattr(options, name) not in (None, False) and not getattr(options, other):
            flag, needed = (declared.flags[each] for each in (name, other))
            raise InputError(f"{flag} needs {needed}; add it, or leave {flag} out.")
    read = [text for name in declared.inputs for text in _texts(getattr(options, name))]
    if "" in read:
        raise InputError("An argument is an empty text; give the name of a file there, or of a game.")
    for name in declared.files:
        for text in _texts(getattr(options, name)):
            if any(_same_file(text, other) for other in read):
                flag = declared.flags[name]
                raise InputError(f"{text} is what the command reads already; give another file with {flag}.")
    written = [text for name in _WRITTEN for text in _texts(getattr(options, name, None)) if text]
    if len({os.path.abspath(text) for text in written}) < len(written):
        raise InputError(f"Two things are to be written to one file, of {', '.join(written)}; name another.")
    return run(options)


def _texts(value: Any) -> list[str]:
    """Return the texts among the value or the values of an argument."""
    return [text for text in (value if isinstance(value, list) else [value]) if isinstance(text, str)]


def _same_file(first: str, second: str) -> bool:
    """Return whether two names are of one file that exists."""
    with contextlib.suppress(OSError, ValueError):
        return os.path.samefile(first, second) and os.path.isfile(first)
    return False


class Arguments:
    """The arguments of a verb or of a group: each call adds one."""

    def __init__(self, parser: Any, within: Arguments | None = None) -> None:
        self._parser = parser
        self.needs: dict[str, str] = {} if within is None else within.needs
        """By the name of an argument, that of the one without which it says nothing."""
        self.flags: dict[str, str] = {} if within is None else within.flags
        """By the name of an option, what is written for it, such as ``--output``."""
        self.files: list[str] = [] if within is None else within.files
        """Names of the options that name files."""
        self.inputs: list[str] = [] if within is None else within.inputs
        """Names of the arguments that must be given: games, solutions, files to read."""

    def __call__(
        self,
        spec: str,
        help: str,
        kind: Callable[[str], Any] | None = None,
        default: Any = None,
        needs: str = "",
        **more: Any,
    ) -> None:
        """Add an argument.

        ``spec`` has its name and the letter that stands for its value: ``--hands N``, ``-o --output FILE``, or ``game
        GAME``; an option without a letter and without choices is a switch.  ``kind`` reads the value, by default what
        :data:`KINDS` says of the letter.  Giving it without the argument that it ``needs`` is an error.
        """
        words = spec.split()
        letter = words.pop() if words[-1].isupper() else None
        if letter is not None:
            more.setdefault("metavar", letter)
        elif words[0].startswith("-") and "choices" not in more and "nargs" not in more:
            more.setdefault("action", "store_true")
        if more.get("action") != "store_true" and (kind := kind or KINDS.get(letter or "")) is not None:
            more["type"] = kind
        if "nargs" not in more and "(default" not in help:
            help += default_text(default)
        if default is not None:
            more["default"] = default
        added = self._parser.add_argument(*words, help=help.replace("%", "%%"), **more)
        if words[0].startswith("-"):
            self.flags[added.dest] = words[-1]
            self.files += [added.dest] if letter in ("FILE", "PLACE", "TABLE") else []
        elif added.nargs in (None, "+"):
            self.inputs.append(added.dest)
        if needs:
            self.needs[added.dest] = needs

    def group(self, title: str) -> Arguments:
        """Return a group of arguments with a title."""
        return Arguments(self._parser.add_argument_group(title), self)

    def one_of(self, *, required: bool = False) -> Arguments:
        """Return a group of arguments of which at most one may be given."""
        return Arguments(self._parser.add_mutually_exclusive_group(required=required), self)

    def verbs(self) -> Any:
        """Return where verbs within this one are added."""
        return self._parser.add_subparsers(title="what to do", metavar="WHAT", required=True)

    def solve(self, *names: str, needs: str = "") -> None:
        """Add options of :func:`errai.solve`, as they are declared there."""
        for name in names:
            self._add(name, OPTIONS[name], OPTIONS[name].short_text, needs=needs)

    def declared(self, group: type, *names: str) -> None:
        """Add the options of a group of :mod:`errai.options`, or those of them that are named."""
        options = {name: option for name, (_, option) in declared(group).items() if option.is_argument}
        for name in names or options:
            self._add(name, options[name], options[name].help, options[name].default)

    def _add(self, name: str, option: Option, help: str, default: Any = None, needs: str = "") -> None:
        needs = needs or ("checkpoint" if name == "resume" else "")
        flag = (option.flag or name).replace("_", "-")
        kind = number_at_once if name in ("threads", "processes") else KINDS.get(option.kind)
        self(f"--{flag} {option.letter}", help, kind, default, needs)

    def line(self, what: str) -> None:
        """Add a line of play as the last argument: one word or many, with or without quotation marks.

        The values have it as ``line``.
        """
        self("words LINE", what, nargs="*", default=[])

    def json(self) -> None:
        """Add ``--json``."""
        self("--json", "write one JSON document to standard output and nothing else")

    def progress(self) -> None:
        """Add ``--quiet`` and ``--progress``, of which at most one may be given, and ``--json``."""
        one = self.one_of()
        one("--quiet", "show no progress and no summary")
        one("--progress", "show progress even if standard error is not a terminal")
        self.json()

    def seed(self, what: str = "random seed", default: int = 0) -> None:
        """Add ``--seed``."""
        self("--seed N", what, natural_number, default)

    def whole(self) -> None:
        """Add ``--whole``, with which a large file of a solution is read as a whole."""
        self("--whole", "read and check all of a large file, and evaluate whatever is asked for")

    def pictures(self, *, named: bool = False) -> None:
        """Add ``--png`` and ``--svg``; the name of the file may be left out unless it must be ``named``."""
        for kind in ("png", "svg"):
            more: dict[str, Any] = {} if named else {"nargs": "?", "const": ""}
            self(f"--{kind} FILE", f"write a picture ({kind.upper()})", **more)


def _quantity(text: str, units: dict[str, int], what: str) -> float:
    """Read a number above 0 with one of some units, or without one where the units have the empty text."""
    match = _QUANTITY.fullmatch(text.strip())
    quantity = float(match[1].replace("_", "")) * units.get(match[2].upper(), 0) if match else 0.0
    if not 0 < quantity < math.inf:
        raise argparse.ArgumentTypeError(f"{text!r} is not {what}")
    return quantity


def memory_bytes(text: str) -> int:
    """Read an amount of memory such as 4GiB, 500MB or 1073741824, for argparse; K is 1000 and Ki is 1024.

    A number below 1,024 without a unit is refused: whoever writes 4 means no bytes.
    """
    what = "an amount of memory; write it as 4GiB or 500MB"
    amount = _quantity(text, _BYTES, what)
    if amount < 1024 and text.strip().isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is not {what}")
    return int(amount)


def positive_seconds(text: str) -> float:
    """Read a time limit, in seconds or with a unit (90s, 10min, 2h), for argparse."""
    return _quantity(text, {"": 1, "S": 1, "MIN": 60, "H": 3600}, "a time; write seconds, or 90s, 10min, 2h")


def positive_integer(text: str) -> int:
    """Read a whole number of at least 1, for argparse; 10_000 and 1e6 are allowed."""
    try:
        value = float(text) if "e" in text.lower() else int(text)
    except ValueError:
        value = 0
    if not 1 <= value <= 2**53 or value != int(value):
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number of at least 1")
    return int(value)


def number_at_once(text: str) -> int:
    """Read a number of threads or processes, for argparse."""
    value = positive_integer(text)
    if value > MOST_AT_ONCE:
        raise argparse.ArgumentTypeError(f"{text!r} is too many; at most {MOST_AT_ONCE:,} can be asked for")
    return value


def natural_number(text: str) -> int:
    """Read a whole number of at least 0 that fits into 63 bits, for argparse."""
    with contextlib.suppress(ValueError):
        if 0 <= (value := int(text)) < 2**63:
            return value
    raise argparse.ArgumentTypeError(f"{text!r} is not a whole number of at least 0")


def port_number(text: str) -> int:
    """Read the number of a port, for argparse."""
    with contextlib.suppress(ValueError):
        if 0 <= (value := int(text)) < 1 << 16:
            return value
    raise argparse.ArgumentTypeError(f"{text!r} is no port; ports are whole numbers up to 65535")


def positive_number(text: str) -> float:
    """Read a finite number above 0, for argparse."""
    with contextlib.suppress(ValueError):
        if 0 < (value := float(text)) < math.inf:
            return value
    raise argparse.ArgumentTypeError(f"{text!r} is not a number above 0")


def number_of_at_least_0(text: str) -> float:
    """Read a finite number of at least 0, for argparse."""
    with contextlib.suppress(ValueError):
        if 0 <= (value := float(text)) < math.inf:
            return value
    raise argparse.ArgumentTypeError(f"{text!r} is not a number of at least 0")


def equity_interval(text: str) -> tuple[float, float]:
    """Read an interval of equities in per cent such as 0:40%, :40% or 60%:, for argparse; returns parts of 1.

    Without a sign for per cent, bounds that are both at most 1 are refused: they may be meant as parts of 1.
    """
    match = _INTERVAL.fullmatch(text.replace(" ", "")) if text.strip() != ":" else None
    low, high = (float(match[1] or 0), float(match[2] or 100)) if match else (1.0, 0.0)
    if not low < high <= 100.0 or (high <= 1.0 and "%" not in text):
        raise argparse.ArgumentTypeError(
            f"{text!r} is not an interval of equities in per cent; write it as 0:40% or 60%:"
        )
    return low / 100.0, high / 100.0


def rate_number(text: str) -> float:
    """Read a rate such as 40M, 0.79M, 2.5G or 400_000, for argparse; k, M, G and T are powers of 1000."""
    return _quantity(text, _THOUSANDS, "a rate; write it as 40M or 0.79M")


KINDS: dict[str, Callable[[str], Any]] = {
    "N": positive_integer,
    "S": positive_seconds,
    "SIZE": memory_bytes,
    **dict.fromkeys(("X", "P", "H", "BB", "CHIPS"), positive_number),
    "count": positive_integer,
    "number": positive_number,
    "seconds": positive_seconds,
    "bytes": memory_bytes,
    "seed": natural_number,
}
"""What reads a value, by the letter that stands for it or by the kind of a declared option; others are texts."""
