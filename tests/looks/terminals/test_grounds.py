"""Every text colour is readable on its background: dark or light, with many colours or eight, in two
palettes."""

from pathlib import Path

import pytest
from msgspec.structs import replace
from rich.segment import Segment
from rich.style import Style
from textual.color import Color

from tests.looks.rehearsal import CONSOLE, MODERN
from tests.looks.terminals.terminal import Terminal as Pty
from tests.looks.workshop import workshop
from wizard.probe.machine import save_machine
from wizard.window.app import TerminalFilter
from wizard.window.look import look_of
from wizard.window.terminal import Colours, Glyphs, Terminal, terminal_of

Rgb = tuple[int, int, int]
NEEDED = 4.5
"""The contrast that WCAG 2 asks of text (AA)."""
NAMES = ("red", "green", "yellow", "cyan")
"""The inks that the screens use."""
BLACK, WHITE = (0, 0, 0), (255, 255, 255)

XTERM: dict[str, Rgb] = {
    **{
        "black": BLACK,
        "red": (205, 0, 0),
        "green": (0, 205, 0),
        "yellow": (205, 205, 0),
        "blue": (0, 0, 238),
    },
    **{
        "magenta": (205, 0, 205),
        "cyan": (0, 205, 205),
        "white": (229, 229, 229),
        "bold red": (255, 0, 0),
        "default": BLACK,
    },
}
KERNEL: dict[str, Rgb] = {
    **{"black": BLACK, "red": (170, 0, 0), "green": (0, 170, 0), "yellow": (170, 85, 0), "blue": (0, 0, 170)},
    **{
        "magenta": (170, 0, 170),
        "cyan": (0, 170, 170),
        "white": (170, 170, 170),
        "bold red": (255, 85, 85),
        "default": BLACK,
    },
}


def contrast(one: Rgb, other: Rgb) -> float:
    """Return the contrast by WCAG 2, from 1 to 21."""

    def luminance(rgb: Rgb) -> float:
        parts = [value / 255 for value in rgb]
        red, green, blue = (
            part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
        )
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


GREYED, DECORATION = 3.0, {"line", "focus-line", "thumb"}
"""What cannot be had may be paler; what is no text need not be read."""
FILESYSTEMS = ("ext4", "ext3", "xfs", "btrfs", "vfat", "swap", "ntfs", "")


def grounded(style: Style, ground: str) -> float:
    """Return the contrast between a style's colour and its background, or the screen's."""

    def rgb(color: object, default: str) -> Rgb:
        name = getattr(color, "name", None)
        return Color.parse(str(name) if name and str(name).startswith("#") else default).rgb

    return contrast(rgb(style.color, ground), rgb(style.bgcolor, ground))


@pytest.mark.parametrize("terminal", [MODERN, replace(MODERN, light=True)], ids=["dark", "light"])
def test_many_colours(terminal: Terminal) -> None:
    look = look_of(terminal)
    for role, style in look.styles.items():
        if role in DECORATION or style.color is None:
            continue
        needed = GREYED if role in ("off", "cap-off") else NEEDED
        assert grounded(style, look.ground) >= needed, (role, grounded(style, look.ground))
    for name in FILESYSTEMS:
        assert grounded(look.filesystem(name), look.ground) >= NEEDED, name


def test_eight_console_colours_have_supported_names() -> None:
    look = look_of(CONSOLE)
    names = {"black", "red", "green", "yellow", "blue", "magenta", "cyan", "white", "default"}
    for role, style in [*look.styles.items(), *((name, look.filesystem(name)) for name in FILESYSTEMS)]:
        for color in (style.color, style.bgcolor):
            assert color is None or color.name in names, (role, style)
        assert not (style.bold and style.color and style.color.name == "black"), f"{role} would be grey"


@pytest.mark.parametrize("palette", [XTERM, KERNEL])
@pytest.mark.parametrize("light", [False, True])
@pytest.mark.parametrize("name", [*NAMES, "default"])
def test_eight_colours(palette: dict[str, Rgb], light: bool, name: str) -> None:
    terminal = Terminal(Glyphs.ALL, Colours.EIGHT, light=light)
    (segment,) = TerminalFilter(terminal).apply([Segment("x", Style.parse(name))], Color.parse("black"))
    style = segment.style
    assert style is not None and style.color is not None
    drawn = style.color.name if not (style.bold and style.color.name == "red") else "bold red"
    ground = WHITE if light else BLACK
    needed = NEEDED if (palette, name) != (KERNEL, "yellow") else 4.0
    assert contrast(palette[drawn], ground) >= needed, f"{name} is drawn {drawn}"


def test_background_is_detected_or_painted(tmp_path: Path) -> None:
    save_machine(tmp_path / "m.json", workshop())
    for spec, inks in (
        ("light", {"default", "black", "red", "blue", "magenta"}),
        ("dark", {"white", "red", "green", "brown", "cyan"}),
    ):
        with Pty(
            "--machine", str(tmp_path / "m.json"), lines=50, TERM="xterm", DISKWRIGHT_THEME=spec
        ) as window:
            # The names come first, uncoloured; the footer comes with the window.
            window.until(lambda: "2 dangers" in window.text and "[q] quit" in window.text)
            own = "default" if spec == "light" else "black"
            seen = {
                cell.fg
                for line in range(1, 48)
                for cell in window.screen.buffer[line].values()
                if cell.bg == own and not cell.reverse and cell.data.strip()
            }
            grounds = {cell.bg for line in range(1, 48) for cell in window.screen.buffer[line].values()}
        assert seen <= inks and "red" in seen, (spec, seen)
        assert own in grounds and ("default" in grounds) == (own == "default"), (spec, grounds)


@pytest.mark.parametrize(
    ("environ", "light"),
    [
        ({}, False),
        ({"COLORFGBG": "0;15"}, True),
        ({"COLORFGBG": "15;default;0"}, False),
        ({"COLORFGBG": "0;default;7"}, True),
        ({"COLORFGBG": "nonsense"}, False),
        ({"COLORFGBG": "0;15", "DISKWRIGHT_THEME": "dark"}, False),
        ({"DISKWRIGHT_THEME": "Light"}, True),
    ],
)
def test_light_background_is_detected(environ: dict[str, str], light: bool) -> None:
    assert terminal_of({"TERM": "xterm", **environ}).light is light
