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
from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass, field
from html import escape
from importlib.util import find_spec
from typing import Any, Concatenate, ParamSpec

from errai.errors import needs_extra
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


def check_png() -> None:
    """Raise :class:`MissingExtraError` if no PNG can be made here, without loading what makes them."""
    with needs_extra("pictures", "A PNG"):
        if find_spec("matplotlib") is None:
            raise ModuleNotFoundError(name="matplotlib")


@dataclass(frozen=True, slots=True)
class Rect:
    """A rectangle with its upper left corner at (x, y)."""

    x: float
    y: float
    width: float
    height: float
    fill: RGB | None
    _: KW_ONLY
    opacity: float = 1.0
    stroke: RGB | None = None
    stroke_width: float = 1.0
    radius: float = 0.0


@dataclass(frozen=True, slots=True)
class Text:
    """A text; ``anchor`` is start, middle or end; ``halo`` draws a rim around it."""

    x: float
    y: float
    text: str
    _: KW_ONLY
    size: float = 13.0
    fill: RGB = INK
    anchor: str = "start"
    bold: bool = False
    halo: RGB | None = None


@dataclass(frozen=True, slots=True)
class Path:
    """A line through points, or a polygon if it has a ``fill``."""

    points: Sequence[tuple[float, float]]
    _: KW_ONLY
    stroke: RGB | None = None
    width: float = 1.0
    dash: tuple[float, ...] = ()
    fill: RGB | None = None
    opacity: float = 1.0


@dataclass(frozen=True, slots=True)
class Hint:
    """A text that shows when the pointer rests on an area (SVG only)."""

    x: float
    y: float
    width: float
    height: float
    text: str


Shape = Rect | Text | Path | Hint
P = ParamSpec("P")


def _adds(kind: Callable[P, Shape]) -> Callable[Concatenate[Drawing, P], None]:
    """Return the method that adds a shape, which takes what the shape is made of."""

    def add(self: Drawing, /, *given: P.args, **named: P.kwargs) -> None:
        self.items.append(kind(*given, **named))

    add.__doc__ = kind.__doc__
    return add


