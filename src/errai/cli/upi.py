"""Answer commands of other solvers' scripts, line by line.

Read commands from standard input and answer each on standard output, as scripts for PioSOLVER expect of it (UPI): load
a solution or a spot, solve it, and ask for nodes, strategies, ranges, EVs and equities.

    errai upi
    load_tree flop.errai
    show_children r:0
    calc_ev OOP r:0:c:b120

Nodes have the names of that protocol: r:0 is the first decision, c a check or call, f a fold, b120 a bet or raise to
120 chips in all since the spot began, and cards are written as they come. `help` lists the commands.
"""

from __future__ import annotations

import contextlib
import re
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from errai.cli.arguments import Arguments, Options
from errai.cli.output import OK, version
from errai.errors import ErraiError, InputError, LineError

if TYPE_CHECKING:
    import numpy as np

    from errai.games.spot import Spot
    from errai.solutions.node import SolutionNode
    from errai.solutions.solution import Solution

SEATS = ("OOP", "IP")

_NUMBER = re.compile(r"[0-9.]+")

FORGIVEN = (
    "set_threads",
    "set_recalc_accuracy",
    "set_always_recalc",
    "set_isomorphism",
    "load_all_nodes",
    "set_info_freq",
    "clear_lines",
)
"""Commands about the other program's own machinery; they are acknowledged and change nothing."""


def add_arguments(add: Arguments) -> None:
    """Declare the arguments."""
    add("place FILE", "a solution (.errai) or a spot (.toml) to begin with, as by load_tree", nargs="?", default="")


def run(options: Options) -> int:
    """Answer commands until the input ends or says `exit`."""

    def write(text: str) -> None:
        # A solve says from a thread of its own that it has ended, and nobody asks for it.
        sys.stdout.write(text)
        sys.stdout.flush()

    session = Session(write)
    if options.place:
        session.load_tree(options.place)
    for line in sys.stdin:
        if not session.answer(line.strip()):
            break
    session.stop()
    return OK


