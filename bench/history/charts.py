"""Charts of the performance history, as SVG; the same points give the same bytes.

They have a white ground of their own, so they can be read on pages of any colour.
"""

import math
import typing
from xml.sax.saxutils import escape

COLORS = ("#d1495b", "#2e6f95", "#8a6d1f")
INK, GRID = "#333333", "#e4e4e4"


class Mark(typing.NamedTuple):
    """A figure of one point. Only marks of one group, and none of None, are joined."""

    place: int  # of the point among those of the chart
    low: float
    middle: float
    high: float
    group: object
    note: str


def element(name, text=None, **attributes):
    words = "".join(f' {key.replace("_", "-")}="{value:.1f}"'
                    if isinstance(value, float) else
                    f' {key.replace("_", "-")}="{escape(str(value))}"'
                    for key, value in attributes.items())
    return f"<{name}{words}/>" if text is None else (
        f"<{name}{words}>{text}</{name}>")


def words(text, x, y, anchor="start", size=11, **more):
    return element("text", escape(text), x=float(x), y=float(y),
                   text_anchor=anchor, font_size=size, fill=INK, **more)


def line(x1, y1, x2, y2, color=GRID, width=1):
    return element("line", x1=float(x1), y1=float(y1), x2=float(x2),
                   y2=float(y2), stroke=color, stroke_width=width)


def document(width, height, title, parts):
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" '
        f'height="{height}" viewBox="0 0 {width} {height}" '
        'font-family="Helvetica, Arial, DejaVu Sans, sans-serif" role="img">',
        element("title", escape(title)),
        element("rect", width=width, height=height, fill="#ffffff"),
        *parts, "</svg>"]) + "\n"


def round_up(value):
    """The least of 1, 2, 2.5, 4, 5 and 8 times a power of ten that is not below."""
    power = 10.0 ** math.floor(math.log10(value))
    return next(step * power for step in (1, 2, 2.5, 4, 5, 8, 10)
                if step * power >= value * (1 - 1e-12))


# A chart over time is a table of panels; sizes are in pixels.
COLUMNS = 4
PANEL_WIDTH, PANEL_HEIGHT = 210, 160
LEFT, RIGHT, ABOVE, BELOW = 40, 12, 26, 28
HEAD = 36


def draw_marks(marks, color, x_of, y_of):
    """The lines, ranges and dots of one series in a panel."""
    for group in dict.fromkeys(mark.group for mark in marks):
        joined = [mark for mark in marks if mark.group == group]
        if group is not None and len(joined) > 1:
            yield element("polyline", fill="none", stroke=color, stroke_width=1.5,
                          points=" ".join(f"{x_of(mark.place):.1f},"
                                          f"{y_of(mark.middle):.1f}"
                                          for mark in joined))
    for mark in marks:
        x = x_of(mark.place)
        if mark.high > mark.low:
            yield line(x, y_of(mark.low), x, y_of(mark.high), color)
        yield element("circle", element("title", escape(mark.note)), cx=x,
                      cy=y_of(mark.middle), r=3.5, stroke=color, stroke_width=1.5,
                      fill="#ffffff" if mark.group is None else color)


def draw_panel(title, series, names, places, x, y):
    """A panel at x, y: {name of a series: marks} over the places of the points."""
    width = PANEL_WIDTH - LEFT - RIGHT
    height = PANEL_HEIGHT - ABOVE - BELOW
    top = round_up(max(mark.high for marks in series.values() for mark in marks))

    def x_of(place):
        return x + LEFT + width * (place + 0.5) / len(places)

    def y_of(value):
        return y + ABOVE + height * (1 - value / top)

    yield words(title, x + LEFT, y + 14, font_weight="bold")
    for value in (0, top / 2, top):
        yield line(x + LEFT, y_of(value), x + LEFT + width, y_of(value))
        yield words(f"{value:g}", x + LEFT - 5, y_of(value) + 4, "end", 10)
    for place in sorted({0, len(places) - 1}):
        anchor = ("middle" if len(places) == 1 else "end" if place else "start")
        at = {"middle": x_of(0), "start": x + LEFT, "end": x + LEFT + width}[anchor]
        yield words(places[place], at, y + ABOVE + height + 15, anchor, 10)
    for color, name in zip(COLORS, names):
        yield from draw_marks(series.get(name, []), color, x_of, y_of)


