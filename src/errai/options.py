"""The options of everything that runs long, each declared once: name, type, unit, help, default, and where it is taken.

From here come the signatures and the documentation of :func:`errai.solve` and the like, their checks, the arguments of
the command line, the forms of the browser and the tables in docs/cli.md.  The annotations are not postponed, so that a
declaration is read without importing what it names.
"""

from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from textwrap import fill, indent
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple, Required, TypedDict, TypeVar, cast, get_args

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from errai.blueprints.abstractions import Abstraction
    from errai.blueprints.blueprint import Blueprint
    from errai.blueprints.train import Weighting
    from errai.cluster.run import StoreEvents
    from errai.engine.leaf_values import Function, HasLeafValues, LeafValues
    from errai.engine.loop import Measured, ProgressCallback
    from errai.engine.own_schedules import LocalRule
    from errai.engine.root import Gadget
    from errai.engine.schedules import Schedule
    from errai.games.lock_file import LockTables
    from errai.running.stopping import StopToken

Algorithm = Literal[
    "cfr",
    "cfr+",
    "linear",
    "dcfr",
    "dcfr4",
    "dcfr4+",
    "dcfr-foresight",
    "pcfr+",
    "hs-dcfr-30",
    "hs-dcfr-15",
    "hs-pcfr+-30",
    "hs-pcfr+-15",
]
"""The variants of :data:`errai.engine.schedules.SCHEDULES` by name."""

ExtensiveAlgorithm = Literal[
    "lp",
    "normal-form",
    "egt",
    "egt-euclidean",
    "mmd",
    "range-of-skill",
    "chance-sampling",
    "external-sampling",
    "outcome-sampling",
]
"""The methods of :mod:`errai.extensive` by name, for games that are written out."""

Updates = Literal["alternating", "simultaneous"]
"""Whether player 1 answers player 0's new strategy of an iteration, or both answer the old ones."""

Backend = Literal["cpu", "reference", "cuda"]
"""The kernels by name, the default first."""

Precision = Literal["auto", "float64", "float32", "fixed16", "average8"]
"""Number formats of a run: those of :data:`errai.engine.resources.DTYPES`, or a choice among them."""

Returned = Literal["average", "current"]
"""Which strategy of a run is returned and certified."""

Encoding = Literal["float64", "float32", "uint16", "uint8"]
"""Number formats of a finished strategy, the names of :data:`errai.engine.strategy.ENCODINGS`."""

DEFAULT: Algorithm = "dcfr-foresight"
"""The algorithm of a run in memory unless another one is asked for."""

DEFAULT_IN_STORE: Algorithm = "dcfr4+"
"""The algorithm of a run in a folder: one without foresight, which needs the values of a whole street at once."""

NET_TARGET = "0.3%pot"
"""The target of a solve over a network unless another one is asked for: below it the network's own error is greater."""

CHECKPOINT_SECONDS = 60.0
"""How often a run is saved unless it is told otherwise."""

MOST_AT_ONCE = 4096
"""The most threads or processes that can be asked for; more than a machine has processors are of no use."""

Kind = Literal["text", "file", "count", "number", "bytes", "seconds", "seed", "switch", "own"]
"""What the value of an option is; ``own`` is checked where it is used."""


class Option(NamedTuple):
    """What is to be known about one option besides its name and its type."""

    help: str
    """A phrase that says what it does, for ``--help`` and the forms of the browser."""
    kind: Kind = "own"
    letter: str = ""
    """What stands for the value on the command line; an option without it, and no switch, is for Python only."""
    more: str = ""
    """Sentences that documents add to the help."""
    python: str = ""
    """Sentences about it in Python, after these."""
    default: Any = None
    choices: tuple[str, ...] = ()
    not_in_store: str = ""
    """Why a run in a folder does not take it, for options that only a run in memory takes."""
    flag: str = ""
    """Its name on the command line, if that is another one."""

    @property
    def is_argument(self) -> bool:
        """Whether the command line takes it."""
        return bool(self.letter) or self.kind == "switch"

    @property
    def text(self) -> str:
        """The help and the sentences after it, for documents."""
        names = f": {listed(tuple(f'``{name}``' for name in self.choices))}" if self.choices else ""
        return f"{self.help[0].upper()}{self.help[1:]}{names}.  {self.more}".rstrip()

    @property
    def short_text(self) -> str:
        """The help with the names that may be chosen, for ``--help``."""
        return f"{self.help}{f': {listed(self.choices)}' if self.choices else ''}{default_text(self.default)}"


