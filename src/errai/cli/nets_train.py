"""Train a network on solved positions.

Train a value network on positions from `errai nets generate`, and write it with a card that says how it was trained.

One board in ten is held out; the weights with the lowest held-out loss are kept. Losses are Huber losses in DeepStack's
unit (the chips that one player has put in), grouped by how many pots are left to bet, and compared with two baselines:
estimating zero for every hand, and checking every hand down.

Ctrl-C ends early and keeps the best network so far; the same command with --resume resumes the training. The prepared
positions and the state of the training are in the folder FILE.training beside the network, which may be deleted
afterwards.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from errai.cli.arguments import Arguments, Options
from errai.cli.inputs import output_path, picture_file, save_pictures
from errai.cli.output import answer, ended, fields, note
from errai.console import bytes_text, seconds_text
from errai.errors import InputError, MismatchError
from errai.games.streets import STREETS
from errai.options import NetTrainOptions

if TYPE_CHECKING:
    from errai.engine.progress_view import BarView
    from errai.nets.examples.dataset import Examples
    from errai.nets.training.learn import Learnt
    from errai.nets.training.loop import Epoch


def add_arguments(add: Arguments) -> None:
    """Declare the arguments."""
    add("street", "the street at whose start the network is evaluated; preflop for its end", choices=STREETS)
    add("--data FOLDER", "a folder of positions; may be repeated", action="append", required=True)
    add("-o --out FILE", "the network's file (.net)", required=True)
    add.declared(NetTrainOptions)
    add("--limit N", "train on only N positions of each folder")
    add("--architecture NAME", "architecture of the network (default: factorised, before the flop ordered)")
    add(
        "--set NAME=VALUE",
        "a setting of the architecture or of training, such as readout=64 or rate=0.001; may be repeated",
        action="append",
        default=[],
    )
    add("--from NET", "start from the weights of this network instead of new ones", dest="start")
    add("--name NAME", "name of the network (default: the file's name)")
    add("--picture FILE", "write a picture of the losses (.svg or .png)")
    add("--single", "store weights in 32 bits, not in 16")
    add("--resume", "resume a training that was ended early")
    add.progress()


def run(options: Options) -> int:
    """Train the network, save it, and print the losses."""
    from errai.cli.signals import watched
    from errai.games.catalogue import load_game
    from errai.nets.examples.dataset import Folder, read_examples
    from errai.nets.network import load_net, save_net
    from errai.nets.networks.architecture import architecture
    from errai.nets.training.learn import learn
    from errai.nets.training.loop import TrainingOptions

    output = output_path(options.out, suffix=".net")
    pictures = picture_file(options.picture)
    assert output is not None
    of_net, of_training = _settings(options.set)
    start = None if options.start is None else load_net(options.start)
    named = options.architecture or ("ordered" if options.street == STREETS[0] else "factorised")
    if start is not None and not of_net and named == start.architecture.name:
        kind = start.architecture
    else:
        kind = architecture(named, of_net)
    try:
        settings = TrainingOptions(**fields(options, "epochs minutes seed threads"), **of_training)
    except TypeError as error:
        raise InputError(f"Training has no such setting: {error}.") from error
    work = output.with_name(output.name + ".training")
    checkpoint = work / "checkpoint.errai"
    if checkpoint.exists() and not options.resume:
        raise InputError(
            f"{work} holds a training that was ended early; add --resume to resume it, or delete the folder."
        )
    recipes = [Folder(folder).recipe() for folder in options.data]
    if any((recipe.game, recipe.round) != (recipes[0].game, STREETS.index(options.street)) for recipe in recipes):
        raise MismatchError(f"The positions are not all at the start of the {options.street} of one game.")
    examples = [read_examples(folder, "train", options.limit) for folder in options.data]
    aside = [read_examples(folder, "held out") for folder in options.data]
    with watched(options, f"training for the {options.street}") as (stop, view):
        watch = _Watch(view, settings.epochs)
        learnt = learn(
            options.name or output.stem,
            kind,
            load_game(recipes[0].game),
            recipes[0].round,
            examples,
            aside,
            settings,
            work,
            data=_data(options.data, examples, aside),
            half=not options.single,
            start=start,
            checkpoint=checkpoint,
            resume=options.resume and checkpoint.exists(),
            stop=stop,
            preparing=watch.preparing,
            begun=watch.begun,
            progress=watch.epoch,
        )
    length = save_net(learnt.net, output)
    if not learnt.outcome.interrupted:
        checkpoint.unlink(missing_ok=True)
    save_pictures(pictures, lambda: watch.drawing(options.street, learnt))
    _write(learnt, length, output, options)
    advice = "Interrupted; the best network so far was written. Add --resume to resume the training."
    return ended(options, learnt.outcome.interrupted, advice)


class _Watch:
    """Shows progress while a network is trained, and draws the losses at the end."""

    def __init__(self, view: BarView, epochs: int) -> None:
        self.view, self.epochs = view, epochs
        self.table: list[dict[str, Any]] = []
        self.stacks: Any = None

    def preparing(self, done: int, total: int) -> None:
        self.view.show(0.0, f"{done:,} of {total:,} positions prepared")

    def begun(self, table: list[dict[str, Any]], stacks: Any) -> None:
        self.table, self.stacks = table, stacks
        if self.view:
            for key in ("zero", "check_down"):
                losses = ", ".join(f"{row['name']} {row[key]:.4f}" for row in table)
                note(f"held-out loss, {key.replace('_', '-')}: {losses}")

    def epoch(self, epoch: Epoch) -> None:
        if self.view:
            losses = ", ".join(f"{name} {losses[0]:.4f}" for name, losses in self._curves([epoch]).items())
            self.view.show(epoch.number / self.epochs, f"epoch {epoch.number}, {seconds_text(epoch.seconds)}: {losses}")

    def drawing(self, street: str, learnt: Learnt) -> Any:
        from errai.pictures.curves import losses_drawing

        baselines = {row["name"]: row["check_down"] for row in self.table}
        curves = self._curves(learnt.outcome.curve)
        positions = learnt.net.facts["data"]["positions"]
        return losses_drawing(curves, baselines, title=f"{positions:,} positions on the {street}, held-out loss")

    def _curves(self, curve: list[Epoch]) -> dict[str, list[float]]:
        from errai.nets.examples.situations import STRATA
        from errai.nets.quality.losses import losses_by_stratum
        from errai.nets.training.learn import SUMMARIES

        found: dict[str, list[float]] = {}
        for epoch in curve:
            for strata in (STRATA, SUMMARIES[:1]):
                for row in losses_by_stratum(epoch.held_out, self.stacks, strata):
                    found.setdefault(row.name, []).append(row.loss)
        return found


def _settings(texts: list[str]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Split the settings into those of the network and those of training, by their names."""
    from errai.nets.training.loop import TrainingOptions

    parts: tuple[dict[str, Any], dict[str, Any]] = ({}, {})
    for text in texts:
        name, equals, value = text.partition("=")
        try:
            number: float = int(value)
        except ValueError:
            try:
                number = float(value)
            except ValueError:
                equals = ""
        if not equals:
            raise InputError(f"A setting is written as name=number, not {text!r}.")
        parts[name in TrainingOptions.__dataclass_fields__][name] = number
    return parts


