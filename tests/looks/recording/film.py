"""`python -m tests.looks.recording.film`: create docs/walk.svg, the README's animation of the run in
tests/looks/recorded_walk. With --check, write nothing. With a folder, also write each frame there as a PNG.

The frames form a vertical strip moved by a style sheet: no script, network or player. Equal lines are drawn
once.
"""

import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from xml.sax.saxutils import escape

from rich.cells import cell_len
from rich.color import Color
from rich.style import Style
from textual.strip import Strip

from tests.looks.recording.walked import SIZE, Frame, Strayed, walked
from wizard.window.look import look_of
from wizard.window.terminal import Colours, Glyphs, Terminal

WALK = Path(__file__).resolve().parents[3] / "docs" / "walk.svg"
CELL_WIDTH, LINE_HEIGHT, FONT_SIZE, BASELINE = 8.43, 18, 14, 13.5
EDGE, BELOW = 10, 34
FONT = "DejaVu Sans Mono, Menlo, Consolas, monospace"
LOOK = look_of(Terminal(Glyphs.ALL, Colours.ANY))
TITLE = "A walk through diskwright: from an empty drive to one that is ready"


RIGHT, DOWN, LEFT, UP = "h4.2", "v9", "h-4.2", "v-9"
BOX = {
    "│": (UP, DOWN),
    "─": (LEFT, RIGHT),
    "┌": (RIGHT, DOWN),
    "┐": (LEFT, DOWN),
    "└": (RIGHT, UP),
    "┘": (LEFT, UP),
}
"""Lines are drawn, since letters of a font leave gaps between the rows."""
WORDS = re.compile(r"[^\s│─┌┐└┘](?:[^│─┌┐└┘]*[^\s│─┌┐└┘])?")


class Film:
    """Frames as an SVG. `still`: the only visible frame, or None for an animation."""

    def __init__(self, frames: Sequence[Frame], still: int | None = None) -> None:
        self.frames = frames
        self.still = still
        self._lines: dict[str, str] = {}
        self._looks: dict[str, str] = {}
        columns, lines = SIZE
        self.width = round(columns * CELL_WIDTH + 2 * EDGE)
        self.height = lines * LINE_HEIGHT + 2 * EDGE + BELOW

    def svg(self) -> str:
        """Return the whole file."""
        shown = [self.still] if self.still is not None else range(len(self.frames))
        strip = "\n".join(self._frame(number, self.frames[number]) for number in shown)
        drawn = "\n".join(f'<g id="{name}">{line}</g>' for line, name in self._lines.items())
        looks = "".join(f".{name}{{{look}}}" for look, name in self._looks.items())
        shift = "" if self.still is None else f' transform="translate(0,{-self.still * self.height})"'
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.width} {self.height}" '
            f'width="{self.width}" height="{self.height}" role="img">\n<title>{TITLE}</title>\n'
            f"<style>text{{font:{FONT_SIZE}px {FONT};white-space:pre}}{looks}{self._motion()}</style>\n"
            f"<defs>\n{drawn}\n</defs>\n"
            f'<rect width="100%" height="100%" rx="8" fill="{LOOK.ground}"/>\n'
            f'<g class="film"{shift}>\n{strip}\n</g>\n</svg>\n'
        )

    def _motion(self) -> str:
        """Show each frame for its seconds. Users who prefer no motion get the last frame."""
        if self.still is not None:
            return ""
        whole, passed, moves = sum(frame.seconds for frame in self.frames), 0.0, []
        for number, frame in enumerate(self.frames):
            moves.append(f"{100 * passed / whole:.2f}%{{transform:translateY({-number * self.height}px)}}")
            passed += frame.seconds
        end = f"transform:translateY({-(len(self.frames) - 1) * self.height}px)"
        return (
            f"@keyframes film{{{''.join(moves)}100%{{{end}}}}}"
            f".film{{animation:film {whole:.1f}s steps(1,end) infinite}}"
            f"@media(prefers-reduced-motion:reduce){{.film{{animation:none;{end}}}}}"
        )

    def _frame(self, number: int, frame: Frame) -> str:
        lines = enumerate(map(self._named, frame.lines))
        used = "".join(
            f'<use href="#{name}" x="{EDGE}" y="{EDGE + y * LINE_HEIGHT}"/>' for y, name in lines if name
        )
        return f'<g transform="translate(0,{number * self.height})">{used}{self._key(frame.key)}</g>'

    def _key(self, key: str) -> str:
        """Draw the pressed key below the screen."""
        if not key:
            return ""
        width = cell_len(key) * CELL_WIDTH + 20
        left, top = self.width / 2 - width / 2, self.height - BELOW
        box = (
            f'<rect x="{left:.1f}" y="{top}" width="{width:.1f}" height="24" rx="5" fill="{_ink("accent")}"/>'
        )
        look = self._look(f"fill:{LOOK.ground};font-weight:bold;text-anchor:middle")
        return f'{box}<text class="{look}" x="{self.width / 2}" y="{top + 17}">{escape(key)}</text>'

    def _named(self, strip: Strip) -> str:
        """Return the name of a line, empty for a blank one."""
        line = "".join(self._pieces(strip))
        return self._lines.setdefault(line, f"l{len(self._lines)}") if line else ""

    def _pieces(self, strip: Strip) -> Iterator[str]:
        x = 0
        grounds: list[str] = []
        texts: list[str] = []
        for text, style, _ in strip.simplify():
            style = style or Style()
            wide, ink, ground = cell_len(text), _hex(style.color), _hex(style.bgcolor)
            if style.reverse:
                ink, ground = ground or LOOK.ground, ink or _ink("text")
            if ground and ground != LOOK.ground:
                grounds.append(
                    f'<rect x="{x * CELL_WIDTH:.1f}" width="{wide * CELL_WIDTH:.1f}" height="{LINE_HEIGHT}" '
                    f'fill="{ground}"/>'
                )
            ink = ink or _ink("text")
            texts += self._words(text, x, ink, bold=bool(style.bold))
            texts += _box(text, x, ink)
            x += wide
        yield from (*grounds, *texts)

    def _words(self, text: str, x: int, ink: str, *, bold: bool) -> Iterator[str]:
        look = f"fill:{ink}" + (";font-weight:bold" if bold else "")
        for found in WORDS.finditer(text):
            at = (x + cell_len(text[: found.start()])) * CELL_WIDTH
            yield (
                f'<text class="{self._look(look)}" x="{at:.1f}" y="{BASELINE}" '
                f'textLength="{cell_len(found[0]) * CELL_WIDTH:.1f}">{_spaced(found[0])}</text>'
            )

    def _look(self, look: str) -> str:
        return self._looks.setdefault(look, f"s{len(self._looks)}")


