"""The solutions: what there is, their nodes, uploads, and the recomputation of certificates."""

from __future__ import annotations

import re
from functools import partial
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Request, Response
from fastapi import Path as InPath
from starlette.concurrency import run_in_threadpool

from errai.errors import InputError
from errai.games.lock_file import locks_text
from errai.pictures.summary import chosen_hands
from errai.solutions.export import hand_dict
from errai.solutions.notes import remove_note, write_note
from errai.solutions.strategy_locks import MOST_DECIMALS, strategy_locks
from errai.web import solution_models as models
from errai.web import views
from errai.web.files import NAME_PATTERN
from errai.web.library import ExploitabilityView, Opened, SolutionView
from errai.web.models import listed, sent
from errai.web.routes import TheServices

router = APIRouter(prefix="/solutions", tags=["solutions"])

# The pattern is for readers of the contract; what is wrong with a name is said in words by Workspace.
_OF_NAMES: dict[str, Any] = {"min_length": 1, "max_length": 100, "json_schema_extra": {"pattern": NAME_PATTERN}}
Name = Annotated[str, InPath(description="The name of a solution.", **_OF_NAMES)]
GivenName = Annotated[str, Query(description="The name that the solution gets.", **_OF_NAMES)]
Line = Annotated[str, Query(max_length=4000, description="Actions and cards, such as `check bet 120 / Ah / check`.")]
Player = Annotated[int | None, Query(ge=0, le=1, description="The player whose range is meant.")]
Whole = Annotated[
    bool, Query(description="Whether a large file is read and checked as a whole; then the EV of every hand is known.")
]
Hand = Annotated[str, Query(min_length=2, max_length=40, description="A hand such as AhKd, or a class such as AKs.")]
Other = Annotated[str, Query(alias="with", description="The name of another solution.", **_OF_NAMES)]
WithLine = Annotated[
    str | None, Query(max_length=4000, description="The line in the other solution; by default the same.")
]
By = Annotated[
    Literal["strategy", "ev", "equity", "eqr"], Query(description="What a picture shows; tables and data have all.")
]
Decimals = Annotated[int, Query(ge=1, le=MOST_DECIMALS, description="Decimals of the frequencies.")]


@router.get("", response_model=models.SolutionsView)
async def solutions(services: TheServices) -> Response:
    """List all solutions, the newest first."""
    # To look at the folder is quick; what is new in it is read in a thread.
    found, new = services.library.known()
    return listed("solutions", await run_in_threadpool(services.library.views) if new else found)


@router.post(
    "",
    status_code=201,
    openapi_extra={
        "requestBody": {
            "required": True,
            "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}},
        }
    },
)
async def upload(request: Request, services: TheServices, name: GivenName) -> SolutionView:
    """Take in a solution file.  Every byte is checked before it is listed; a damaged or foreign file is not kept."""
    await run_in_threadpool(services.library.free, name)
    with services.library.arriving() as file:
        async for chunk in request.stream():
            await run_in_threadpool(file.write, chunk)
        return await run_in_threadpool(services.library.keep, file, name)


@router.get("/{name}")
def solution(services: TheServices, name: Name) -> SolutionView:
    """Describe a solution."""
    return services.library.described(name).view


@router.delete("/{name}", status_code=204)
def delete(services: TheServices, name: Name) -> None:
    """Remove a solution."""
    services.library.delete(name)


@router.get("/{name}/node", response_model=models.NodeView)
async def node(
    services: TheServices, name: Name, line: Line = "", player: Player = None, whole: Whole = False
) -> Response:
    """Show the node after a line."""
    library, asked = services.library, (line, player)

    def shown(opened: Opened) -> bytes:
        view = views.node_view(opened, line)
        words = [view["line"], *([] if player is None else ["--player", str(player)]), "--whole" if whole else ""]
        found = models.NodeView(solution=name, **view, command=library.command("show", name, *words))
        return found.model_dump_json().encode()

    def made() -> bytes:
        with library.opened(name, whole=whole) as opened:
            return opened.answers.get_or_make(asked, partial(shown, opened))

    # What is kept is sent at once; another thread would take as long as all the rest.
    kept = library.answered(name, asked, whole=whole)
    return sent(await run_in_threadpool(made) if kept is None else kept)


