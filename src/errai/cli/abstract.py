"""Sort hands into buckets, show what is in a bucket, and compare two hands.

Sort the hands of a game into buckets, round by round; a solver treats all hands of a bucket as one. The folder that is
written holds the abstraction in one file, abstraction.cards. It also holds the features and the finished rounds, so
that another clustering is quick and an interrupted run can be resumed; delete features/ and rounds/ when you are done.

buckets:   --preflop, --flop, --turn and --river mean the rounds 0 to 3 of any game. A round that is not
           named keeps every hand up to suits, which is possible in hold'em only before the flop
features:  ehs, ehs2 (E[HS], E[HS^2]), nested (by E[HS^2], then within by E[HS]: --flop 10x5), histogram,
           potential, ochs. They may differ by round: --features flop=potential,turn=histogram,river=ochs
"""

from __future__ import annotations

import time
from argparse import ArgumentTypeError
from pathlib import Path
from typing import TYPE_CHECKING, Any

from errai.cli.arguments import Arguments, Options, natural_number, positive_integer
from errai.cli.inputs import load_whole_game, picture_file, save_pictures
from errai.cli.output import OK, SHORT, answer, columns, fields, note, write_json
from errai.console import console, seconds_text
from errai.errors import InputError, StoppedError
from errai.games.streets import STREETS

if TYPE_CHECKING:
    from errai.abstraction.buckets import CardAbstraction
    from errai.abstraction.plan import AbstractionPlan
    from errai.games.game import Game


def add_arguments(add: Arguments) -> None:
    """Declare the arguments."""
    add("game GAME", "a game of the catalogue or a .game file", nargs="?")
    for name in STREETS:
        add(f"--{name} N", f"number of buckets on the {name}, or AxB for nested ones", _buckets)
    add("--features KIND", "features, as listed above", default="ehs2")
    add("--method NAME", "clustering: percentile or kmeans (default: depends on the features)")
    add("--distance NAME", "distance for kmeans: l2 or emd (default: depends on the features)")
    add("--recall", "recall", choices=("imperfect", "perfect"), default="imperfect")
    add("--bins N", "bins of histograms", default=50)
    add("--opponents N", "clusters of opponents' hands for ochs", default=8)
    add("--restarts N", "restarts of kmeans", default=1)
    add("--sample-boards N", "boards of the last round that are drawn for ochs or perfect recall", default=1000)
    add.seed()
    add.solve("threads")
    add("-o --output PLACE", "the folder to write; with --show a .png or .svg file")
    add("--show FOLDER", "show an abstraction instead of making one")
    add("--round NAME", "with --show: preflop, flop, turn or river", needs="show")
    add(
        "--compare HAND",
        "say how far two hands are apart by the features (earth mover's distance), such as AhKd QsQc",
        nargs=2,
    )
    add("--board CARDS", "with --compare: the board, or one of each hand: 7h9hQh / 3d5d7d", needs="compare")
    add("--bucket N", "with --show and --round: list this bucket", natural_number, needs="round")
    add.progress()


def run(options: Options) -> int:
    """Make an abstraction, show one, or compare two hands."""
    from errai.engine.resources import default_threads

    options.threads = options.threads or default_threads()
    if options.show is not None:
        return _show(options)
    if options.compare is not None:
        return _compare(options)
    if options.game is None or options.output is None:
        raise InputError("Name a game and a folder to write: `errai abstract GAME -o FOLDER`, or use --show FOLDER.")
    return _make(options)


# --- making ---


def _make(options: Options) -> int:
    from errai.abstraction.building import build_abstraction
    from errai.abstraction.plan import expected_costs
    from errai.cli.signals import watched

    game = load_whole_game(options.game, "give the game of the spot")
    plan = _plan(options, game)
    folder = Path(options.output)
    if folder.is_file():
        raise InputError(f"{options.output} is a file; an abstraction is written into a folder.")
    costs = expected_costs(game, plan)
    if not options.quiet:
        note(
            f"About {seconds_text(costs.core_seconds / options.threads)} on {options.threads} threads, "
            f"{costs.memory_bytes / 1e9:.1f} GB of memory, {costs.disk_bytes / 1e9:.1f} GB in {folder}."
        )
    started = time.monotonic()

    def progress(stage: str, done: int, total: int) -> None:
        share = done / max(total, 1)
        view.show(share, f"{stage}, {100 * share:.0f} %, {seconds_text(time.monotonic() - started)}")

    try:
        with watched(options, f"abstracting {game.name}") as (stop, view):
            abstraction = build_abstraction(game, plan, folder, threads=options.threads, stop=stop, progress=progress)
    except StoppedError:
        if options.json:
            write_json({"status": "interrupted", "folder": str(folder)})
        note(f"Interrupted; run the same command again to resume with the rounds and features in {folder}.")
        return SHORT
    seconds = time.monotonic() - started
    size = (folder / "abstraction.cards").stat().st_size
    more = {"status": "done", "seconds": seconds, "file_bytes": size, "folder": str(folder)}
    _write(options, abstraction, more, f"made in {seconds_text(seconds)}")
    return OK