def default_text(default: object) -> str:
    """Return a default in brackets, as it stands after a help; nothing for one that is nothing to say."""
    if isinstance(default, bool) or default == "" or not isinstance(default, int | float | str):
        return ""
    kind = "" if isinstance(default, str) else "," if isinstance(default, int) else "g"
    return f" (default: {default:{kind}})"


def option_words(options: Mapping[str, Any]) -> list[str]:
    """Return options as the words of a command; those that are None or False are left out, and True has no value."""
    words = []
    for name, value in options.items():
        if value is not None and value is not False:
            words.append(f"--{name.replace('_', '-')}")
            if value is not True:
                words.append(f"{value:.15g}" if isinstance(value, float) else str(value))
    return words


def listed(names: tuple[str, ...]) -> str:
    """Return names as a list in words: ``a, b or c``."""
    return " or ".join(filter(None, (", ".join(names[:-1]), names[-1])))


Menu = Annotated[
    str | None,
    Option(
        'bet sizes of a no-limit game, such as "50%, 100%, a"; a spot has its own',
        "text",
        "SIZES",
        'Sizes of raises stand after a bar: ``"50%, 100%, a | 100%, a"``.  Streets may differ: ``"| 2.5x, a, cap 4; '
        '50%, a"`` has sizes for the first and for all later ones, and at most four bets before the flop.  The default '
        'is ``"100%, a"``.',
    ),
]
Threads = Annotated[
    int | None,
    Option(
        "number of threads, by default all that the process may use",
        "count",
        "N",
        "Results do not depend on it.",
        not_in_store="the folder itself holds state and result",
    ),
]
Memory = Annotated[
    int | None,
    Option(
        "memory that the arrays may use, such as 4GiB",
        "bytes",
        "SIZE",
        "The default is nine tenths of what is free; the interpreter takes about 40 MB besides.  A run in a folder "
        "chooses by it the street at which the game is cut and the size of the blocks.",
        "It is a number of bytes.",
    ),
]
Checkpoint = Annotated[
    str | Path | None,
    Option(
        "save the state here from time to time",
        "file",
        "FILE",
        "It is also saved at the end of the run.",
        not_in_store="the folder itself holds state and result",
    ),
]
CheckpointSeconds = Annotated[float, Option("seconds between two checkpoints", "number", default=CHECKPOINT_SECONDS)]
Resume = Annotated[
    bool | None,
    Option(
        "resume from the checkpoint, if it exists",
        "switch",
        python="False raises an error if the file exists; None, the default, resumes if it exists.",
        not_in_store="the folder itself holds state and result",
    ),
]
Seed = Annotated[int, Option("random seed", "seed", "N", default=0)]
Locks = Annotated[
    "Mapping[str, Any] | LockTables | None",
    Option(
        "hands whose strategy is fixed, not solved: a table for each line of play",
        letter="FILE",
        more="The rest of the strategy is solved against them; see docs/spots.md.",
        python="A table has the frequency of each action by hands, such as "
        '``{"check / 7s / check": {"AA, KK": {"bet 80": 1}, "QQ": "best"}}``; :func:`errai.load_locks` reads a file.',
        not_in_store="only a solve in memory supports locks",
        flag="lock",
    ),
]
Depth = Annotated[
    str | int | None,
    Option(
        "the street after which the tree is cut: flop, or the number of a round of the game from 0",
        more="Cards must be dealt after it.  The values at the leaves come from ``leaf_values``.",
    ),
]


