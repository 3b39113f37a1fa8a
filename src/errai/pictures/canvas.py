"""A short list of shapes that becomes an SVG text or a PNG picture.

Coordinates are pixels, x to the right, y down; a text is placed by its baseline.  SVG is written here
without any library; its themed colours follow the dark scheme of the reader's system.  For PNG, matplotlib's
Agg canvas is used as a rasteriser on a figure of its own: no state of pyplot is read or changed, and it is
imported only when a PNG is asked for.
"""

from __future__ import annotations

import io
import os
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Any

from errai.pictures.palette import INK, PAPER, RGB, THEMED, Themed, hex_colour
from errai.store.atomic import write_file

# Verdana has the widths of DejaVu Sans, which matplotlib ships; so both outputs lay out alike.
FONT_STACK = "DejaVu Sans, Verdana, Geneva, sans-serif"

RIM_WIDTH = 2.6

_NARROW = frozenset("ijl.,:;|'!()[]/ frt-I")
_WIDE = frozenset("mwMW%@")


def text_width(text: str, size: float, *, bold: bool = False) -> float:
    """Estimate the width of a text in pixels; the estimate is rather too wide than too narrow."""
    ems = 0.0
    for char in text:
        if char in _NARROW:
            ems += 0.37
        elif char in _WIDE:
            ems += 0.97
        else:
            ems += 0.70 if char.isupper() else 0.635
    return ems * size * (1.1 if bold else 1.0)


def fitted_size(text: str, size: float, width: float, *, bold: bool = False) -> float:
    """Return the size at which a text is no wider than ``width``: ``size``, or a smaller one."""
    needed = text_width(text, size, bold=bold)
    return size if needed <= width else size * width / needed


@dataclass(frozen=True, slots=True)
class _Rect:
    x: float
    y: float
    width: float
    height: float
    fill: RGB | None
    opacity: float
    stroke: RGB | None
    stroke_width: float
    radius: float


@dataclass(frozen=True, slots=True)
class _Text:
    x: float
    y: float
    text: str
    size: float
    fill: RGB
    anchor: str
    bold: bool
    halo: RGB | None


@dataclass(frozen=True, slots=True)
class _Path:
    points: tuple[tuple[float, float], ...]
    stroke: RGB | None
    width: float
    dash: tuple[float, ...]
    fill: RGB | None
    opacity: float


@dataclass(frozen=True, slots=True)
class _Hint:
    x: float
    y: float
    width: float
    height: float
    text: str


