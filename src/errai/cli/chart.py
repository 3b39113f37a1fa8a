"""Draw charts of the starting hands: fold, call, raise.

Draw the strategy of each starting hand at a decision of the first street, as in the figures of Bowling et al. (2015):
red is fold, blue check or call, green bet or raise. Without --first, --limp, --facing-raise
and --line, the first three.
"""

from __future__ import annotations

import contextlib
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from errai.cli.arguments import Arguments, Options
from errai.cli.inputs import open_solved, output_path, save_pictures
from errai.cli.output import OK, columns, note, write_json
from errai.console import console
from errai.errors import InputError, LineError
from errai.store.atomic import check_folder, make_folder

if TYPE_CHECKING:
    from errai.pictures.canvas import Drawing
    from errai.pictures.values import Measure
    from errai.solutions.node import SolutionNode
    from errai.solutions.situations import Situation
    from errai.solutions.solution import Profile


FORMATS = (".png", ".svg")

NO_FOLDERS = (".jpg", ".jpeg", ".gif", ".webp", ".pdf", ".errai", ".html")
"""Ends of names that nobody gives to a new folder, but to files that are not written here."""


def add_arguments(add: Arguments) -> None:
    """Declare the arguments."""
    add("solution FILE", "a solution (.errai), or a blueprint by file or name, of a game with two private cards")
    add("--first", "the first action of the game: the dealer's in hold'em")
    add("--limp", "the big blind after a limp (or the second player after a check)")
    add("--facing-raise", "the big blind facing the first raise")
    add("--line LINE", 'after a line, such as "r r"; may be repeated', action="append")
    add_look_options(add)
    add(
        "-o --output PLACE",
        "write pictures: a folder for PNG and SVG, or one .png or .svg file; or, to a .toml file, the ranges with "
        "which both players come to the flop",
    )
    add.whole()
    add.json()


def add_look_options(add: Arguments) -> None:
    """Add ``--values`` and ``--mix`` to a verb; at most one of them may be given."""
    look = add.one_of()
    look("--values", "show the EV of each hand instead, in mbb, or in chips in a spot")
    look("--mix", "mix the colours of a cell, as the paper does")


def run(options: Options) -> int:
    """Find the decisions, and draw them."""
    solved = open_solved(options.solution, whole=options.whole)
    charts = Charts(solved, shown_nodes(solved, options), options.values, options.mix)
    if options.output is not None:
        charts.save(options.output, Path(options.solution).stem)
    if options.json:
        write_json(charts.document())
        return OK
    if options.output is None:
        charts.write()
    charts.write_frequencies()
    return OK


def shown_nodes(solved: Profile, options: Options) -> list[tuple[Situation, SolutionNode]]:
    """Return the chosen decisions, by name and by line."""
    from errai.solutions.situations import SITUATIONS, line_situation, named_situations

    names = [name for name in SITUATIONS if getattr(options, name.replace("-", "_"))]
    named = [situation for name in names for situation in named_situations(solved, name)]
    if not names and not options.line:
        # By default a situation that the game does not have, such as a limp in push or fold, is left out.
        for name in SITUATIONS:
            with contextlib.suppress(LineError):
                named += named_situations(solved, name)
    nodes = [solved.at(line) for line in options.line or []]
    return [(s, solved.at(s.line)) for s in named] + [(line_situation(node, solved), node) for node in nodes]