class MethodOptions(TypedDict, total=False):
    """What the size of every run depends on."""

    algorithm: Annotated[
        "Algorithm | Schedule | None",
        Option(
            "the variant of CFR",
            letter="NAME",
            more=f"The default is ``{DEFAULT}``, and ``{DEFAULT_IN_STORE}`` in a folder, where only variants without "
            "prediction and without a local rule, with alternating updates, can be used.  The exponents of the last "
            "four change over 1,000 iterations, those of ``hs-dcfr-30:2000`` over 2,000.  "
            "See docs/maths.md.",
            python="A :class:`~errai.engine.schedules.Schedule` of own code is made by :meth:`errai.Schedule.of`.",
            choices=get_args(Algorithm),
        ),
    ]
    updates: Annotated[
        "Updates",
        Option(
            "the order in which the players are updated",
            "text",
            more="A schedule that says ``simultaneous`` itself is run so.",
            default="alternating",
            choices=get_args(Updates),
        ),
    ]
    precision: Annotated[
        "Precision",
        Option(
            "number format of the solver's own arrays",
            "text",
            "NAME",
            "``fixed16`` takes half the memory of float32 and less time and reaches about 0.06 % of the pot (only with "
            "alternating updates and without prediction; averages are then never weighted by the player's own reach); "
            "``average8`` is the same with averages in 8 bits, which takes three quarters of its memory and is meant "
            "for targets of 0.3 % of the pot and more.  ``auto`` chooses by the backend, the size of the tree, the "
            "target and the memory; docs/maths.md has the rule.  A run that is resumed keeps the precision of its "
            "checkpoint.",
            default="auto",
            choices=get_args(Precision),
        ),
    ]
    memory: Memory


class EstimateOptions(MethodOptions, total=False):
    """What the size of a run in memory depends on; see :func:`errai.estimate`."""

    menu: Menu
    depth: Depth
    threads: Threads
    locks: Locks


class RunOptions(MethodOptions, total=False):
    """What every run may be told, wherever it lives."""

    max_iterations: Annotated[int | None, Option("stop after N iterations", "count", "N")]
    seconds: Annotated[
        float | None,
        Option(
            "stop after S seconds; also 90s, 10min, 2h",
            "seconds",
            "S",
            "Building the tree is part of it.  A run that reaches a limit before the target is no error; its status "
            "says so.",
        ),
    ]
    strategy: Annotated[
        "Returned",
        Option(
            "the strategy that is returned and certified",
            "text",
            more="Without averages, as Cepheus was solved, a run in a folder takes half the disk.",
            default="average",
            choices=get_args(Returned),
        ),
    ]
    average_from: Annotated[
        int,
        Option(
            "leave the iterations before N out of the average",
            "count",
            "N",
            "The weights of iterations still count from iteration 1.  Every algorithm takes it, in memory and in a "
            "folder, and a run is resumed only with the same one.  Measurements and the certificate are those of this "
            "average; before that iteration, those of the current strategy.",
            default=1,
        ),
    ]
    checkpoint_seconds: CheckpointSeconds
    stop: Annotated[
        "StopToken | None",
        Option(
            "a token that any thread may set to end the run",
            more="It ends after the current batch of iterations with a valid result whose status is ``interrupted``; "
            "while the tree is still being built, :class:`StoppedError` is raised.  This function handles no signals: "
            "Ctrl-C raises KeyboardInterrupt, and the last checkpoint remains.",
        ),
    ]
    progress: Annotated[
        "ProgressCallback | bool",
        Option(
            "a function called with a :class:`~errai.engine.loop.Progress` after every batch",
            more="It is also called a few times a second while a large tree is built; True draws a bar on standard "
            "error.  If it fails, the run ends with an error that says where, and the last checkpoint remains.",
            default=False,
        ),
    ]


class HeldOptions(RunOptions, total=False):
    """What a run in memory may be told besides, whatever it solves."""

    backend: Annotated[
        "Backend | None",
        Option(
            "what computes the iterations",
            "text",
            "NAME",
            "The default is ``cpu``; ``reference`` is slow and the definition, and ``cuda`` needs a GPU and PyTorch.",
            choices=get_args(Backend),
            not_in_store="the folder itself holds state and result",
        ),
    ]
    seed: Annotated[
        int | None,
        Option(
            "random seed (0)",
            "seed",
            "N",
            "It is only recorded in the solution: full-width solving draws nothing at random.",
            not_in_store="nothing is drawn at random",
        ),
    ]
    label: Annotated[
        str | None,
        Option(
            "a text that is kept with the solution",
            "text",
            "TEXT",
            "It stands in ``settings`` of the solution, and says for instance which experiment it belongs to.",
            not_in_store="the folder itself holds state and result",
        ),
    ]
    encoding: Annotated[
        "Encoding | None",
        Option(
            "number format of the returned strategy",
            "text",
            more="By default small trees keep the format in which they were computed, and large ones are stored in 16 "
            "bits, or in 8 after ``average8``.",
            choices=get_args(Encoding),
        ),
    ]
    locks: Locks
    checkpoint: Checkpoint
    resume: Resume
    start_from: Annotated[
        str | Path | None,
        Option(
            "start from the regrets in the checkpoint of a similar spot: same board, hands and lines",
            "file",
            "FILE",
            "Weights, pot, stacks, bet sizes, rake and locks may differ.  The average leaves the other run out.  To "
            "0.5 and 0.3 % of the pot it takes about half as many iterations as a run from the beginning.  The "
            "strategy of that checkpoint is measured here too; if it is better than that of this run when it ends, it "
            "is what is returned and certified.",
            'Then ``solution.settings["strategy"]`` is ``start``.',
            not_in_store="the folder itself holds state and result",
        ),
    ]