def _number(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")


@dataclass
class Drawing:
    """A picture of a given size in pixels, to which shapes are added back to front."""

    width: float
    height: float
    description: str = ""
    items: list[_Rect | _Text | _Path | _Hint] = field(default_factory=list)

    def rect(
        self,
        x: float,
        y: float,
        width: float,
        height: float,
        fill: RGB | None,
        *,
        opacity: float = 1.0,
        stroke: RGB | None = None,
        stroke_width: float = 1.0,
        radius: float = 0.0,
    ) -> None:
        """Add a rectangle with its upper left corner at (x, y)."""
        self.items.append(_Rect(x, y, width, height, fill, opacity, stroke, stroke_width, radius))

    def text(
        self,
        x: float,
        y: float,
        text: str,
        *,
        size: float = 13.0,
        fill: RGB = INK,
        anchor: str = "start",
        bold: bool = False,
        halo: RGB | None = None,
    ) -> None:
        """Add a text; ``anchor`` is start, middle or end; ``halo`` draws a rim around it."""
        self.items.append(_Text(x, y, text, size, fill, anchor, bold, halo))

    def path(
        self,
        points: Sequence[tuple[float, float]],
        *,
        stroke: RGB | None = None,
        width: float = 1.0,
        dash: tuple[float, ...] = (),
        fill: RGB | None = None,
        opacity: float = 1.0,
    ) -> None:
        """Add a line through points, or a polygon when ``fill`` is given."""
        self.items.append(_Path(tuple(points), stroke, width, dash, fill, opacity))

    def hint(self, x: float, y: float, width: float, height: float, text: str) -> None:
        """Add a text that shows when the pointer rests on an area (SVG only)."""
        self.items.append(_Hint(x, y, width, height, text))

    # --- SVG ---

    def svg(self) -> str:
        """Return the picture as one self-contained <svg> element."""
        size = f'width="{_number(self.width)}" height="{_number(self.height)}"'
        box = f'viewBox="0 0 {_number(self.width)} {_number(self.height)}"'
        parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" {size} {box} role="img" font-family="{FONT_STACK}">',
        ]
        if self.description:
            parts.append(f"<title>{escape(self.description)}</title>")
        shapes = [f'<rect width="100%" height="100%"{_paint(fill=PAPER)}/>', *map(_svg_item, self.items)]
        parts.append(_dark_style("".join(shapes)))
        parts.extend(shapes)
        parts.append("</svg>\n")
        return "\n".join(parts)

    # --- PNG ---

    def png(self, *, scale: float = 2.0) -> bytes:
        """Return the picture as PNG data with ``scale`` dots per pixel."""
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure

        figure = Figure(figsize=(self.width / 100, self.height / 100), dpi=100 * scale, facecolor="white")
        canvas = FigureCanvasAgg(figure)
        axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
        axes.set_xlim(0, self.width)
        axes.set_ylim(self.height, 0)
        axes.set_axis_off()
        for depth, item in enumerate(self.items):
            _add_to_axes(axes, item, depth)
        buffer = io.BytesIO()
        with warnings.catch_warnings():
            # A title in a script that the font lacks shows boxes; that is no reason to fail.
            warnings.filterwarnings("ignore", message="Glyph .* missing")
            canvas.print_png(buffer, metadata={"Software": None})
        return buffer.getvalue()

    def save(self, path: str | os.PathLike[str], *, scale: float = 2.0) -> None:
        """Write the picture to a file; the name's ending, .svg or .png, decides the format.

        Raises
        ------
        DiskSpaceError, FileAccessError
            The file cannot be written; the one that was there is unchanged then.
        """
        name = os.fspath(path)
        data = self.png(scale=scale) if name.lower().endswith(".png") else self.svg().encode()
        write_file(name, data)


def _svg_item(item: _Rect | _Text | _Path | _Hint) -> str:
    if isinstance(item, _Rect):
        return _svg_rect(item)
    if isinstance(item, _Text):
        return _svg_text(item)
    if isinstance(item, _Path):
        return _svg_path(item)
    place = f'x="{_number(item.x)}" y="{_number(item.y)}" width="{_number(item.width)}"'
    return (
        f'<rect {place} height="{_number(item.height)}" fill="#000" fill-opacity="0">'
        f"<title>{escape(item.text)}</title></rect>"
    )


def _svg_rect(item: _Rect) -> str:
    attributes = [
        f'x="{_number(item.x)}" y="{_number(item.y)}"',
        f'width="{_number(item.width)}" height="{_number(item.height)}"',
    ]
    if item.opacity < 1:
        attributes.append(f'fill-opacity="{_number(item.opacity)}"')
    if item.stroke is not None:
        attributes.append(f'stroke-width="{_number(item.stroke_width)}"')
    if item.radius:
        attributes.append(f'rx="{_number(item.radius)}"')
    return f"<rect {' '.join(attributes)}{_paint(item.fill, item.stroke)}/>"


def _svg_text(item: _Text) -> str:
    attributes = [
        f'x="{_number(item.x)}" y="{_number(item.y)}"',
        f'font-size="{_number(item.size)}"',
    ]
    if item.anchor != "start":
        attributes.append(f'text-anchor="{item.anchor}"')
    if item.bold:
        attributes.append('font-weight="bold"')
    if item.halo is not None:
        rim = f'stroke-width="{RIM_WIDTH}" stroke-linejoin="round" stroke-opacity="{_rim_opacity(item.halo)}"'
        attributes.append(f'paint-order="stroke" {rim}')
    return f"<text {' '.join(attributes)}{_paint(item.fill, item.halo)}>{escape(item.text)}</text>"


def _svg_path(item: _Path) -> str:
    points = " ".join(f"{_number(x)},{_number(y)}" for x, y in item.points)
    attributes = [f'points="{points}"']
    if item.stroke is not None:
        attributes.append(f'stroke-width="{_number(item.width)}"')
        attributes.append('stroke-linejoin="round" stroke-linecap="round"')
    if item.dash:
        attributes.append(f'stroke-dasharray="{" ".join(_number(d) for d in item.dash)}"')
    if item.opacity < 1:
        attributes.append(f'opacity="{_number(item.opacity)}"')
    return f"<{'polyline' if item.fill is None else 'polygon'} {' '.join(attributes)}{_paint(item.fill, item.stroke)}/>"