class Session:
    """The state between commands: a spot, its solution, and what is to be solved next.

    Each command is a method, whose name it has and whose docstring ``help`` shows; it returns the answer.
    """

    def __init__(self, write: Callable[[str], Any]) -> None:
        self._write = write
        self._end = ""
        self._spot: Spot | None = None
        self._changes: dict[str, Any] = {}
        self._solution: Solution | None = None
        self._target = "0.5%pot"
        self._locks: dict[str, dict[str, Any]] = {}
        self._given: dict[str, list[list[float]]] = {}
        self._worker: threading.Thread | None = None
        self._stop: Any = None
        self._failure: ErraiError | None = None

    def answer(self, line: str) -> bool:
        """Answer one command; False if it ends the session."""
        words = _words(line)
        if not words or words[0].startswith("#"):
            return True
        name, *arguments = words
        if name == "exit":
            return False
        try:
            self._say(self._answer(name, arguments))
        except ErraiError as error:
            self._say(f"ERROR: {error}")
        return True

    def _answer(self, name: str, arguments: list[str]) -> str:
        if name in FORGIVEN:
            return f"{name} ok!"
        command = None if name.startswith("_") or name == "answer" else getattr(self, name, None)
        if command is None:
            raise InputError(f"there is no command '{name}' here; `help` lists those that there are")
        code = command.__func__.__code__
        most = code.co_argcount - 1
        least = most - len(command.__func__.__defaults__ or ())
        takes_all = bool(code.co_flags & 0x04)
        if len(arguments) < least or (len(arguments) > most and not takes_all):
            many = f"{least} or more" if takes_all else least if least == most else f"{least} to {most}"
            raise InputError(f"'{name}' takes {many} argument{'' if many == 1 else 's'} here")
        found = command(*arguments)
        return f"{name} ok!" if found is None else str(found)

    def _say(self, text: str) -> None:
        self._write(f"{text}\n{self._end}\n" if self._end else f"{text}\n")

    # --- the program itself --------------------------------------------------------------------------------------

    def help(self) -> str:
        """List the commands."""
        names = [name for name in dir(self) if not name.startswith("_") and name != "answer"]
        lines = [f"{name}: {(getattr(self, name).__doc__ or '').splitlines()[0]}" for name in names]
        return "\n".join([*lines, f"acknowledged, without effect: {', '.join(FORGIVEN)}"])

    def is_ready(self) -> None:
        """Say that commands are read."""

    def show_version(self) -> str:
        """Show the version of Errai."""
        return version()

    def set_end_string(self, text: str) -> None:
        """Set the line that follows every answer."""
        self._end = text

    def reset_end_string(self) -> None:
        """Let no line follow the answers."""
        self._end = ""

    def show_hand_order(self) -> str:
        """Show the order of hands in all lists: 1,326 of them."""
        from errai.cards.deck import FULL_DECK
        from errai.cards.hands import hand_texts

        return " ".join(hand_texts(FULL_DECK))

    # --- spots and solving ---------------------------------------------------------------------------------------

    def load_tree(self, path: str, *how: str) -> None:
        """Load a solution (.errai) or a spot (.toml)."""
        from errai.cli.inputs import load_solution, load_subject
        from errai.games.spot import Spot

        self.stop()
        solution = None if Path(path).suffix.lower() == ".toml" else load_solution(path)
        spot = load_subject(path) if solution is None else solution.subject
        if not isinstance(spot, Spot) or not spot.board:
            raise InputError(f"{path} is no spot after the flop or its solution, which this protocol is about")
        self._spot, self._solution, self._changes, self._locks, self._given = spot, solution, {}, {}, {}

    def set_board(self, *cards: str) -> None:
        """Set the cards on the table of the spot that is loaded."""
        self._changes["board"] = "".join(cards)

    def set_pot(self, oop: str, ip: str, start: str) -> None:
        """Set the chips in the middle; nothing may have been bet."""
        if float(_number(oop)) or float(_number(ip)):
            raise InputError("a spot begins with a street, so that both players have bet 0")
        self._changes["pot"] = _number(start)

    def set_eff_stack(self, chips: str) -> None:
        """Set the chips that both players have behind."""
        self._changes["stack"] = _number(chips)

    def set_range(self, seat: str, *weights: str) -> None:
        """Set a range by the weights of all hands in the order of show_hand_order, or as text."""
        import numpy as np

        from errai.cards.hands import NUM_HANDS
        from errai.cards.range_writer import write_range

        text = " ".join(weights)
        if len(weights) not in (1, NUM_HANDS) and all(_NUMBER.fullmatch(word) for word in weights):
            raise InputError(f"a range has the weights of {NUM_HANDS:,} hands, not of {len(weights):,}")
        if len(weights) == NUM_HANDS:
            text = write_range(np.array([float(_number(w)) for w in weights]))
        self._changes.setdefault("ranges", {})[("oop", "ip")[_seat(seat)]] = text

    def build_tree(self) -> None:
        """Apply what has been set to the spot that is loaded; its bets stay."""
        from errai.games.spot import Spot

        table = self._template().to_dict()
        ranges = {**table["ranges"], **self._changes.get("ranges", {})}
        self._spot = Spot.from_dict({**table, **self._changes, "ranges": ranges})
        self._changes, self._solution, self._locks, self._given = {}, None, {}, {}

    def set_accuracy(self, number: str, unit: str = "chips") -> None:
        """Set the exploitability at which solving ends, in chips or as a fraction of the pot."""
        if unit not in ("chips", "fraction"):
            raise InputError(f"an accuracy is given in chips or as a fraction, not in '{unit}'")
        value = _above_0(number)
        self._target = f"{value:.12g}chips" if unit == "chips" else f"{100.0 * value:.12g}%pot"

    def go(self, number: str = "", unit: str = "seconds") -> str:
        """Solve, for so many seconds or steps at most; `wait_for_solver` waits for the end."""
        import errai

        if self._changes:
            self.build_tree()
        spot = self._template()
        if self._worker is not None and self._worker.is_alive():
            raise InputError("a solve is running; `stop` ends it")
        limits: dict[str, Any] = {}
        if number:
            if unit not in ("seconds", "steps"):
                raise InputError(f"a limit is given in seconds or steps, not in '{unit}'")
            limit = _above_0(number)
            limits = {"seconds": limit} if unit == "seconds" else {"max_iterations": max(1, int(limit))}
        self._stop, self._failure = errai.StopToken(), None
        locks = self._locks or None

        def solve() -> None:
            try:
                self._solution = errai.solve(spot, self._target, stop=self._stop, locks=locks, **limits)
                found = self._solution.exploitability
                told = f"{self._solution.status}; exploitable for {found.chips:.6g} chips"
            except ErraiError as error:
                self._failure = error
                told = f"ERROR: {error}"
            with contextlib.suppress(OSError):  # The next answer meets it, and ends the command.
                self._write(f"SOLVER: stopped ({told})\n")

        self._worker = threading.Thread(target=solve, daemon=True)
        self._worker.start()
        return "go ok!\nSOLVER: started"

    def stop(self) -> None:
        """End a solve that is running; what it has reached stays."""
        if self._worker is not None:
            self._stop.set()
            self.wait_for_solver()

    def wait_for_solver(self) -> None:
        """Wait until the solve that is running has ended."""
        if self._worker is not None:
            self._worker.join()
            self._worker = None
        if self._failure is not None:
            failure, self._failure = self._failure, None
            raise failure

    def calc_results(self) -> str:
        """Show the EVs, what best responses win (MES), and the exploitability."""
        found = self._solved()
        gains, values = found.exploitability.by_player, found.values.chips
        return "\n".join(
            [
                f"running time: {found.seconds:.3f}",
                *(f"EV {seat}: {value:.6g}" for seat, value in zip(SEATS, values, strict=True)),
                *(f"{seat}'s MES: {v + g:.6g}" for seat, v, g in zip(SEATS, values, gains, strict=True)),
                f"Exploitable for: {found.exploitability.chips:.6g}",
            ]
        )

    def dump_tree(self, path: str, *what: str) -> None:
        """Save the solution (.errai)."""
        from errai.cli.inputs import output_path

        output = output_path(path, suffix=".errai", container=True)
        assert output is not None
        self._solved().save(output)

    # --- nodes ---------------------------------------------------------------------------------------------------

    def show_node(self, name: str) -> str:
        """Show a node: its name, kind, board, chips put in by OOP and IP and at the beginning, children."""
        return self._shown(name, self._node(name))

    def show_children(self, name: str) -> str:
        """Show the nodes after every action, or after every card."""
        node = self._node(name)
        after = [] if _is_over(node) else [(f"{name}:{step}", self._node(f"{name}:{step}")) for step in _steps(node)]
        return "\n\n".join(f"child {i}:\n{self._shown(child, at)}" for i, (child, at) in enumerate(after))

    def show_strategy(self, name: str) -> str:
        """Show how often each hand takes each action: a line for each child, in its order."""
        node = self._decision(name)
        return "\n".join(_floats(row) for row in node.strategies.T)

    def show_range(self, seat: str, name: str = "r:0") -> str:
        """Show the weights of a player's hands at a node."""
        return _floats(self._node(name).ranges[_seat(seat)])

    def calc_ev(self, seat: str, name: str) -> str:
        """Show what each hand of a player wins of the pot from a node on, and the weight of the hands it meets."""
        node, player = self._node(name), _seat(seat)
        if node.why_no_ev:
            raise LineError(node.why_no_ev)
        return f"{_floats(node.ev[player])}\n{_floats(self._matchups(node, player))}"

    def calc_eq_node(self, seat: str, name: str) -> str:
        """Show the equity of each hand of a player at a node, the weight of the hands it meets, and the range's."""
        node, player = self._node(name), _seat(seat)
        if node.why_no_equity:
            raise LineError(node.why_no_equity)
        matchups = _floats(self._matchups(node, player))
        return f"{_floats(node.equity[player])}\n{matchups}\n{_floats(node.range_equity[player : player + 1])}"

    def calc_line_freq(self, name: str) -> str:
        """Show how often a line is taken, all its cards given."""
        return _floats([self._node(name).reached])

    def show_effective_stack(self) -> str:
        """Show the chips behind at the beginning."""
        return f"{self._template().effective_stack:g}"

    def show_board(self) -> str:
        """Show the cards on the table at the beginning."""
        return self._template().board_text

    def show_tree_info(self) -> str:
        """Show board, pot and stacks of the spot."""
        spot = self._template()
        facts = {"Board": spot.board_text, "Pot": f"0 0 {spot.pot:g}", "EffectiveStacks": f"{spot.effective_stack:g}"}
        return "\n".join(f"#{name}#{value}" for name, value in facts.items())

    # --- locks ---------------------------------------------------------------------------------------------------

    def set_strategy(self, name: str, *numbers: str) -> None:
        """Give the strategy of a node, as show_strategy writes it, for the next lock_node."""
        node = self._decision(name)
        count = len(node.hands)
        if len(numbers) != count * len(node.actions):
            raise InputError(f"{len(node.actions)} times {count} numbers are needed here, not {len(numbers)}")
        values = [float(_number(n)) for n in numbers]
        if not all(0.0 <= value <= 1.0 for value in values):
            raise InputError("a strategy has numbers from 0 to 1")
        self._given[name] = [values[i * count : (i + 1) * count] for i in range(len(node.actions))]

    def lock_node(self, name: str) -> None:
        """Fix the strategy of a node in the next solve: the one that was given, else the solution's."""
        from errai.solutions.strategy_locks import MOST_DECIMALS, strategy_locks

        node = self._decision(name)
        if name not in self._given:
            self._locks |= strategy_locks(node, MOST_DECIMALS)
            return
        rows, table = self._given[name], {}
        for i, hand in enumerate(node.hands):
            if node.solution.root_ranges[node.player or 0, i] > 0 and sum(row[i] for row in rows) > 0:
                table[hand] = {action: row[i] for action, row in zip(node.actions, rows, strict=True)}
        self._locks |= {node.line: table}

    def unlock_node(self, name: str) -> None:
        """Let the strategy of a node be solved again."""
        self._locks.pop(self._decision(name).line, None)

    # --- what the commands share ---------------------------------------------------------------------------------

    def _template(self) -> Spot:
        if self._spot is None:
            raise InputError("no spot is loaded; `load_tree FILE` takes a spot (.toml) or a solution (.errai)")
        return self._spot

    def _solved(self) -> Solution:
        if self._solution is None:
            raise InputError("the spot has not been solved; `go` and `wait_for_solver` do that")
        return self._solution

    def _node(self, name: str) -> SolutionNode:
        """Return the node of a name such as ``r:0:c:b120``."""
        root, first, *steps = [*name.split(":"), ""]
        if (root, first) not in (("r", "0"), ("r", "")):
            raise LineError(f"a node begins with r:0, not '{name}'")
        node = self._solved().root
        for step in (s for s in steps if s):
            node = node[step] if node.kind == "chance" else node[_action(node, step)]
        return node

    def _decision(self, name: str) -> SolutionNode:
        node = self._node(name)
        if node.player is None:
            raise LineError(f"no player acts at {name}")
        return node

    def _shown(self, name: str, node: SolutionNode) -> str:
        if node.player is not None:
            kind = f"{SEATS[node.player]}_DEC"
        else:
            kind = "END_NODE" if _is_over(node) else "SPLIT_NODE"
        start = self._solved().initial_pot_chips
        own = [float(x) - start / 2 for x in node.solution.tree.betting.contributions[node.node]]
        children = 0 if kind == "END_NODE" else len(_steps(node))
        pot = " ".join(f"{x:.10g}" for x in (*own, start))
        return f"{name}\n{kind}\n{node.board_text}\n{pot}\n{children} children\nflags:"

    @staticmethod
    def _matchups(node: SolutionNode, player: int) -> np.ndarray:
        from errai.cards.hands import fitting_weights

        met = fitting_weights(node.solution.tree.root.hands, node.ranges[1 - player])
        return met * (node.ranges[player] > 0)