def _box(text: str, x: int, ink: str) -> Iterator[str]:
    """Draw box characters as lines. Adjacent horizontal ones become one line."""
    drawn, position = [], 0
    while position < len(text):
        level = len(text) - position - len(text[position:].lstrip("─"))
        left = (x + cell_len(text[:position])) * CELL_WIDTH
        if level:
            drawn.append(f"M{left:.1f} 9h{level * CELL_WIDTH:.1f}")
        else:
            arms = BOX.get(text[position], ())
            drawn += [f"M{left + CELL_WIDTH / 2:.1f} 9{arm}" for arm in arms]
        position += level or 1
    if drawn:
        yield f'<path d="{"".join(drawn)}" stroke="{ink}"/>'


def _spaced(text: str) -> str:
    return escape(text).replace("  ", "\u00a0\u00a0").replace("\u00a0 ", "\u00a0\u00a0")


def _ink(role: str) -> str:
    return _hex(LOOK.style(role).color) or "#ffffff"


def _hex(color: Color | None) -> str:
    return "" if color is None or color.is_default else color.get_truecolor().hex


def main(arguments: list[str]) -> int:
    """Create the animation, or check if it is current."""
    try:
        frames = walked()
    except Strayed as reason:
        print(reason)
        return 1
    if arguments and arguments != ["--check"]:
        return _stills(frames, Path(arguments[0]))
    svg = Film(frames).svg()
    same = WALK.exists() and WALK.read_text(encoding="utf-8") == svg
    if not same and arguments:
        print("docs/walk.svg is out of date; python -m tests.looks.photograph makes it anew.")
        return 1
    if not same:
        WALK.write_text(svg, encoding="utf-8")
    print(f"docs/walk.svg: {len(frames)} frames, {sum(frame.seconds for frame in frames):.0f} s")
    return 0


def _stills(frames: Sequence[Frame], folder: Path) -> int:
    import cairosvg

    for number in range(len(frames)):
        file = folder / f"{number:02}.png"
        cairosvg.svg2png(bytestring=Film(frames, number).svg().encode(), write_to=str(file))
    print(f"{len(frames)} frames are in {folder}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
