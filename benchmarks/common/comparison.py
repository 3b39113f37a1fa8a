"""Tables that compare the results of programs on the same spots: of one spot, and of many."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from common.tables import number_text, spread, table

STREETS = ("flop", "turn", "river")

Answer = dict[str, Any]
"""What a driver prints."""
Record = dict[str, Any]
"""A spot with the answers of all programs: what the JSON file keeps."""
Value = Callable[[Answer], float | None]
"""What is compared of an answer; None where it is not there."""


# --- what an answer says ---


def before(answers: Sequence[Answer]) -> float:
    """Exploitability before the first iteration, per cent of the pot."""
    return answers[0]["curve"][0][3]


def reached(answer: Answer, target: float) -> list[float] | None:
    """Iterations, seconds of iterations, seconds in all and per cent of the pot where a target was met, or None."""
    if "reached" in answer:
        return next((point for goal, *point in answer["reached"] if goal == target), None)
    return next((point for point in answer["curve"] if point[3] <= target), None)


def seconds_to(target: float) -> Value:
    """A function of an answer: the seconds to a target, measurements included; None where it was not met."""

    def seconds(answer: Answer) -> float | None:
        point = reached(answer, target)
        return None if point is None else point[2]

    return seconds


def iterations_to(target: float) -> Value:
    """A function of an answer: the iterations to a target; None where it was not met."""

    def iterations(answer: Answer) -> float | None:
        point = reached(answer, target)
        return None if point is None else point[0]

    return iterations


def seconds_with_setup(target: float) -> Value:
    """A function of an answer: the same with the time to build the tree, for a spot that is solved once."""
    solving = seconds_to(target)

    def seconds(answer: Answer) -> float | None:
        found = solving(answer)
        return None if found is None else found + answer["setup_seconds"]

    return seconds


def setup_seconds(answer: Answer) -> float:
    """Seconds to build the tree and allocate the state."""
    return answer["setup_seconds"]


def seconds_per_iteration(answer: Answer) -> float | None:
    """Seconds of an iteration, measurements left out; None where none was run."""
    count, iterating, *_ = answer["curve"][-1]
    return iterating / count if count else None


def state_bytes(answer: Answer) -> float | None:
    """Bytes of what the solver keeps per strategy entry, as it counts them itself; None where it does not say."""
    return answer["memory_bytes"]


def resident_growth(answer: Answer) -> float:
    """The most resident memory less what the process had when it had loaded its program and no spot."""
    return answer["resident_bytes"] - answer.get("baseline_bytes", 0)


def ratio(ours: Sequence[Answer], theirs: Sequence[Answer], value: Value) -> float | None:
    """How many times greater a peer's value is: the median over the pairs of runs that stood side by side."""
    ratios = []
    for mine, other in zip(ours, theirs, strict=True):
        small, great = value(mine), value(other)
        if not small or not great:
            return None  # Unknown, or nothing: a process that has solved the spot before does not grow.
        ratios.append(great / small)
    return statistics.median(ratios)


# --- the table of a spot ---


def program_row(name: str, runs: Sequence[Answer], targets: Sequence[float]) -> list[str]:
    """One program's row of the table of a spot."""
    each = [1000 * value for run in runs if (value := seconds_per_iteration(run)) is not None]
    cells = [name, spread(each) if each else ""]
    for target in targets:
        points = [point for run in runs if (point := reached(run, target)) is not None]
        if len(points) == len(runs):
            cells.append(f"{points[0][0]} it, {spread([point[2] for point in points])}")
        else:
            cells.append("not reached")
    cells.append(spread([run["setup_seconds"] for run in runs]))
    state = state_bytes(runs[0])
    cells.append("" if state is None else f"{state / 1e6:.1f}")
    growth = statistics.median(resident_growth(run) for run in runs)
    cells.append(f"{growth / 1e6:.1f} / {statistics.median(run['resident_bytes'] for run in runs) / 1e6:.1f}")
    return cells


def spot_text(record: Record, targets: Sequence[float]) -> str:
    """Return the table of a spot, followed by the checks."""
    answers, ours = record["answers"], record["ours"]
    first = answers[ours[0]]
    peers = [name for name in answers if name not in ours]
    rows = [program_row(name, runs, targets) for name, runs in answers.items()]
    values = [seconds_per_iteration, *(seconds_to(target) for target in targets)]
    for mine in ours:
        for peer in peers:
            found = [ratio(answers[mine], answers[peer], value) for value in values]
            cells = ["" if value is None else f"**{value:.2f} x**" for value in found]
            others = [ratio(answers[mine], answers[peer], v) for v in (setup_seconds, state_bytes, resident_growth)]
            rows.append([f"{mine} : {peer}", *cells, *("" if other is None else f"{other:.2f} x" for other in others)])
    goals = [f"to {target:g} %, s" for target in targets]
    head = ["", "ms per iteration", *goals, "set-up, s", "state, MB", "growth / peak, MB"]
    lines = [f"### {record['title']} (`{record['file']}`), {first[0]['entries']:,} entries\n", table(head, rows)]
    for peer in peers:
        lines.append(f"Before the first iteration: {before(first):.5f} %, {peer} {before(answers[peer]):.5f} %.\n")
    for name, reason in record["refused"].items():
        lines.append(f"Without {name}: {reason}.\n")
    return "\n".join(lines)