class MemoryOptions(HeldOptions, total=False):
    """All options of a run in memory."""

    menu: Menu
    threads: Threads
    depth: Depth
    measure_every: Annotated[
        int | None,
        Option(
            "measure the exploitability every N iterations (default: where the stopping rule needs it)",
            "count",
            "N",
            "The curve is then as dense as that; small games take longer so.",
        ),
    ]
    both_curves: Annotated[
        bool,
        Option(
            "measure the average and the current strategy both, for ``Solution.curves``",
            default=False,
        ),
    ]
    observe: Annotated[
        "Callable[[Measured], Any] | None",
        Option(
            "a function called at each measurement with a :class:`~errai.engine.loop.Measured`: the iteration, the "
            "exploitability and the state's arrays, read-only",
        ),
    ]
    rule: Annotated[
        "LocalRule | None",
        Option(
            "a local rule in place of an algorithm: what every decision does instead of regret matching",
            more="One of :mod:`errai.engine.rules`, such as ``Hedge(rate=0.1)``, or an object of your own; the backend "
            "is ``reference`` then.",
        ),
    ]
    leaf_values: Annotated[
        "LeafValues | HasLeafValues | Function | None",
        Option(
            "what gives the values at the leaves of a tree that is cut",
            more="A function of :class:`errai.Leaves`, an object of :class:`errai.LeafValues`, or a value network "
            "(:func:`errai.load_net`), which determines ``depth`` itself.  The certificate is for the cut game with "
            "these values.  See docs/extending.md.",
        ),
    ]
    opponent_values: Annotated[
        "ArrayLike | None",
        Option(
            "re-solve with the gadget of Burch et al. (:mod:`errai.engine.root`)",
            more="At the root each of the opponent's hands may end the game for the value given here instead of "
            "playing.  Values are counterfactual values, float64[H], as ``solution.root_values.counterfactual`` has "
            "them; those of hands outside the opponent's range are not read.  The exploitability is that of the game "
            "with this choice, which must be zero-sum.",
        ),
    ]
    opponent: Annotated[
        int | None,
        Option("whose values these are: 0 or 1, by default the player who does not act first"),
    ]
    gadget: Annotated[
        "Gadget | None", Option("another gadget above the root, such as those of :mod:`errai.resolving.gadgets`")
    ]
    store: None


class StoreOptions(RunOptions, total=False):
    """All options of a run in a folder."""

    menu: Menu
    store: Required[
        Annotated[
            str | Path,
            Option(
                "keep the state in this folder; a run that is there is resumed",
                "file",
                "FOLDER",
                "The streets above a cut are in memory, and the subgames below it in blocks that are streamed from the "
                "disk (:mod:`errai.cluster.run`).  The updates and their order are the same as in memory, so the "
                "strategy is the same up to rounding.",
            ),
        ]
    ]
    processes: Annotated[
        int | None,
        Option(
            "number of processes that compute the blocks (default: one for each core)",
            "count",
            "N",
            "Results do not depend on it once a run has begun.",
        ),
    ]
    cluster: Annotated[
        str | None,
        Option(
            "compute the store's blocks with Ray: local:2, auto, or ray://host:port (errai[cluster])",
            "text",
            "WHERE",
            "``local:2`` starts Ray on this machine with two workers, ``auto`` joins a cluster that ``ray start "
            "--head`` has started, ``ray://host:port`` one elsewhere, through its client port (from Ray 2.60 on with "
            "``RAY_AUTH_MODE=token`` set and the cluster's token in ``~/.ray/auth_token``).  Ray's own memory is not "
            "part of ``memory``.",
        ),
    ]
    cut: Annotated[
        int | None,
        Option(
            "the first street on disk, counted from 0 at the root",
            "count",
            "STREET",
            "By default it is chosen by the memory.",
        ),
    ]
    events: Annotated[
        "StoreEvents | None",
        Option("callbacks that are told how a store is divided, and which blocks are finished or recomputed"),
    ]