def _words(line: str) -> list[str]:
    """Cut a command into words; a word with spaces stands between quotation marks."""
    parts = line.split('"')
    words: list[str] = []
    for i, part in enumerate(parts):
        words += [part] if i % 2 else part.split()
    return words


def _number(text: str) -> int | float:
    try:
        value = float(text)
    except ValueError:
        raise InputError(f"'{text}' is not a number") from None
    if not abs(value) < float("inf"):
        raise InputError(f"'{text}' is not a finite number")
    return int(value) if value == int(value) else value


def _above_0(text: str) -> float:
    value = float(_number(text))
    if value <= 0.0:
        raise InputError(f"'{text}' is not a number above 0")
    return value


def _seat(text: str) -> int:
    if text.upper() not in SEATS:
        raise InputError(f"a player is OOP or IP, not '{text}'")
    return SEATS.index(text.upper())


def _is_over(node: SolutionNode) -> bool:
    """Return whether no player acts any more: the hand has ended, or all cards come without a choice."""
    from errai.tree.betting_tree import NodeKind

    betting = node.solution.tree.betting
    return node.player is None and betting.kind[betting.after_chance(node.node)] != NodeKind.DECISION


def _steps(node: SolutionNode) -> list[str]:
    """Return the names of the steps after a node: actions, or cards."""
    if node.player is None:
        return list(node.children)
    betting, start = node.solution.tree.betting, node.solution.initial_pot_chips / 2
    names = []
    for child, action in zip(betting.children(node.node), node.actions, strict=True):
        total = float(betting.contributions[child, node.player]) - start
        names.append("f" if action == "fold" else "c" if action in ("check", "call") else f"b{total:.10g}")
    return names


def _action(node: SolutionNode, step: str) -> str:
    """Return the action that a step such as ``b120`` names."""
    names = _steps(node)
    if node.player is None or step not in names:
        raise LineError(f"'{step}' is not possible here; there are {', '.join(names) or 'no steps'}")
    return node.actions[names.index(step)]


def _floats(values: Any) -> str:
    """Write numbers in a line; what is not known, or cannot be, is nan."""
    return " ".join(f"{value:.9g}" for value in values)
