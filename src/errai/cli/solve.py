"""Solve a game or a spot.

Solve a game or a spot until the exploitability of the average strategy is at most the target.

Without --target, --max-iterations and --seconds the target is 1mbb for games and 0.5%pot for
spots. Ctrl-C ends a solve early with a valid result, which is saved like any other; a second Ctrl-C aborts.
"""

from __future__ import annotations

import os

from errai.cli.arguments import SUBJECT, Arguments, Options
from errai.cli.inputs import checkpoint_options, given, load_subject, output_path
from errai.cli.output import ended, note, say
from errai.cli.solutions import (
    say_layout,
    subject_name,
    write_run,
    write_solution,
)
from errai.engine.status import Status
from errai.errors import InputError
from errai.options import IN_STORE, OPTIONS

OF_A_STORE = [name for name in OPTIONS if name in IN_STORE and OPTIONS[name].is_argument]
SETTINGS = [n for n, option in OPTIONS.items() if option.is_argument and n not in ("target", *OF_A_STORE)]
"""Options of :func:`errai.solve` that the verb takes as they are declared."""
NOT_OVER_A_NET = ("store", "lock", "checkpoint", "resume", "start_from")


def add_arguments(add: Arguments) -> None:
    """Declare the arguments."""
    add("subject GAME", SUBJECT)
    add.solve("target")
    add("-o --output FILE", "save the solution (.errai)")
    add(
        "--net NET",
        "solve the first street with a value network at its end, and measure the exploitability: a network by name "
        "or .net file, or the baselines check-down and zero",
    )
    add.solve(*SETTINGS)
    store = add.group("games larger than memory, with --store")
    store.solve(*OF_A_STORE, needs="store")
    store("--current", "keep no averages: the current strategy is the result", needs="store")
    add.progress()


def run(options: Options) -> int:
    """Solve, save, and write a summary."""
    import errai
    from errai.cli.signals import watched
    from errai.engine.progress_view import unit_of

    subject = load_subject(options.subject)
    name, in_store = subject_name(subject, options.subject), options.store is not None
    if in_store:
        _check_store(options)
    for option in NOT_OVER_A_NET if options.net is not None else ():
        if getattr(options, option):
            raise InputError(f"--{option.replace('_', '-')} cannot be used with --net.")
    output = output_path(options.output)
    if output is not None and os.path.exists(options.subject) and output.exists() and output.samefile(options.subject):
        raise InputError(f"-o {options.output} would overwrite the file to solve; choose another name.")
    settings = given(options, "target", *SETTINGS, *OF_A_STORE) | checkpoint_options(options)
    if options.current:
        settings["strategy"] = "current"
    if options.net is not None:
        from errai.cli.solve_net import run_over_net

        return run_over_net(subject, options, settings, output)
    if in_store:
        from errai.cluster.run import StoreEvents

        settings["events"] = StoreEvents(on_layout=None if options.quiet else say_layout, on_repair=note)
    with watched(options, name, unit_of(options.target, subject)) as (stop, view):
        found = errai.solve(subject, stop=stop, progress=view or False, **settings)
    if isinstance(found, errai.Solution):
        if output is not None:
            found.save(output)
        write_solution(found, options)
        saved = f"Saved to {output}; show it with: errai show {output}"
        say(options, saved if output is not None else "Not saved; give -o FILE.errai to keep it.")
    else:
        write_run(found, name, subject.rake is None, options)
    return exit_code(found.status, options)


def _check_store(options: Options) -> None:
    """Raise :class:`InputError` for an option that is given and not taken by a run in a folder."""
    wrong = {"output": OPTIONS["checkpoint"].not_in_store}
    wrong |= {option.flag or name: why for name, option in OPTIONS.items() if (why := option.not_in_store)}
    for name, why in wrong.items():
        if getattr(options, name):
            raise InputError(f"--{name.replace('_', '-')} cannot be used with --store: {why}.")


def exit_code(status: Status, options: Options) -> int:
    """Write what can be done about a solve that stopped before its target, and return the exit code."""
    only_limits = options.target is None and (options.max_iterations or options.seconds) is not None
    return ended(options, not status.is_success(only_limits=only_limits), status.advice)
