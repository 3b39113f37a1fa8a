"""The entry point of the ``errai`` command: it reads the arguments, runs one verb, and reports errors in one sentence.

Nothing heavy is imported until a verb needs it, so that help is shown at once.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

from errai.cli.arguments import Parser, UsageError, add_verb
from errai.cli.output import (
    ERROR,
    OK,
    SHORT,
    STANDARD_OUTPUT,
    USAGE,
    drop_output,
    error_document,
    harmless,
    standard_streams,
    version,
    write_json,
)
from errai.errors import ErraiError, SolverOptionError, StoppedError, StrategyError, TargetError, file_error

VERBS = (
    "solve",
    "show",
    "note",
    "runouts",
    "query",
    "compare",
    "report",
    "chart",
    "preflop",
    "verify",
    "export",
    "solved",
    "lock",
    "resolve",
    "exploitability",
    "exploit",
    "serve",
    "play",
    "match",
    "dealer",
    "agent",
    "lbr",
    "standings",
    "histories",
    "review",
    "drill",
    "abstract",
    "train",
    "nets",
    "size",
    "estimate",
    "plan",
    "tree",
    "analyse",
    "upi",
    "games",
    "library",
    "doctor",
)
"""Names of the verbs. Each has a module in this package, which is imported only when its verb is used."""

ALIASES = {"best-response": "exploitability"}

NO_MEMORY = "There is not enough memory; `errai estimate` shows how much is needed."

DESCRIPTION = "Solve two-player poker exactly, show the strategies, and prove how good they are."
EPILOG = """\
examples:
  errai solve leduc --target 1mbb
  errai solve spot.toml --target 0.3%pot -o spot.errai
  errai show spot.errai "check bet 120"
  errai verify spot.errai
  errai exploitability holdem.limit.2p --strategy always-call
  errai size holdem.limit.2p

exit codes: 0 done, and the target met; 1 error; 2 wrong usage; 3 stopped before the target was met, or not solved
"""


def build_parser(verb: str | None = None) -> argparse.ArgumentParser:
    """Return the parser of the whole command or, given the name of a verb, a parser that knows this verb alone."""
    parser = Parser(prog="errai", description=DESCRIPTION, epilog=EPILOG)
    parser.add_argument("--version", action="version", version=f"errai {version()}")
    verbs = parser.add_subparsers(title="verbs", metavar="VERB", dest="verb")
    asked = ALIASES.get(verb or "", verb)
    for name in (asked,) if asked in VERBS else VERBS:
        add_verb(verbs, name, tuple(alias for alias, of in ALIASES.items() if of == name))
    return parser


def parsed(parser: argparse.ArgumentParser, arguments: list[str]) -> argparse.Namespace:
    """Return the values of the arguments; the words of a line are one text, even if options stand between them."""
    options, rest = parser.parse_known_args(arguments)
    words = getattr(options, "words", None)
    if rest and (words is None or any(word.startswith("-") for word in rest)):
        parser.error(f"unrecognized arguments: {' '.join(rest)}")
    if words is not None:
        options.line = " ".join([*words, *rest])
    return options


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command with the given arguments (by default the process's) and return its exit code."""
    # NumPy's BLAS would start threads that spin for a while on the cores that solving needs; no verb uses them.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    arguments = list(sys.argv[1:] if argv is None else argv)
    try:
        with standard_streams():
            try:
                code = _run(arguments)
                sys.stdout.flush()
                return code
            except OSError as error:
                # Nothing else is written there: not what is left in the buffer when the process ends, and no document.
                drop_output()
                if isinstance(error, BrokenPipeError):
                    return ERROR  # The reader, such as `head`, has what it wanted.
                return _fail(file_error(error, error.filename or STANDARD_OUTPUT), ERROR, wants_json=False)
    except MemoryError:
        # There was not even enough for the streams, or for the sentence.
        os.write(2, f"errai: {NO_MEMORY}\n".encode())
        return ERROR


def _run(arguments: list[str]) -> int:
    """Run the verb; an :class:`OSError` is left for standard output alone."""
    wants_json = "--json" in arguments
    try:
        parser = build_parser(arguments[0] if arguments else None)
        options = parsed(parser, arguments)
        if options.verb is None:
            parser.print_help()
            return USAGE
        return int(options.run(options))
    except SystemExit as leaving:  # --help and --version; or the reader of a table has gone
        return OK if leaving.code in (None, 0) else ERROR
    except UsageError as error:
        return _fail(error, USAGE, wants_json, before=error.usage)
    except ErraiError as error:
        is_usage = isinstance(error, TargetError | SolverOptionError | StrategyError)
        return _fail(error, USAGE if is_usage else SHORT if isinstance(error, StoppedError) else ERROR, wants_json)
    except OSError as error:
        if isinstance(error, BrokenPipeError) or error.filename == STANDARD_OUTPUT:
            raise
        return _fail(file_error(error, error.filename or "A file", "be used"), ERROR, wants_json)
    except ModuleNotFoundError as error:
        from errai.cli.doctor import lack_text

        if (message := lack_text(error.name)) is None:
            raise
        return _fail(message, ERROR, wants_json)
    except MemoryError:
        return _fail(NO_MEMORY, ERROR, wants_json)
    except KeyboardInterrupt:
        return _fail("Aborted.", ERROR, wants_json)


def _fail(error: Exception | str, code: int, wants_json: bool, *, before: str = "") -> int:
    message = str(error)
    sys.stderr.write(f"{before}errai: {harmless(message)}\n")
    if wants_json:
        write_json(error_document(error, message))
    return code


if __name__ == "__main__":
    sys.exit(main())