class Charts:
    """Decisions of the first street, in every way in which they are shown."""

    def __init__(self, solved: Profile, shown: list[tuple[Situation, SolutionNode]], values: bool, mixed: bool) -> None:
        from errai.solutions.situations import reach_probability

        self.solved = solved
        self.shown = shown
        self.values = values
        self.mixed = mixed
        self.reached = [reach_probability(solved, node) for _, node in shown]

    def save(self, output: str, stem: str) -> None:
        """Write every picture: PNG and SVG into a folder, by names that begin with a stem, or one picture to a file.

        To a name that ends in .toml the ranges on the flop are written instead.
        """
        if is_file_of_charts(output):
            self._save_ranges(Path(output))
            return
        place, one_file = Path(output), is_one_picture(output)
        if one_file and len(self.shown) > 1:
            raise InputError(
                f"{len(self.shown)} pictures do not fit into one file; give a folder, or choose one of them."
            )
        if not one_file:
            make_folder(place)
        for i, (situation, _) in enumerate(self.shown):
            name = f"{stem}{'-values' if self.values else ''}-{situation.name}"
            paths = [place] if one_file else [place / f"{name}{suffix}" for suffix in FORMATS]
            save_pictures(paths, partial(self._drawing, i))

    def _save_ranges(self, path: Path) -> None:
        from errai import __version__
        from errai.console import exploitability_text
        from errai.games.charts import charts_text
        from errai.solutions.flop_ranges import flop_charts
        from errai.solutions.solution import Solution
        from errai.store.atomic import write_file

        notes = [f"The ranges with which both players come to the flop, by Errai {__version__}:", self.solved.title]
        if isinstance(self.solved, Solution):
            cut = "" if self.solved.depth is None else ", of the game that is cut at the flop"
            notes.append(f"exploitability: {exploitability_text(self.solved.exploitability)}{cut}")
        write_file(path, charts_text(flop_charts(self.solved), notes))
        note(f"Saved to {path}; review hands with: errai review HANDS --charts {path}")

    def write(self) -> None:
        """Write the chart to the terminal."""
        from errai.pictures.chart import chart_hands, chart_summary
        from errai.pictures.terminal import summary_terminal, values_terminal

        out = console()
        for situation, node in self.shown:
            title = f"{self.solved.title}: {situation.title}"
            if self.values:
                picture = values_terminal(chart_hands(node), self._measure(node), out, title=title)
            else:
                picture = summary_terminal(chart_summary(node), out, title=title, mixed=self.mixed)
            out.print(picture, highlight=False, soft_wrap=True)
            out.print()

    def write_frequencies(self) -> None:
        """Write for every line how often play comes there, and what is done then."""
        from errai.pictures.chart import KINDS, by_kind
        from errai.pictures.nodes import percent_text
        from errai.pictures.palette import action_amount

        rows = []
        for (_, node), share in zip(self.shown, self.reached, strict=True):
            shares = node.frequencies.tolist()
            sizes = [(a, f) for a, f in zip(node.actions, shares, strict=True) if action_amount(a) is not None]
            apart = ", ".join(f"{a} {percent_text(f)}" for a, f in sizes) if len(sizes) > 1 else ""
            kinds = (percent_text(f) for f in by_kind(node, shares))
            rows.append((node.line or "first action", percent_text(share), *kinds, apart))
        more = ("raises by size",) if any(row[-1] for row in rows) else ()
        table = columns("line", right=("reached", *KINDS, *more))
        for row in rows:
            table.add_row(*(row if more else row[:-1]))
        console().print(table)

    def document(self) -> dict[str, Any]:
        """Return the chart as a JSON document."""
        from errai.pictures.chart import chart_dict

        return {
            "game": self.solved.title,
            "charts": [
                {
                    "situation": situation.name,
                    "title": situation.title,
                    "reached": share,
                    **chart_dict(node, self.solved.units.big_blind_chips),
                }
                for (situation, node), share in zip(self.shown, self.reached, strict=True)
            ],
        }

    def _drawing(self, number: int) -> Drawing:
        from errai.pictures.chart import chart_drawing, chart_hands
        from errai.pictures.nodes import percent_text
        from errai.pictures.values import values_drawing

        situation, node = self.shown[number]
        title = f"{self.solved.title}: {situation.title}"
        if self.values:
            return values_drawing(chart_hands(node), self._measure(node), title=title)
        notes = [f"Play comes here in {percent_text(self.reached[number])} of all hands."]
        return chart_drawing(node, title=title, mixed=self.mixed, notes=notes)

    def _measure(self, node: SolutionNode) -> Measure:
        """Return the values of a node's hands in the unit of the subject.

        A game and a spot before the flop count in thousandths of a big blind; a later spot counts in its own chips, as
        its pot, its bets and its EVs elsewhere do.
        """
        from errai.pictures.values import NET, WON, node_measure, value_measure

        if node.why_no_ev:
            raise InputError(node.why_no_ev)
        chips, subject = self.solved.units.big_blind_chips, self.solved.subject
        if chips is None or (not subject.values_are_net and subject.first_round):
            assert node.player is not None
            return node_measure("ev", node, node.player)
        return value_measure(chips, WON if node.sunk_chips == (0.0, 0.0) else NET)


def is_file_of_charts(output: str) -> bool:
    """Return whether a place is the name of a file of charts; it can be written then."""
    named = Path(output).suffix.lower() == ".toml" and not Path(output).is_dir()
    if named:
        output_path(output)
    return named


def is_one_picture(output: str) -> bool:
    """Return whether a place for pictures is the name of one picture, and not a folder; it must be one of the two."""
    place = Path(output)
    if place.suffix.lower() in FORMATS and not place.is_dir():
        output_path(output)
        return True
    if place.exists() and not place.is_dir():
        raise InputError(f"{output} is a file; give a folder, or a name that ends in .png, .svg or .toml.")
    if not place.exists() and place.suffix.lower() in NO_FOLDERS:
        raise InputError(
            f"No picture is written as {place.suffix}; give a folder, or a name that ends in .png, .svg or .toml."
        )
    check_folder(place)
    from errai.pictures.canvas import check_png

    check_png()
    return False