def over_time(title, panels, places):
    """A chart of panels, {title: {name of a series: marks}}, as SVG.

    `places` has a label for each point, in order. There are three series at most.
    """
    names = list(dict.fromkeys(name for series in panels.values() for name in series))
    if len(names) > len(COLORS):
        raise ValueError(f"more series than colours: {names}")
    rows = math.ceil(len(panels) / COLUMNS)
    columns = min(COLUMNS, len(panels))
    parts, at = [], LEFT
    for name, color in zip(names, COLORS):
        parts += [element("circle", cx=float(at), cy=18.0, r=4, fill=color),
                  words(name, at + 9, 22)]
        at += 40 + 6 * len(name)
    for index, (panel, series) in enumerate(panels.items()):
        parts += draw_panel(panel, series, names, places,
                            PANEL_WIDTH * (index % columns),
                            HEAD + PANEL_HEIGHT * (index // columns))
    return document(PANEL_WIDTH * max(columns, 2), HEAD + PANEL_HEIGHT * rows, title,
                    parts)


# Outlines of marks around 0, 0, in pixels.
OUTLINES = {
    "circle": "M-5,0a5,5 0 1,0 10,0a5,5 0 1,0 -10,0z",
    "diamond": "M0,-5L5,0L0,5L-5,0z",
    "square": "M-4,-4h8v8h-8z",
    "down": "M-5,-4h10l-5,9z",
    "plus": "M-2,-5h4v3h3v4h-3v3h-4v-3h-3v-4h3z",
    "left": "M4,-5v10l-9,-5z",
    "right": "M-4,-5v10l9,-5z",
}


def side_by_side(title, rows, readers, axis):
    """A row for each shape, a mark for each reader, on a logarithmic scale, as SVG.

    rows: [(what is read, {name of a reader: MB/s})]; readers: [(name, outline,
    colour)], of which those without figures are left out.
    """
    left, top, width, step = 220, 58, 510, 28
    rates = [rate for _, of_readers in rows for rate in of_readers.values()]
    low, high = math.log10(min(rates) / 1.4), math.log10(max(rates) * 1.4)

    def x_of(rate):
        return left + width * (math.log10(rate) - low) / (high - low)

    bottom = top + step * len(rows)
    parts = []
    for power in range(math.ceil(low), math.floor(high) + 1):
        rate = 10 ** power
        label = f"{rate / 1000:g} GB/s" if rate >= 1000 else f"{rate:g} MB/s"
        parts += [line(x_of(rate), top, x_of(rate), bottom),
                  words(label, x_of(rate), bottom + 16, "middle")]
    shown = [reader for reader in readers
             if any(reader[0] in of_readers for _, of_readers in rows)]
    for index, (name, outline, color) in enumerate(shown):
        x, y = 24 + 184 * (index % 4), 18 + 20 * (index // 4)
        parts += [element("path", d=OUTLINES[outline], fill=color,
                          transform=f"translate({x},{y})"),
                  words(name, x + 10, y + 4)]
    for index, (shape, of_readers) in enumerate(rows):
        y = top + step * (index + 0.5)
        parts += [line(left, y, left + width, y),
                  words(shape, left - 10, y + 4, "end")]
        parts += [element("path", element("title", escape(
                              f"{name}: {of_readers[name]:,.0f} MB/s")),
                          d=OUTLINES[outline], fill=color,
                          transform=f"translate({x_of(of_readers[name]):.1f},{y:.1f})")
                  for name, outline, color in shown if name in of_readers]
    parts.append(words(axis, left + width / 2, bottom + 36, "middle"))
    return document(left + width + 30, bottom + 48, title, parts)