class PlayedOptions(TypedDict, total=False):
    """What everything that is measured hand by hand, or board by board, may be told."""

    seed: Seed
    processes: Annotated[int, Option("number of processes", "count", "N", "Results do not depend on it.", default=1)]
    checkpoint: Checkpoint
    resume: Annotated[bool, Option("resume from the checkpoint, if it exists", "switch", default=False)]
    checkpoint_seconds: CheckpointSeconds


class MatchOptions(PlayedOptions, total=False):
    """What a match may be told; see :func:`errai.arena.match.play_match`."""

    hands: Annotated[
        int, Option("hands played", "count", "N", "With duplicate play their number is even.", default=10_000)
    ]
    duplicate: Annotated[bool, Option("play every deal twice, with the seats exchanged", "switch", default=False)]
    common_random_numbers: Annotated[
        bool,
        Option(
            "with duplicate play: the agent in a seat draws the same random numbers at both tables of a deal, so that "
            "nothing is won or lost until the strategies of the two agents differ",
            "switch",
            default=False,
        ),
    ]
    boards: Annotated[
        int | None,
        Option(
            "play no hands: on N boards drawn at random, compute what the first agent wins in expectation over all "
            "hands in both seats; for two strategies that neither learn nor solve",
            "count",
            "N",
            "Replaces ``hands`` and ``duplicate``.",
        ),
    ]
    until: Annotated[
        str | None,
        Option(
            "end before all hands are played, once it is decided with this confidence who wins, as in 95%",
            "text",
            "CONFIDENCE",
            "The interval may be looked at as often as one likes.",
        ),
    ]
    log: Annotated[Path | None, Option("write all hands to a log in the ACPC format", "file", "FILE")]


class LbrOptions(PlayedOptions, total=False):
    """What a local best response may be told; see :func:`errai.arena.lbr.measure.lbr`."""

    hands: Annotated[
        int,
        Option("number of hands", "count", "N", "Two are played of every deal, in the two seats.", default=20_000),
    ]
    of_a_board: Annotated[
        int,
        Option(
            "deals with the same board (default: 1)",
            "count",
            "N",
            "An agent that solves while it plays then solves each board once for N deals.  The interval treats the "
            "deals of a board as one observation.",
            default=1,
        ),
    ]
    bets_asked: Annotated[
        int | None,
        Option(
            "the agent is asked about N bets at a decision (default: all)",
            "count",
            "N",
            "How often it folds to the other bets of the menu is interpolated, and the best bet is asked about too.",
        ),
    ]


class ResponseOptions(PlayedOptions, total=False):
    """What a best response may be told; see :func:`errai.best_response`."""

    flops: Annotated[
        int | None,
        Option("estimate from N boards of the second street drawn at random (default: use every board)", "count", "N"),
    ]
    general: Annotated[
        bool, Option("do not take the short cut for strategies that ignore their cards", "switch", default=False)
    ]
    menu: Menu


class TrainOptions(TypedDict, total=False):
    """What a training over buckets may be told; see :func:`errai.train`."""

    seconds: Annotated[float | None, Option("train for S seconds; also 90s, 10min, 2h", "seconds", "S")]
    max_iterations: Annotated[int | None, Option("train for N iterations", "count", "N", flag="iterations")]
    menu: Menu
    weights: Annotated[
        "Weighting | None",
        Option(
            "how iterations are weighted: cfr, linear (the default) or cfr+; full and cfr-br take those of solve",
            "text",
            "NAME",
        ),
    ]
    threads: Threads
    memory: Memory
    seed: Seed
    average_every: Annotated[
        int,
        Option(
            "pcs: average only every N-th iteration, which saves up to a fifth of the time", "count", "N", default=1
        ),
    ]
    average_from: Annotated[
        int,
        Option(
            "leave the iterations before N out of the average; with pcs-br they fold too much",
            "count",
            "N",
            "A run that ends earlier returns the current strategy.",
            default=1,
        ),
    ]
    opponents: Annotated[
        "Abstraction | str | None",
        Option(
            "pcs-br: the opponent's abstraction before the last street (default: the same), split by texture too",
            letter="WHAT",
            more="Coarser buckets learn faster.",
        ),
    ]
    graft: Annotated[
        "Blueprint | str | None",
        Option(
            "pcs: keep the first street of this blueprint, and learn the rest in the abstraction given, against an "
            "opponent who is free everywhere",
            letter="BLUEPRINT",
            more="Strategy grafting (Waugh, Bard and Bowling 2009).",
        ),
    ]
    checkpoint: Checkpoint
    checkpoint_seconds: Annotated[float, Option("seconds between two checkpoints", "number", default=300.0)]
    resume: Resume