@router.get("/{name}/hand")
def hand(services: TheServices, name: Name, hand: Hand, line: Line = "", whole: Whole = False) -> models.HandsView:
    """Show a hand, or all hands of a class, at the node after a line."""
    with services.library.opened(name, whole=whole) as opened:
        found = opened.at(line)
        names = chosen_hands(found, [hand])
        hands = [models.HandView(**hand_dict(found, found.hands.index(name))) for name in names]
        return models.HandsView(line=found.line, hands=hands)


@router.get("/{name}/reading")
def reading(services: TheServices, name: Name, line: Line = "", whole: Whole = False) -> models.ReadingView:
    """Show what both ranges at the node after a line are read by: categories of hands, and the weights of pairs."""
    with services.library.opened(name, whole=whole) as opened:
        return models.ReadingView(**views.reading_view(opened.at(line)))


@router.get("/{name}/blockers")
def blockers(
    services: TheServices, name: Name, hand: Hand, line: Line = "", player: Player = None, whole: Whole = False
) -> models.BlockersView:
    """Show what a hand, or each hand of a class, takes away from the opponent's range and from each of his actions."""
    with services.library.opened(name, whole=whole) as opened:
        found = opened.at(line)
        who = player if player is not None else found.player if found.player is not None else 0
        held = [one for one in chosen_hands(found, [hand]) if found.ranges[who, found.hands.index(one)] > 0]
        if not held:
            raise InputError(f"{hand} is not in the range of {found.player_names[who]} here.")
        return models.BlockersView(**views.blockers_view(found, who, held))


def _notes(found: dict[str, str]) -> models.NotesView:
    return models.NotesView(notes=[models.NoteView(line=line, text=text) for line, text in sorted(found.items())])


@router.get("/{name}/notes")
def notes(services: TheServices, name: Name) -> models.NotesView:
    """List the notes on a solution, which `errai note` keeps as well."""
    return _notes(services.library.notes(name))


@router.put("/{name}/notes")
def write(services: TheServices, name: Name, note: models.NoteRequest) -> models.NotesView:
    """Write a note at a line, in place of one that is there."""
    place = services.library.notes_place(name)
    with services.library.opened(name) as opened:
        line = opened.at(note.line).line
    return _notes(write_note(place, line, note.text))


@router.delete("/{name}/notes")
def remove(services: TheServices, name: Name, line: Line = "") -> models.NotesView:
    """Remove the note at a line, which is named as the list has it."""
    return _notes(remove_note(services.library.notes_place(name), line))


@router.get("/{name}/runouts")
def run_outs(services: TheServices, name: Name, line: Line = "", whole: Whole = False) -> models.RunOutsView:
    """Show what follows each card that can come after a line that closes a street."""
    with services.library.opened(name, whole=whole) as opened:
        view = views.run_outs_view(opened.at(line))
    command = services.library.command("runouts", name, view["line"], "--whole" if whole else "")
    return models.RunOutsView(solution=name, **view, command=command)


@router.get("/{name}/compare")
def compare(
    services: TheServices, name: Name, other: Other, line: Line = "", with_line: WithLine = None, whole: Whole = False
) -> models.ComparisonView:
    """Put a node of one solution beside a node of another; both lines must lead to the same cards and player."""
    lines = (line, line if with_line is None else with_line)
    with services.library.both_opened(name, other, whole=whole) as pair:
        nodes = [opened.at(one) for opened, one in zip(pair, lines, strict=True)]
        return models.ComparisonView(
            solutions=[name, other],
            titles=[opened.solution.title for opened in pair],
            **views.comparison_view(nodes[0], nodes[1]),
            certificates=[models.CertificateView(**views.certificate_view(opened.solution)) for opened in pair],
            commands=[
                services.library.command("show", one, node.line, "--whole" if whole else "")
                for one, node in zip((name, other), nodes, strict=True)
            ],
        )


