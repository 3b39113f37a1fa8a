"""Draw the betting tree.

Draw the betting tree; for a solution, with the frequency of each action on the first street. Later streets are drawn
without their cards.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from errai.cli.arguments import SUBJECT, Arguments, Options
from errai.cli.inputs import (
    load_subject,
    open_solved,
    output_path,
    picture_paths,
    refuse_given,
    ring_game,
    save_pictures,
)
from errai.cli.output import OK
from errai.console import console
from errai.errors import InputError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from errai.solutions.solution import Profile
    from errai.tree.betting_tree import BettingTree


def add_arguments(add: Arguments) -> None:
    """Declare the arguments."""
    add("subject GAME", f"{SUBJECT}, a solution (.errai), or a blueprint by file or name")
    add.solve("menu")
    add("--streets N", "how many streets to draw", default=1)
    add("--deals", "draw the whole game in extensive form instead, with every deal (small games)")
    add("--information-sets", "join the histories that a player cannot tell apart", needs="deals")
    add("--max-nodes N", "refuse larger drawings", default=400)
    add("-o --output FILE", "write the picture to this file, .svg or .png")
    add.pictures(named=True)


def run(options: Options) -> int:
    """Build the betting tree and draw it."""
    from errai.blueprints.blueprint import SHIPPED
    from errai.cli.solutions import subject_name
    from errai.cluster.folder import RunFolder
    from errai.pictures.tree import tree_drawing, tree_text
    from errai.solutions.subjects import menu_of
    from errai.tree.betting_tree import build_betting_tree

    paths = picture_paths(options, "")
    if options.output is not None:
        path = output_path(options.output)
        assert path is not None
        if path.suffix.lower() not in (".svg", ".png"):
            raise InputError(f"-o {options.output} is no picture; end the name in .svg or .png.")
        paths.append(path)
    if options.deals:
        return _draw_deals(options, paths)
    place = Path(options.subject)
    is_blueprint = options.subject.removeprefix("blueprint:") in SHIPPED
    is_solved = is_blueprint or place.suffix == ".errai" or (place.is_dir() and RunFolder(place).exists())
    solution = open_solved(options.subject) if is_solved else None
    subject = load_subject(options.subject) if solution is None else solution.subject
    if solution is not None or subject.whole_game is None:
        refuse_given(options, "menu", f"{options.subject} has its own bet sizes")
    if solution is not None:
        tree = solution.tree.betting
    else:
        tree = build_betting_tree(subject, menu_of(subject, options.menu))
    locks = None if solution is None else solution.tree.locks
    look: dict[str, Any] = {
        "frequencies": None if solution is None else street_frequencies(solution, tree),
        "streets": options.streets,
        "max_nodes": options.max_nodes,
        "names": subject.seats,
        "pot_shares": not subject.rules.limit,
        "locked": {lock.node for lock in locks.locks} if locks is not None else (),
    }
    title = subject_name(subject, options.subject)
    save_pictures(paths, lambda: tree_drawing(tree, title=title, **look))
    if not paths:
        sys.stdout.write(tree_text(tree, ascii_only=console().options.ascii_only, **look))
    return OK


def _draw_deals(options: Options, paths: list[Path]) -> int:
    """Draw a game in extensive form."""
    import errai
    from errai.cli.solutions import subject_name
    from errai.pictures.histories import histories_drawing

    if not paths:
        raise InputError("The extensive form is drawn to a file; give -o FILE.svg or -o FILE.png.")
    what: Any = ring_game(options.subject) or load_subject(options.subject)
    # A walk that would be far too long is not begun: an end lies at most so many moves deep.
    game = errai.extensive_game(what, menu=options.menu, max_histories=50 * options.max_nodes, histories=True)
    title = subject_name(what, options.subject) if what.rules is not what else what.label
    look = {"information_sets": options.information_sets, "max_histories": options.max_nodes}
    save_pictures(paths, lambda: histories_drawing(game, title=title, **look))
    return OK


def street_frequencies(solution: Profile, tree: BettingTree) -> NDArray[np.float64]:
    """Return float64[N]: how often the action that leads to each node is chosen; NaN after the first street."""
    import numpy as np

    from errai.tree.betting_tree import NodeKind

    frequencies = np.full(tree.num_nodes, np.nan)
    for node in tree.street_nodes(0):
        if tree.kind[node] == NodeKind.DECISION:
            children = tree.children(node)
            frequencies[children.start : children.stop] = solution.at(" ".join(tree.path(node))).frequencies
    return frequencies