def _data(folders: list[str], examples: list[Examples], aside: list[Examples]) -> dict[str, Any]:
    """Return what the network's card says about its data: for each data set its recipe, its size and its cost."""
    from errai.nets.examples.dataset import Folder, read_shard

    sets = []
    for folder, some, others in zip(folders, examples, aside, strict=True):
        manifest = Folder(folder).manifest()
        shards = [read_shard(Folder(folder).shard(number))[0]["seconds"] for number in Folder(folder).shards()]
        sets.append(
            {
                "folder": Path(folder).name,
                "recipe": manifest["recipe"],
                "positions": len(some) + len(others),
                "error": round(float(some.errors.mean()), 6),
                "core_hours": float(f"{sum(float(seconds.sum()) for seconds in shards) / 3600.0:.4g}"),
            }
        )
    return {"sets": sets}


def _write(learnt: Learnt, length: int, output: Path, options: Options) -> None:
    """Write a summary; ``docs/cli.md`` lists the fields of the document."""
    outcome, net, data = learnt.outcome, learnt.net, learnt.net.facts["data"]
    document = {
        **fields(net, "name digest"),
        "architecture": net.architecture.name,
        "configuration": net.architecture.configuration(),
        "parameters": sum(int(array.size) for array in net.weights.values()),
        "bytes": length,
        "status": "interrupted" if outcome.interrupted else "done",
        **net.facts,
    }
    facts = [
        ("positions", f"{data['positions']:,} trained on, {data['held_out']:,} held out"),
        ("epochs", f"{outcome.curve[-1].number} in {seconds_text(outcome.seconds)}; the best is {outcome.best.number}"),
        ("file", f"{output}, {bytes_text(length)}"),
        *(
            (
                f"{row['name']} pots" if row["name"][0].isdigit() else row["name"],
                f"{row['net']:.4f} (as held {row['net_held']:.4f}), check-down {row['check_down']:.4f}, "
                f"zero {row['zero']:.4f}; {row['positions']:,}",
            )
            for row in learnt.table
        ),
    ]
    answer(options, document, f"{net.name}: held-out loss in DeepStack's unit", facts)