EXPORTS = {"csv": "text/csv; charset=utf-8", "json": "application/json", "png": "image/png", "svg": "image/svg+xml"}
FILES: dict[int | str, dict[str, Any]] = {200: {"content": {media.partition(";")[0]: {} for media in EXPORTS.values()}}}
Format = Annotated[Literal["csv", "json", "png", "svg"], Query(description="The kind of file.")]


def _file(data: bytes, format: str, *words: str) -> Response:
    """Return a file to be kept, with a name from the words of a solution and a line."""
    stem = "-".join(re.findall(r"[A-Za-z0-9._-]+", " ".join(words)))[:120]
    headers = {"content-disposition": f'attachment; filename="{stem}.{format}"'}
    return Response(data, media_type=EXPORTS[format], headers=headers)


@router.get("/{name}/export", response_class=Response, responses=FILES)
def export(
    services: TheServices,
    name: Name,
    format: Format,
    line: Line = "",
    by: By = "strategy",
    player: Player = None,
    whole: Whole = False,
) -> Response:
    """Return a node as a file: a table, data or a picture, as `errai show` writes them."""
    with services.library.opened(name, whole=whole) as opened:
        found = opened.at(line)
        data = views.exported(opened.solution, found, format, by, player)
    return _file(data, format, name, found.line)


@router.get("/{name}/runouts/export", response_class=Response, responses=FILES)
def export_run_outs(
    services: TheServices,
    name: Name,
    format: Format,
    line: Line = "",
    by: Annotated[Literal["strategy", "ev", "equity"], Query(description="What a picture shows.")] = "strategy",
    player: Player = None,
    whole: Whole = False,
) -> Response:
    """Return run-outs as a file: a table, data or a picture, as `errai runouts` writes them."""
    with services.library.opened(name, whole=whole) as opened:
        found = opened.at(line).run_outs()
        data = views.exported(opened.solution, found, format, by, player)
    return _file(data, format, name, found.line, "runouts")


@router.post("/{name}/verify")
def verify(services: TheServices, name: Name) -> models.VerificationView:
    """Recompute the certificate of a solution; for one that is large the answer is the command that does it."""
    found, command = services.library.verify(name), services.library.command("verify", name)
    if found is None:
        text = "To verify this takes minutes and much memory; run this command in a terminal."
        return models.VerificationView(certified=None, text=text, command=command)
    result, seconds = found
    text = "Certified." if result.certified else "NOT certified: " + "; ".join(map(str, result.differences)) + "."
    return models.VerificationView(
        certified=result.certified,
        text=text,
        command=command,
        seconds=seconds,
        tolerance_chips=result.tolerance_chips,
        certificate=ExploitabilityView.model_validate(result.certificate),
        recomputed=ExploitabilityView.model_validate(result.recomputed),
        differences=[models.DifferenceView(**vars(one), text=str(one)) for one in result.differences],
    )


@router.get("/{name}/spot")
def spot(services: TheServices, name: Name) -> models.SpotView:
    """Return what a solution is of and how it was solved, to solve it again with changes."""
    with services.library.opened(name) as opened:
        return models.SpotView(**views.spot_view(opened.solution))


@router.get("/{name}/lock")
def lock(services: TheServices, name: Name, line: Line = "", decimals: Decimals = 4) -> models.LockView:
    """Return the strategy at a decision as the text of a file of locks, to be edited and solved again."""
    with services.library.opened(name) as opened:
        found = opened.at(line)
        return models.LockView(line=found.line, locks=locks_text(strategy_locks(found, decimals)))
