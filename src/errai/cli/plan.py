"""Show what it takes to solve a game that is too large for memory: subgames, bytes, days, money.

Show what it takes to solve a game that may be far too large for one machine: subgames, bytes, time and money. Counts
are exact, the speed is measured on this machine or given, and assumptions are marked.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from errai.cli.arguments import GAME, Arguments, Options, memory_bytes, positive_number, rate_number
from errai.cli.inputs import given, load_subject
from errai.cli.output import OK, columns, fields, write_facts, write_json
from errai.console import console, decimal_bytes_text, seconds_text

if TYPE_CHECKING:
    from rich.table import Table

    from errai.cluster.planning import ClusterPlan, Cut

PASSED_ON = ("workers", "rate", "bytes_per_information_set", "iterations", "price", "memory_per_worker", "cut", "menu")

MOST_IN_DIGITS = 1e9
"""From this number on, information sets of subgames are shown rounded."""


def add_arguments(add: Arguments) -> None:
    """Declare the arguments."""
    add("game GAME", GAME)
    add("--target T", "target exploitability, as for solve", default="1mbb")
    add("--workers W", "machines: 48xh200, 200x24cores, or local (default)")
    add("--rate R", "information sets per second of one core or GPU, such as 40M", rate_number)
    add(
        "--bytes-per-infoset B",
        "bytes per information set on disk (default: 0.79, as for Cepheus)",
        positive_number,
        dest="bytes_per_information_set",
    )
    add("--iterations N", "number of iterations (default: scaled from Cepheus's 1,579)")
    add("--price P", "price of one worker for an hour")
    add("--memory-per-worker M", "memory of a machine or GPU, for instance 96GiB", memory_bytes)
    add("--cut STREET", "show only cuts at this street: flop, turn, river, or the number of the round, from 2")
    add.solve("menu")
    add.json()


def run(options: Options) -> int:
    """Plan and write."""
    from errai.cluster.planning import plan_cluster

    plan = plan_cluster(load_subject(options.game), options.target, **given(options, *PASSED_ON))  # type: ignore[arg-type]
    if options.json:
        write_json(plan_document(plan))
    else:
        _write(plan)
    return OK


def plan_document(plan: ClusterPlan) -> dict[str, Any]:
    """Return the JSON document; ``docs/cli.md`` lists its fields.  Counts are exact up to 2^53."""
    return fields(
        plan,
        "information_sets entries target_mbb iterations iterations_note state_bytes disk_bytes "
        "bytes_per_information_set bytes_note fits_in_memory seconds_per_iteration seconds unit_years cost",
        game=plan.title,
        cuts=[_cut_document(plan, cut) for cut in plan.cuts],
        workers=fields(
            plan.workers, "count kind units unit", text=str(plan.workers), memory_bytes=plan.memory_per_worker
        ),
        rate=fields(plan.rate, "per_second origin note"),
    )


def _cut_document(plan: ClusterPlan, cut: Cut) -> dict[str, Any]:
    parts = ("trunk", "average", "largest")
    each = plan.bytes_per_information_set
    return {
        "street": plan.street_names[cut.street],
        **fields(cut, "by subgames factors"),
        **fields(cut, " ".join(f"{part}_information_sets {part}_entries" for part in parts)),
        **{f"{part}_disk_bytes": getattr(cut, f"{part}_information_sets") * each for part in parts[1:]},
        **{f"{part}_state_bytes": _state(getattr(cut, f"{part}_entries")) for part in parts},
        "largest_fits": plan.largest_fits(cut),
    }


def _write(plan: ClusterPlan) -> None:
    out, size = console(), decimal_bytes_text
    write_facts(
        plan.title,
        [
            ("information sets, up to suits", f"{plan.information_sets:,}"),
            ("strategy entries", f"{plan.entries:,}"),
            ("in 16 bits, uncompressed", f"{size(plan.state_bytes)} (4 bytes per entry: regrets and averages)"),
            ("on disk", f"{size(plan.disk_bytes)} ({plan.bytes_per_information_set:g} bytes per information set)"),
        ],
    )
    out.print("\n[bold]Subgames[/bold]: information sets in each, and bytes in 16 bits, uncompressed")
    table = columns("cut at", "apart by", right=("subgames", "trunk", "average", "largest"), no_wrap=True)
    for cut in plan.cuts:
        product = " x ".join(f"{factor:,}" for factor in cut.factors)
        table.add_row(
            plan.street_names[cut.street],
            cut.by.replace(" and ", ", "),
            f"{cut.subgames:,}\n= {product}" if len(cut.factors) > 1 else product,
            _two_lines(cut.trunk_information_sets, cut.trunk_entries),
            _two_lines(cut.average_information_sets, cut.average_entries),
            _two_lines(cut.largest_information_sets, cut.largest_entries),
        )
    out.print(table if plan.cuts else "The game has one street: there is nothing to cut.")
    out.print("\n[bold]Solving it[/bold]")
    out.print(_run_table(plan))
    out.print()
    for name, text in _notes(plan):
        out.print(f"{name}: {text}.", soft_wrap=True, markup=False)


def _two_lines(information_sets: float, entries: float) -> str:
    """Return a number of information sets and, on a second line, the bytes of their entries in 16 bits."""
    count = f"{information_sets:,.0f}"
    if information_sets >= MOST_IN_DIGITS:
        count = f"{information_sets:.2e}".replace("e+", "e")
    return f"{count}\n{decimal_bytes_text(_state(entries))}"


def _run_table(plan: ClusterPlan) -> Table:
    from errai.cluster.machines import rounded_text
    from errai.cluster.planning import CEPHEUS

    unit = plan.workers.unit
    # The time is a lower bound in these cases; the notes on time and memory explain why.
    least = "at least " if plan.rate.origin != "given" or plan.fits_in_memory is False else ""
    unmeasured = ", UNMEASURED" if plan.rate.origin == "scaled" else ""
    rows = [
        ("target exploitability", plan.target.text, f"{CEPHEUS.exploitability_mbb} mbb, reached"),
        ("workers", str(plan.workers), f"{CEPHEUS.cores:,} cores"),
        (
            "information sets per second",
            f"{rounded_text(plan.rate.per_second)} a {unit}{unmeasured}",
            f"{rounded_text(CEPHEUS.rate)} a core",
        ),
        ("iterations", f"{plan.iterations:,}", f"{CEPHEUS.iterations:,}"),
        (
            "one iteration",
            least + seconds_text(plan.seconds_per_iteration),
            seconds_text(CEPHEUS.seconds_per_iteration),
        ),
        ("all iterations", least + seconds_text(plan.seconds), seconds_text(CEPHEUS.seconds)),
        (f"{unit}-years", f"{plan.unit_years:,.3g}", f"{CEPHEUS.core_years:,.0f} core-years, published"),
        ("on disk", decimal_bytes_text(plan.disk_bytes), decimal_bytes_text(CEPHEUS.disk_bytes)),
    ]
    if plan.cost is not None:
        rows.append(("money", f"{least}{plan.cost:,.0f} at {plan.price:g} per worker and hour", ""))
    table = columns("", "this plan", CEPHEUS.title)
    for row in rows:
        table.add_row(*row)
    return table


def _notes(plan: ClusterPlan) -> list[tuple[str, str]]:
    """Return where the numbers come from, and what they leave out."""
    notes = [("Iterations", plan.iterations_note), ("Rate", plan.rate.note), ("Bytes on disk", plan.bytes_note)]
    if plan.rate.origin != "given":
        notes.append(
            ("Time", "a lower bound: unlike Cepheus's, the rate leaves out compression, disks and the network")
        )
    if plan.fits_in_memory is not None and plan.memory_bytes is not None:
        held, needed = decimal_bytes_text(plan.memory_bytes), decimal_bytes_text(plan.disk_bytes)
        if plan.fits_in_memory:
            notes.append(("Memory", f"the {held} of all workers hold the compressed state of {needed}"))
        else:
            each = decimal_bytes_text(plan.disk_bytes / plan.workers.count)
            moved = f"each must read and write {each} per iteration elsewhere, which the time leaves out"
            notes.append(("Memory", f"the {held} of all workers do not hold the compressed state of {needed}; {moved}"))
    too_large = [f"{plan.street_names[c.street]} by {c.by}" for c in plan.cuts if plan.largest_fits(c) is False]
    if too_large and plan.memory_per_worker is not None:
        memory = decimal_bytes_text(plan.memory_per_worker)
        notes.append(("Largest subgame", f"larger than a worker's {memory} for these cuts: {', '.join(too_large)}"))
    units, most = plan.workers.units, max((cut.subgames for cut in plan.cuts), default=1)
    if most < units:
        notes.append(("Subgames", f"at most {most:,}, so that not all of the {units:,} {plan.workers.unit}s can work"))
    return notes


def _state(entries: float) -> float:
    from errai.cluster.machines import STATE_BYTES_PER_ENTRY

    return STATE_BYTES_PER_ENTRY * entries