class NetDataOptions(TypedDict, total=False):
    """What the making of positions for networks may be told; see :func:`errai.nets.examples.generate.generate`."""

    positions: Annotated[int | None, Option("stop when the folder holds N positions", "count", "N")]
    hours: Annotated[float | None, Option("stop after H hours", "number", "H")]
    seed: Annotated[int, Option("random seed", "seed", "N", default=1)]
    processes: Annotated[
        int, Option("number of processes", "count", "N", "The output does not depend on it.", default=1)
    ]


class NetTrainOptions(TypedDict, total=False):
    """What the training of a network may be told; see :class:`errai.nets.training.loop.TrainingOptions`."""

    epochs: Annotated[int, Option("train on every position N times", "count", "N", default=20)]
    minutes: Annotated[
        float | None,
        Option(
            "train for at most M minutes",
            "number",
            "M",
            "Then no two runs are the same; otherwise the same seed, machine and threads give the same bits.",
        ),
    ]
    seed: Annotated[int, Option("random seed of the weights and of the order of positions", "seed", "N", default=0)]
    threads: Annotated[int, Option("number of threads", "count", "N", default=1)]


def defaults(*groups: type) -> dict[str, Any]:
    """Return the default of every option of some groups by its name."""
    return {name: option.default for name, (_, option) in declared(*groups).items()}


@cache
def declared(*groups: type) -> Mapping[str, tuple[Any, Option]]:
    """Return the type and the option by name of everything that one of the groups declares."""
    found: dict[str, tuple[Any, Option]] = {}
    for group in groups:
        for name, annotation in group.__annotations__.items():
            required = getattr(annotation, "__origin__", None) is Required
            held = get_args(annotation)[0] if required else annotation
            if hasattr(held, "__metadata__"):
                typed = held.__origin__ | None if required else held.__origin__
                found.setdefault(name, (getattr(typed, "__forward_arg__", typed), held.__metadata__[0]))
    return found


OPTIONS = {
    "target": Option(
        "stop at this exploitability: 0.3%pot, 1mbb or 0.5chips",
        "text",
        "T",
        "Without a target and a limit it is 1 mbb for games and 0.5 % of the pot for spots.",
    ),
    **{name: option for name, (_, option) in declared(MemoryOptions, StoreOptions).items()},
}
"""All options of :func:`errai.solve`, the target first."""

IN_MEMORY = frozenset(MemoryOptions.__annotations__) - frozenset(StoreOptions.__annotations__)
"""Options that only a run in memory takes."""

IN_STORE = frozenset(StoreOptions.__annotations__) - frozenset(MemoryOptions.__annotations__)
"""Options that only a run in a folder takes."""

F = TypeVar("F", bound=Callable[..., Any])


def takes(*groups: type) -> Callable[[F], F]:
    """Give a function with ``**options`` the signature and the documentation of the options of these groups.

    They take the place of ``{options}`` in its docstring.
    """
    import inspect  # As slow to load as all of this file, and the command line does not need it.

    def completed(function: F) -> F:
        options = declared(*groups)
        own = inspect.signature(function)
        plain = [p for p in own.parameters.values() if p.kind is not p.VAR_KEYWORD]
        named = [
            inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=option.default, annotation=annotation)
            for name, (annotation, option) in options.items()
        ]
        cast(Any, function).__signature__ = own.replace(parameters=[*plain, *named])
        if function.__doc__ is not None:
            texts = (f"{name}:\n{indent(_filled(option), 8 * ' ')}" for name, (_, option) in options.items())
            function.__doc__ = function.__doc__.replace("{options}", "\n    ".join(texts))
        return function

    return completed


def _filled(option: Option) -> str:
    return fill(f"{option.text}  {option.python}".rstrip(), 110, break_long_words=False, break_on_hyphens=False)