def _write(options: Options, abstraction: CardAbstraction, more: dict[str, Any], how: str) -> None:
    described = abstraction.describe()
    facts = [(name, f"{count:,} buckets") for name, count in described["buckets"].items()]
    facts.append(("recall", described["recall"]))
    facts.append(("file", f"abstraction.cards, {more['file_bytes'] / 1e6:,.1f} MB, {how}"))
    answer(options, described | more, f"{abstraction.game.name}: card abstraction", facts)


def _buckets(text: str) -> tuple[int, int]:
    """Read 1000, or 10x5 for nested buckets, for argparse."""
    outer, cross, inner = text.lower().partition("x")
    try:
        return positive_integer(outer), positive_integer(inner) if cross else 0
    except ArgumentTypeError:
        message = f"{text!r} is not a number of buckets; write 1000, or 10x5 for nested ones"
        raise ArgumentTypeError(message) from None


def _plan(options: Options, game: Game) -> AbstractionPlan:
    """Return the plan that the options describe."""
    from errai.abstraction.deals import DealIndexer
    from errai.abstraction.kmeans import Distance
    from errai.abstraction.plan import AbstractionPlan, FeatureKind, Method, RoundPlan

    names = STREETS[: game.num_rounds]
    for name in STREETS[game.num_rounds :]:
        if getattr(options, name) is not None:
            raise InputError(f"{game.name} has {game.num_rounds} rounds; it has no --{name}.")
    features = _by_round(options.features, "--features", FeatureKind, names)
    methods = _by_round(options.method, "--method", Method, names)
    distances = _by_round(options.distance, "--distance", Distance, names)
    perfect = options.recall == "perfect"
    deals = DealIndexer(game)
    rounds = []
    for number, name in enumerate(names):
        kind = features[name] or FeatureKind.EHS2
        outer, inner = getattr(options, name) or (None, 0)
        distance = distances[name] if kind in (FeatureKind.HISTOGRAM, FeatureKind.POTENTIAL) else None
        # In a nested abstraction a plain number, as for all hands before the flop, means buckets of E[HS^2] alone.
        if kind is FeatureKind.NESTED and inner == 0:
            kind = FeatureKind.EHS2
        rounds.append(RoundPlan(None) if outer is None else RoundPlan(outer, kind, inner, methods[name], distance))
        size = deals.num_classes(number, dealt=perfect)
        if outer is None and size > 2_000_000:
            raise InputError(f"The {name} has {size:,} hands up to suits; give a number of buckets with --{name} N.")
    if options.distance is not None and not any(each.distance for each in rounds):
        raise InputError("--distance applies only to histogram and potential; ochs always uses l2.")
    settings = fields(options, "seed bins opponents restarts sample_boards")
    return AbstractionPlan(tuple(rounds), perfect=perfect, **settings)


def _by_round(text: str | None, option: str, kind: Any, names: tuple[str, ...]) -> dict[str, Any]:
    """Read one word for all rounds, or a word for each round named, such as ``flop=potential,river=ochs``."""
    found: dict[str, Any] = dict.fromkeys(names)
    for part in [] if text is None else text.split(","):
        name, equals, word = part.strip().rpartition("=")
        if word not in tuple(kind):
            raise InputError(f"{option} has {word!r}; choose one of {', '.join(kind)}.")
        if equals and name not in names:
            raise InputError(f"{option} names the round {name!r}; the game has {', '.join(names)}.")
        found |= dict.fromkeys([name] if equals else names, kind(word))
    return found


# --- showing ---


