"""A review of hands as plain values for JSON."""

from __future__ import annotations

from typing import Any

from errai.arena.review import Review, Total


def review_document(review: Review, top: int) -> dict[str, Any]:
    """Return a review as plain values for JSON: the sums, and the ``top`` greatest losses."""

    def totals(found: dict[str, Total], name: str) -> list[dict[str, Any]]:
        return [
            {
                name: key,
                "decisions": total.decisions,
                "loss_chips": total.loss_chips,
                "loss_mbb": review.units.mbb(total.loss_chips),
            }
            for key, total in found.items()
        ]

    return {
        "hands": review.hands,
        "decisions": len(review.decisions),
        "loss_chips": sum(d.counted_chips for d in review.decisions),
        "loss_mbb": review.units.mbb(sum(d.counted_chips for d in review.decisions)),
        "not_counted": sum(d.loss_chips > 0 and not d.is_counted for d in review.decisions),
        "by_player": totals(review.totals(lambda d: d.player), "player"),
        "by_street": totals(review.totals(lambda d: d.street), "street"),
        "by_line": totals(review.totals(lambda d: d.line), "line")[:top],
        "greatest": [
            {
                "hand": d.hand,
                "player": d.player,
                "cards": d.cards,
                "board": d.board,
                "street": d.street,
                "line": d.line,
                "played": d.played,
                "action": d.action,
                "mapped": d.mapped,
                "best": d.best,
                "ev_chips": d.ev_chips,
                "probabilities": d.probabilities,
                "loss_chips": d.loss_chips,
                "loss_mbb": review.units.mbb(d.loss_chips),
                "counted": d.is_counted,
                "line_reached": d.line_reached,
                "unconverged_chips": d.unconverged_chips,
            }
            for d in review.decisions[:top]
        ],
        "left_out": review.left_out,
    }
