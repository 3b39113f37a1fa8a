"""Show how much memory, disk and time a solve needs, without running it."""

from __future__ import annotations

from dataclasses import asdict

from errai.cli.arguments import SUBJECT, Arguments, Options
from errai.cli.inputs import given, load_subject
from errai.cli.output import OK, answer
from errai.console import bytes_text, seconds_text

SETTINGS = ("target", "algorithm", "precision", "memory", "menu", "threads", "locks")


def add_arguments(add: Arguments) -> None:
    """Declare the arguments."""
    add("subject GAME", SUBJECT)
    add.solve(*SETTINGS)
    add.json()


def run(options: Options) -> int:
    """Estimate and write."""
    import errai
    from errai.cli.solutions import subject_name
    from errai.engine.resources import allowed_memory

    subject = load_subject(options.subject)
    estimate = errai.estimate(subject, **given(options, *SETTINGS))
    name = subject_name(subject, options.subject)
    document = {"game": name, **asdict(estimate)}
    del document["title"]
    allowed = allowed_memory(options.memory)
    lacks = allowed is not None and allowed < estimate.memory_bytes
    free = f" of which {bytes_text(allowed or 0)} are {'allowed' if options.memory else 'free here'}" if lacks else ""
    facts = [
        ("betting nodes", f"{estimate.nodes:,}"),
        ("boards", ", ".join(f"{count:,}" for count in estimate.boards)),
        ("information sets", f"{estimate.information_sets:,}"),
        ("after merging", f"{estimate.canonical_information_sets:,} that are not strategically equivalent"),
        ("strategy entries", f"{estimate.entries:,}"),
        ("precision", estimate.precision),
        ("memory", f"{bytes_text(estimate.memory_bytes)}{free and ','}{free}"),
        ("solution on disk", bytes_text(estimate.disk_bytes)),
        ("checkpoint on disk", bytes_text(estimate.checkpoint_bytes)),
        ("time per iteration", "about " + seconds_text(estimate.seconds_per_iteration)),
    ]
    answer(options, document, name, facts)
    return OK
