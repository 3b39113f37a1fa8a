"""Compare a network with an exact solution of a position.

Evaluate a value network at a position on the turn or the river, solve the position exactly, and compare the two hand
by hand. Each hand is a dot: its EV against the other player's range, in pots, by the network on the horizontal axis and
by the exact solution on the vertical axis.

Unless ranges are given, they are drawn at random like those that networks are trained on. The exact solve takes from a
fraction of a second for small stacks to a minute for deep ones.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from errai.cli.arguments import Arguments, Options
from errai.cli.inputs import picture_file, save_pictures
from errai.cli.output import OK, write_facts, write_json
from errai.console import console, seconds_text
from errai.errors import InputError

if TYPE_CHECKING:
    from errai.nets.quality.losses import Beside
    from errai.pictures.curves import Cloud

GAME = "holdem.nolimit.2p"
PLAYERS = ("first to act", "second to act")
OFF = 8
"""How many hands are listed: those with the network's largest errors."""


def add_arguments(add: Arguments) -> None:
    """Declare the arguments."""
    add("net NET", "a network by name or .net file, or check-down or zero")
    add("--board CARDS", "four or five cards, such as Ks9d4h7c", required=True)
    add("--spr X", "chips left to bet, in pots", default=3.0)
    add.seed("seed of the ranges", default=1)
    add(
        "--range HANDS",
        "give it twice: the range of the player who acts first, then that of the other player (default: random)",
        action="append",
        default=[],
    )
    add("--picture FILE", "write the comparison as a picture (.svg or .png)")
    add.json()


def run(options: Options) -> int:
    """Evaluate the network, solve the position, and show both."""
    from errai.cards.deck import FULL_DECK
    from errai.cards.hands import hand_text
    from errai.cli.signals import stopped_by_signals
    from errai.games.catalogue import load_game
    from errai.nets.predictors import find_predictor
    from errai.nets.quality.losses import beside
    from errai.pictures.curves import Cloud, scatter_drawing

    pictures = picture_file(options.picture)
    board = tuple(int(card) for card in FULL_DECK.parse_cards(options.board))
    if len(board) not in (4, 5):
        raise InputError(f"The board must have four or five cards, not {len(board)}.")
    game = load_game(GAME)
    net = find_predictor(options.net, game, len(board) - 2)
    ranges = _ranges(options, game, board)
    with stopped_by_signals() as stop:
        found = beside(net, game, board, options.spr, ranges, stop=stop)
    labels = [hand_text(FULL_DECK, int(hand)) for hand in found.hands]
    said, exact = found.evs(found.said), found.evs(found.exact)
    clouds = [Cloud(PLAYERS[p], said[p], exact[p], found.ranges[p], labels) for p in (0, 1)]
    title = f"{net.name} on {FULL_DECK.cards_text(board)}, {options.spr:g} pots to bet"
    if options.json:
        write_json(_document(found, net.name, clouds))
    else:
        _write(found, title, clouds, net.name)
    save_pictures(pictures, lambda: scatter_drawing(clouds, net.name, "exact", title))
    return OK


def _ranges(options: Options, game: Any, board: tuple[int, ...]) -> Any:
    import numpy as np

    from errai.games.library import read_hands
    from errai.nets.quality.losses import ranges_on

    if len(options.range) not in (0, 2):
        raise InputError(
            "Give --range twice, first for the player who acts first and then for the other player, or not at all."
        )
    if not options.range:
        return ranges_on(game, board, options.seed)
    return np.stack([read_hands(text).weights for text in options.range])


def _document(found: Beside, name: str, clouds: list[Cloud]) -> dict[str, Any]:
    """Return the JSON document; ``docs/cli.md`` lists its fields."""
    import numpy as np

    def number(value: float) -> float | None:
        return float(value) if np.isfinite(value) else None

    return {
        "net": name,
        "board": [int(card) for card in found.board],
        "spr": found.stack,
        "huber": found.huber,
        "correlation": number(found.correlation),
        "exact_exploitability_pots": found.error,
        "exact_seconds": found.seconds,
        "hands": [
            {
                "hand": cloud.labels[i],
                "player": p,
                "weight": float(cloud.weights[i]),
                "net": number(cloud.across[i]),
                "exact": number(cloud.upwards[i]),
            }
            for p, cloud in enumerate(clouds)
            for i in range(len(cloud.labels))
        ],
    }


def _write(found: Beside, title: str, clouds: list[Cloud], name: str) -> None:
    import numpy as np

    from errai.pictures.dots import scatter_terminal

    out = console()
    out.print(title, style="bold", highlight=False)
    for p, cloud in enumerate(clouds):
        out.print(scatter_terminal(cloud, colour=p, ascii_only=out.color_system is None), highlight=False)
    off = np.abs(np.stack([cloud.across - cloud.upwards for cloud in clouds]))
    off[~np.isfinite(off)] = 0.0
    worst = np.argsort(-off.ravel(), kind="stable")[:OFF]
    rows = []
    for p, i in (divmod(int(place), off.shape[1]) for place in worst):
        cloud = clouds[p]
        rows.append((f"{cloud.labels[i]}, {cloud.name}", f"{cloud.across[i]:+.3f}, exact {cloud.upwards[i]:+.3f}"))
    sys.stdout.write("\n")
    write_facts(f"largest errors: EV in pots by {name}", rows)
    correlation = found.correlation
    write_facts(
        "all hands",
        [
            ("Huber loss, in DeepStack's unit", f"{found.huber:.4g}"),
            ("correlation", f"{correlation:.3f}" if np.isfinite(correlation) else ""),
            ("exact solution", f"within {100.0 * found.error:.2g}% of the pot in {seconds_text(found.seconds)}"),
        ],
    )