@dataclass
class Drawing:
    """A picture of a given size in pixels, to which shapes are added back to front."""

    width: float
    height: float
    description: str = ""
    items: list[Shape] = field(default_factory=list)

    rect = _adds(Rect)
    text = _adds(Text)
    path = _adds(Path)
    hint = _adds(Hint)

    # --- SVG ---

    def svg(self) -> str:
        """Return the picture as one self-contained <svg> element."""
        size = f'width="{_number(self.width)}" height="{_number(self.height)}"'
        box = f'viewBox="0 0 {_number(self.width)} {_number(self.height)}"'
        start = f'<svg xmlns="http://www.w3.org/2000/svg" {size} {box} role="img" font-family="{FONT_STACK}">'
        title = [f"<title>{escape(self.description)}</title>"] if self.description else []
        shapes = [f'<rect width="100%" height="100%"{_paint(fill=PAPER)}/>', *map(_svg_item, self.items)]
        return "\n".join([start, *title, _dark_style("".join(shapes)), *shapes, "</svg>\n"])

    # --- PNG ---

    def png(self, *, scale: float = 2.0) -> bytes:
        """Return the picture as PNG data with ``scale`` dots per pixel."""
        with needs_extra("pictures", "A PNG"):
            from matplotlib.backends.backend_agg import FigureCanvasAgg
            from matplotlib.figure import Figure

        figure = Figure(figsize=(self.width / 100, self.height / 100), dpi=100 * scale, facecolor="white")
        canvas: Any = FigureCanvasAgg(figure)
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

        Raises :class:`FileAccessError` or :class:`DiskSpaceError` if it cannot be written; an older one then stays.
        """
        name = os.fspath(path)
        data = self.png(scale=scale) if name.lower().endswith(".png") else self.svg().encode()
        write_file(name, data)


def _svg_item(item: Shape) -> str:
    look: dict[str, Any]
    match item:
        case Rect():
            look = {"fill-opacity": item.opacity if item.opacity < 1 else None, "rx": item.radius or None}
            look["stroke-width"] = item.stroke_width if item.stroke is not None else None
            return _element("rect", _area(item) | look, _paint(item.fill, item.stroke))
        case Hint():
            return _element("rect", _area(item), ' fill="#000" fill-opacity="0"', f"<title>{escape(item.text)}</title>")
        case Text():
            look = {"x": item.x, "y": item.y, "font-size": item.size}
            look["text-anchor"] = item.anchor if item.anchor != "start" else None
            look["font-weight"] = "bold" if item.bold else None
            if item.halo is not None:
                look |= {"paint-order": "stroke", "stroke-width": RIM_WIDTH, "stroke-linejoin": "round"}
                look["stroke-opacity"] = _rim_opacity(item.halo)
            return _element("text", look, _paint(item.fill, item.halo), escape(item.text))
        case Path():
            look = {"points": " ".join(f"{_number(x)},{_number(y)}" for x, y in item.points)}
            if item.stroke is not None:
                look |= {"stroke-width": item.width, "stroke-linejoin": "round", "stroke-linecap": "round"}
            look["stroke-dasharray"] = " ".join(map(_number, item.dash)) or None
            look["opacity"] = item.opacity if item.opacity < 1 else None
            name = "polyline" if item.fill is None else "polygon"
            return _element(name, look, _paint(item.fill, item.stroke))


def _number(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")


def _area(item: Rect | Hint) -> dict[str, Any]:
    return {"x": item.x, "y": item.y, "width": item.width, "height": item.height}


def _element(name: str, attributes: dict[str, Any], more: str, content: str = "") -> str:
    """Write an element; an attribute that is None is left out, and ``more`` stands after the others as it is."""
    given = "".join(
        f' {key}="{_number(value) if isinstance(value, int | float) else value}"'
        for key, value in attributes.items()
        if value is not None
    )
    return f"<{name}{given}{more}>{content}</{name}>" if content else f"<{name}{given}{more}/>"


def _paint(fill: RGB | None = None, stroke: RGB | None = None) -> str:
    """Write the colours of a shape; a themed one has a class besides, by which the dark scheme finds it."""
    colours = (("fill", fill), ("stroke", stroke))
    classes = " ".join(f"errai-{kind}-{colour.name}" for kind, colour in colours if isinstance(colour, Themed))
    text = f' fill="{"none" if fill is None else hex_colour(fill)}"'
    text += "" if stroke is None else f' stroke="{hex_colour(stroke)}"'
    return text + (f' class="{classes}"' if classes else "")


def _dark_style(shapes: str) -> str:
    """Return the style sheet that gives the themed colours of some shapes their values on a dark page.

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
    """Return the opacity of a rim; a dark one around a light text needs less than a light one around a dark text."""
    return 0.85 if sum(colour) > 380 else 0.45


def _tone(colour: RGB | None) -> Any:
    return "none" if colour is None else tuple(c / 255 for c in colour)


def _add_to_axes(axes: Any, item: Shape, depth: int) -> None:
    """Draw one shape; a unit of the axes is a hundredth of an inch, so a pixel is 0.72 points."""
    from matplotlib.patches import FancyBboxPatch, Polygon, Rectangle
    from matplotlib.patheffects import withStroke

    def edge(stroke: RGB | None, width: float) -> dict[str, Any]:
        return {"edgecolor": _tone(stroke), "linewidth": 0.0 if stroke is None else width * 0.72, "zorder": depth}

    match item:
        case Rect():
            style: dict[str, Any] = {"facecolor": "none" if item.fill is None else (*_tone(item.fill), item.opacity)}
            style |= edge(item.stroke, item.stroke_width) | {"antialiased": True}
            corner, width, height = (item.x, item.y), item.width, item.height
            if item.radius:
                box = f"round,pad=0,rounding_size={item.radius}"
                axes.add_artist(FancyBboxPatch(corner, width, height, boxstyle=box, mutation_aspect=1, **style))
            else:
                axes.add_artist(Rectangle(corner, width, height, **style))
        case Text():
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
        case Path(fill=None):
            axes.plot(
                *zip(*item.points, strict=True),
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
        case Path():
            style = {"facecolor": _tone(item.fill), "alpha": item.opacity} | edge(item.stroke, item.width)
            axes.add_artist(Polygon(item.points, closed=True, **style))