def _compare(options: Options) -> int:
    from errai.abstraction.distance import hand_distance
    from errai.abstraction.features import MAX_CLUSTERS

    if options.game is None:
        raise InputError("Name the game whose hands are compared: `errai abstract GAME --compare HAND HAND`.")
    game = load_whole_game(options.game, "give the game of the spot")
    boards = [game.deck.parse_cards(part) for part in (options.board or "").split("/")]
    if len(boards) > 2:
        raise InputError("--board has one board, or two with a slash between them.")
    boards = [boards[0], boards[-1]]
    hands = [game.deck.parse_cards(text) for text in options.compare]
    settings = fields(options, "bins opponents seed threads")
    found = hand_distance(game, hands[0], hands[1], boards[0], options.features, second_board=boards[1], **settings)
    facts = [("distance", f"{found.distance:.6g} ({found.unit})")]
    for hand, board, feature in zip(hands, boards, (found.first, found.second), strict=True):
        cards = " on ".join(filter(None, (game.deck.cards_text(hand), game.deck.cards_text(board))))
        short = feature.ndim == 1 and len(feature) <= MAX_CLUSTERS
        what = " ".join(f"{number:.4f}" for number in feature) if short else "a distribution; --json writes it"
        facts.append((cards, what))
    document = fields(
        found,
        "features distance unit first second",
        game=game.name,
        hands=[game.deck.cards_text(hand) for hand in hands],
        boards=[game.deck.cards_text(board) for board in boards],
    )
    answer(options, document, f"{game.name}: {found.features}", facts)
    return OK


def _show(options: Options) -> int:
    from errai.abstraction.file import FILE_NAME, load_abstraction

    where = Path(options.show)
    abstraction = load_abstraction(where)
    if options.round is not None:
        return _show_round(options, abstraction)
    if options.output is not None:
        raise InputError("Name the round to show, for instance --round flop.")
    size = (where / FILE_NAME if where.is_dir() else where).stat().st_size
    _write(options, abstraction, {"file_bytes": size}, "whole")
    return OK


def _show_round(options: Options, abstraction: CardAbstraction) -> int:
    import numpy as np

    from errai.abstraction.contents import bucket_examples, round_contents
    from errai.pictures.buckets import bucket_drawing, round_drawing

    names, bucket, deals = STREETS[: abstraction.game.num_rounds], options.bucket, abstraction.deals
    if options.round not in names:
        raise InputError(f"There is no round {options.round!r}; {abstraction.game.name} has {', '.join(names)}.")
    pictures = picture_file(options.output)
    number, sample = names.index(options.round), fields(options, "seed threads")
    examples, by_hand = ([], np.zeros(0)) if bucket is None else bucket_examples(abstraction, number, bucket, **sample)
    contents = round_contents(abstraction, number, **sample)
    strengths = [float(value) if np.isfinite(value) else None for value in contents.mean]
    document = {"game": abstraction.game.name, "round": options.round, "exact": contents.exact}
    title = f"{abstraction.game.name}: {options.round}"
    if bucket is None:
        save_pictures(pictures, lambda: round_drawing(deals, contents))
        spread = np.percentile(contents.share * len(contents.share), [0, 50, 100])
        facts = [("buckets", f"{len(contents.share):,}")]
        facts.append(("sizes", f"{spread[0]:.3g} to {spread[2]:.3g} times the mean, median {spread[1]:.3g}"))
        answer(options, document | {"share": contents.share.tolist(), "ehs": strengths}, title, facts)
        return OK
    save_pictures(pictures, lambda: bucket_drawing(deals, contents, bucket, by_hand))
    share, strength = float(contents.share[bucket]), strengths[bucket]
    listed = [{"hand": e.hand, "board": e.board, "ehs": e.mean, "ehs2": e.square} for e in examples]
    if options.json:
        write_json(document | {"bucket": bucket, "share": share, "ehs": strength, "examples": listed})
        return OK
    out = console()
    mean = "" if strength is None else f", mean E[HS] {strength:.4f}"
    out.print(f"{options.round}, bucket {bucket}: {100 * share:.3g} % of all hands{mean}", highlight=False)
    table = columns("hand", "board", right=("E[HS]", "E[HS²]"))
    for e in examples:
        table.add_row(e.hand, e.board, f"{e.mean:.4f}", f"{e.square:.4f}")
    none = "None of its hands occurred on the boards that were drawn; another --seed may find some."
    out.print(table if examples else none)
    return OK