def _paint(fill: RGB | None = None, stroke: RGB | None = None) -> str:
    """The attributes of a shape's colours; a themed one has a class besides, by which the dark scheme finds it."""
    colours = (("fill", fill), ("stroke", stroke))
    classes = " ".join(f"errai-{kind}-{colour.name}" for kind, colour in colours if isinstance(colour, Themed))
    text = f' fill="{"none" if fill is None else hex_colour(fill)}"'
    text += "" if stroke is None else f' stroke="{hex_colour(stroke)}"'
    return text + (f' class="{classes}"' if classes else "")


def _dark_style(shapes: str) -> str:
    """The style sheet that gives the themed colours of some shapes their values on a dark page.

    Attributes hold the light ones, so programs that know no style sheets draw the light picture.
    """
    rules = [
        f".errai-{kind}-{colour.name}{{{kind}:{hex_colour(colour.dark)}}}"
        for colour in THEMED
        for kind in ("fill", "stroke")
        if f"errai-{kind}-{colour.name}" in shapes
    ]
    return f"<style>@media (prefers-color-scheme: dark){{{''.join(rules)}}}</style>"


def _rim_opacity(colour: RGB) -> float:
    """A dark rim around a light text needs less strength than a light rim around a dark text."""
    return 0.85 if sum(colour) > 380 else 0.45


def _tone(colour: RGB | None) -> Any:
    return "none" if colour is None else tuple(c / 255 for c in colour)


def _add_to_axes(axes: Any, item: _Rect | _Text | _Path | _Hint, depth: int) -> None:
    """Draw one shape; a unit of the axes is a hundredth of an inch, so a pixel is 0.72 points."""
    from matplotlib.patches import FancyBboxPatch, Polygon, Rectangle
    from matplotlib.patheffects import withStroke

    if isinstance(item, _Rect):
        style: dict[str, Any] = {
            "facecolor": (*_tone(item.fill), item.opacity) if item.fill is not None else "none",
            "edgecolor": _tone(item.stroke),
            "linewidth": item.stroke_width * 0.72 if item.stroke is not None else 0.0,
            "zorder": depth,
            "antialiased": True,
        }
        if item.radius:
            box = f"round,pad=0,rounding_size={item.radius}"
            axes.add_patch(
                FancyBboxPatch((item.x, item.y), item.width, item.height, boxstyle=box, mutation_aspect=1, **style)
            )
        else:
            axes.add_patch(Rectangle((item.x, item.y), item.width, item.height, **style))
    elif isinstance(item, _Text):
        effects = []
        if item.halo is not None:
            rim = {"foreground": _tone(item.halo), "alpha": _rim_opacity(item.halo)}
            effects.append(withStroke(linewidth=RIM_WIDTH * 0.72, **rim))
        axes.text(
            item.x,
            item.y,
            item.text,
            fontsize=item.size * 0.72,
            fontfamily="DejaVu Sans",
            fontweight="bold" if item.bold else "normal",
            color=_tone(item.fill),
            ha={"start": "left", "middle": "center", "end": "right"}[item.anchor],
            va="baseline",
            zorder=depth,
            path_effects=effects,
            usetex=False,
            parse_math=False,
        )
    elif isinstance(item, _Path):
        if item.fill is not None:
            edge, width = _tone(item.stroke), item.width * 0.72 if item.stroke is not None else 0.0
            axes.add_patch(
                Polygon(
                    item.points,
                    closed=True,
                    facecolor=_tone(item.fill),
                    edgecolor=edge,
                    linewidth=width,
                    alpha=item.opacity,
                    zorder=depth,
                )
            )
        else:
            axes.plot(
                [x for x, _ in item.points],
                [y for _, y in item.points],
                color=_tone(item.stroke),
                linewidth=item.width * 0.72,
                linestyle=(0, tuple(d / item.width for d in item.dash)) if item.dash else "solid",
                marker="",
                alpha=item.opacity,
                solid_capstyle="round",
                solid_joinstyle="round",
                zorder=depth,
                scalex=False,
                scaley=False,
            )