# --- the summary of many spots ---


def pairs(records: Sequence[Record]) -> Iterator[tuple[str, str]]:
    """Every variant of Errai with every peer, in the order of their first appearance."""
    seen = dict.fromkeys(
        (mine, peer)
        for record in records
        for mine in record["ours"]
        for peer in record["answers"]
        if peer not in record["ours"]
    )
    yield from seen


def distribution_row(name: str, records: Sequence[Record], mine: str, peer: str, value: Value) -> list[str]:
    """How the ratio of one value spreads over the spots."""
    both = [record for record in records if mine in record["answers"] and peer in record["answers"]]
    found = {}
    for record in both:
        number = ratio(record["answers"][mine], record["answers"][peer], value)
        if number is not None:
            found[Path(record["file"]).stem] = number
    missed = [
        sum(any(value(answer) is None for answer in record["answers"][who]) for record in both) for who in (mine, peer)
    ]
    left_out = f"{missed[0]} / {missed[1]}" if any(missed) else ""
    if not found:
        return [name, "0", "", "", "", "", "", left_out]
    low, high = min(found, key=found.__getitem__), max(found, key=found.__getitem__)
    numbers = list(found.values())
    return [
        name,
        str(len(numbers)),
        f"**{statistics.median(numbers):.2f} x**",
        f"{statistics.geometric_mean(numbers):.2f} x",
        f"{found[low]:.2f} x ({low})",
        f"{found[high]:.2f} x ({high})",
        str(sum(number > 1.0 for number in numbers)),
        left_out,
    ]


def summary_text(records: Sequence[Record], targets: Sequence[float]) -> str:
    """How the ratios spread over the spots, and a row for every spot."""
    lines = []
    for mine, peer in pairs(records):
        lines.append(f"### {peer} divided by {mine}: how the ratio spreads over the spots\n")
        head = ["", "spots", "median", "geometric mean", "worst", "best", "above 1", "not reached by us / by the peer"]
        rows = [distribution_row("time per iteration", records, mine, peer, seconds_per_iteration)]
        for target in targets:
            rows.append(distribution_row(f"time to {target:g} %", records, mine, peer, seconds_to(target)))
            rows.append(distribution_row(f"iterations to {target:g} %", records, mine, peer, iterations_to(target)))
        name = f"time to {min(targets):g} %, set-up included"
        rows.append(distribution_row(name, records, mine, peer, seconds_with_setup(min(targets))))
        for street in STREETS:
            there = [record for record in records if record["street"] == street]
            if there and len(there) < len(records):
                name = f"time to {min(targets):g} %, {street}s"
                rows.append(distribution_row(name, there, mine, peer, seconds_to(min(targets))))
        rows.append(distribution_row("bytes of the state", records, mine, peer, state_bytes))
        rows.append(distribution_row("growth of resident memory", records, mine, peer, resident_growth))
        lines += [table(head, rows), f"### {peer} divided by {mine}: every spot\n"]
        lines.append(spots_table(records, targets, mine, peer))
    return "\n".join(lines)


def spots_table(records: Sequence[Record], targets: Sequence[float], mine: str, peer: str) -> str:
    """A row for every spot: ratios of times, and iterations and seconds to the least target."""
    least = min(targets)
    head = ["spot", "entries", "per iteration", *(f"to {target:g} %" for target in targets)]
    head += [f"iterations to {least:g} %", f"seconds to {least:g} %"]
    rows = []
    for record in records:
        if mine not in record["answers"] or peer not in record["answers"]:
            continue
        both = record["answers"][mine], record["answers"][peer]
        values = [seconds_per_iteration, *(seconds_to(target) for target in targets)]
        cells = [Path(record["file"]).stem, f"{both[0][0]['entries']:,}"]
        cells += ["" if (found := ratio(*both, value)) is None else f"{found:.2f} x" for value in values]
        for value, show in ((iterations_to(least), "{:,.0f}".format), (seconds_to(least), number_text)):
            middles = [median_or_none([value(answer) for answer in answers]) for answers in both]
            cells.append(" / ".join("–" if middle is None else show(middle) for middle in middles))
        rows.append(cells)
    return table(head, rows)


def median_or_none(values: Sequence[float | None]) -> float | None:
    """The median, or None where a value is missing."""
    known = [value for value in values if value is not None]
    return statistics.median(known) if len(known) == len(values) else None
