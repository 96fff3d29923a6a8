"""Letters as strokes, for pictures that are drawn without a font: our own, one line thick."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from functools import cache

Point = tuple[float, float]
Stroke = tuple[Point, ...]

CAPITAL = 14.0
"""How high a capital is on the grid of the glyphs; the baseline is at 0, upwards is more."""
_SPACE, _GAP = 6.0, 3.0
_ARC_STEP = 12.0
"""Degrees between two points of an arc."""

_GLYPHS = """
A 10 0,0 5,14 10,0 | 1.8,5 8.2,5
B 9 0,0 0,14 5,14 @5,10.75,3.3,3.25,90,-90 0,7.5 | 5,7.5 @5,3.75,3.9,3.75,90,-90 0,0
C 11 @6,7,6,7,50,310
D 10 0,0 0,14 4,14 @4,7,6,7,90,-90 0,0
E 8 8,14 0,14 0,0 8,0 | 0,7.5 7,7.5
F 8 8,14 0,14 0,0 | 0,7.5 7,7.5
G 12 @6,7,6,7,50,360 7.5,7
H 10 0,0 0,14 | 10,0 10,14 | 0,7.5 10,7.5
I 0 0,0 0,14
J 6 6,14 6,4 @2.5,4,3.5,4,0,-150
K 9 0,0 0,14 | 9,14 0,5.5 | 3,8.2 9,0
L 8 0,14 0,0 8,0
M 12 0,0 0,14 6,4 12,14 12,0
N 10 0,0 0,14 10,0 10,14
O 12 @6,7,6,7,0,360
P 9 0,0 0,14 5,14 @5,10,4,4,90,-90 0,6
Q 12 @6,7,6,7,0,360 | 7.5,4 12,-1
R 9 0,0 0,14 5,14 @5,10,4,4,90,-90 0,6 | 4.5,6 9,0
S 9 @4.5,10.4,4,3.6,20,270 @4.5,3.4,4.5,3.4,90,-160
T 10 0,14 10,14 | 5,14 5,0
U 10 0,14 0,5 @5,5,5,5,180,360 10,14
V 10 0,14 5,0 10,14
W 14 0,14 3.5,0 7,12 10.5,0 14,14
X 9 0,0 9,14 | 0,14 9,0
Y 10 0,14 5,7 10,14 | 5,7 5,0
Z 9 0,14 9,14 0,0 9,0
a 8.5 @4.25,5,4.25,5,0,360 | 8.5,10 8.5,0
b 8.5 0,14.5 0,0 | @4.25,5,4.25,5,0,360
c 8 @4.5,5,4.5,5,50,310
d 8.5 @4.25,5,4.25,5,0,360 | 8.5,14.5 8.5,0
e 8.5 0.2,5.4 8.5,5.4 @4.25,5,4.25,5,5,315
f 5 @5,11.6,3,2.9,75,180 2,0 | 0,10 5,10
g 8.5 @4.25,5,4.25,5,0,360 | 8.5,10 8.5,0 @4.5,0,4,4,0,-150
h 8 0,14.5 0,0 | 0,6 @4,6,4,4,180,0 8,0
i 0 0,10 0,0 | 0,13.4 0,13.5
j 2 2,10 2,-1 @-0.5,-1,2.5,3,0,-90 | 2,13.4 2,13.5
k 7.5 0,14.5 0,0 | 7,10 0,4 | 2.6,6.3 7.5,0
l 0 0,14.5 0,0
m 13 0,10 0,0 | 0,6.5 @3.25,6.5,3.25,3.5,180,0 6.5,0 | 6.5,6.5 @9.75,6.5,3.25,3.5,180,0 13,0
n 8 0,10 0,0 | 0,6 @4,6,4,4,180,0 8,0
o 9 @4.5,5,4.5,5,0,360
p 8.5 0,10 0,-4 | @4.25,5,4.25,5,0,360
q 8.5 @4.25,5,4.25,5,0,360 | 8.5,10 8.5,-4
r 5 0,10 0,0 | 0,6 @3.8,6,3.8,4,180,70
s 7 @3.5,7.4,3.2,2.6,25,270 @3.5,2.4,3.5,2.4,90,-160
t 5 2,13.5 2,2.5 @4.4,2.5,2.4,2.5,180,285 | 0,10 5,10
u 8 0,10 0,4 @4,4,4,4,180,360 | 8,10 8,0
v 8 0,10 4,0 8,10
w 12 0,10 3,0 6,9 9,0 12,10
x 8 0,0 8,10 | 0,10 8,0
y 8 0,10 4,0.5 | 8,10 2.5,-4
z 7.5 0,10 7.5,10 0,0 7.5,0
0 9 @4.5,7,4.5,7,0,360
1 6 1,11 5,14 5,0
2 9 @4.4,10,4.2,4,165,-35 0,0 9,0
3 9 @4.2,10.5,3.8,3.5,150,-90 @4.2,3.5,4.5,3.5,90,-150
4 9.5 7,0 7,14 0,4 9.5,4
5 9 8,14 1.4,14 0.9,7.4 @4.3,4.5,4.5,4.6,140,-150
6 9 6.8,14 0.6,6.4 | @4.5,4.5,4.5,4.5,0,360
7 9 0,14 9,14 3,0
8 9 @4.5,10.6,3.8,3.4,0,360 | @4.5,3.6,4.5,3.6,0,360
9 9 @4.5,9.5,4.5,4.5,0,360 | 8.5,7.8 2.5,0
. 0 0,0 0,0.1
, 1 1,0.5 0,-2.5
: 0 0,0.5 0,0.6 | 0,8.5 0,8.6
; 1 1,0.5 0,-2.5 | 1,8.5 1,8.6
- 6 0,5.5 6,5.5
– 9 0,5.5 9,5.5
· 0 0,6 0,6.1
' 0 0,14.5 0,11
’ 0 0,14.5 0,11
" 3 0,14.5 0,11 | 3,14.5 3,11
“ 3 0,14.5 0,11 | 3,14.5 3,11
” 3 0,14.5 0,11 | 3,14.5 3,11
( 3 @6,6,6,10,130,230
) 3 @-3,6,6,10,50,-50
/ 6 0,-2 6,15
% 13 @2.5,11,2.5,3,0,360 | @10,3,2.5,3,0,360 | 10.5,14 2,0
= 8 0,7.5 8,7.5 | 0,3.5 8,3.5
+ 8 0,5.5 8,5.5 | 4,1.5 4,9.5
_ 8 0,-1 8,-1
? 8 @4,10.2,4,3.8,170,-60 4.2,4.5 | 4.2,0 4.2,0.1
! 0 0,14 0,4.5 | 0,0 0,0.1
"""
"""A glyph a line: its sign, its width, and its strokes. `@x,y,rx,ry,from,to` in a stroke is an arc
about x,y, in degrees counted from the right and upwards."""


@cache
def _glyphs() -> dict[str, tuple[float, tuple[Stroke, ...]]]:
    results = {}
    for line in _GLYPHS.strip().splitlines():
        sign, width, drawn = line.split(" ", 2)
        strokes = tuple(tuple(_points(name.split())) for name in drawn.split(" | "))
        results[sign] = float(width), strokes
    return results


def _points(parts: Iterable[str]) -> Iterator[Point]:
    for part in parts:
        if not part.startswith("@"):
            x, y = map(float, part.split(","))
            yield x, y
            continue
        x, y, across, up, begin, end = map(float, part[1:].split(","))
        steps = max(1, math.ceil(abs(end - begin) / _ARC_STEP))
        for step in range(steps + 1):
            angle = math.radians(begin + (end - begin) * step / steps)
            yield x + across * math.cos(angle), y + up * math.sin(angle)


def width(text: str, height: float) -> float:
    """How wide a text is whose capitals are `height` high."""
    glyphs = _glyphs()
    widths = (glyphs[sign][0] + _GAP if sign in glyphs else _SPACE for sign in text)
    return max(0.0, sum(widths) - _GAP) * height / CAPITAL


def strokes(text: str, x: float, y: float, height: float) -> Iterator[Stroke]:
    """The strokes of a text on a picture: its baseline begins at x, y, and y grows downwards.

    What has no glyph is a space.
    """
    glyphs, scale, at = _glyphs(), height / CAPITAL, 0.0
    for sign in text:
        if sign not in glyphs:
            at += _SPACE
            continue
        own, drawn = glyphs[sign]
        for stroke in drawn:
            yield tuple((x + (at + px) * scale, y - py * scale) for px, py in stroke)
        at += own + _GAP


def wrapped(text: str, height: float, room: float, most: int) -> list[str]:
    """The text in at most so many lines that fit into `room`; what is too long ends in dots."""
    lines: list[str] = []
    for word in text.split():
        longer = f"{lines[-1]} {word}" if lines else word
        if lines and width(longer, height) <= room:
            lines[-1] = longer
        else:
            lines.append(word)
    if len(lines) > most:
        lines = lines[:most]
        while lines[-1] and width(lines[-1] + " ...", height) > room:
            lines[-1] = lines[-1].rpartition(" ")[0]
        lines[-1] += " ..."
    return lines
