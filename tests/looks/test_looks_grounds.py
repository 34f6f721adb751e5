"""Every ink can be read on the ground it stands on: dark or light, with many colours or eight, in two
palettes."""

from pathlib import Path

import pytest
from rich.segment import Segment
from rich.style import Style
from rich.terminal_theme import TerminalTheme
from textual.color import Color
from textual.theme import Theme

from tests.looks.terminal import Terminal as Pty
from tests.looks.workshop import workshop
from wizard.probe.recorded import save_machine
from wizard.tui.console.filters import EightInks
from wizard.tui.console.terminal import terminal_of
from wizard.tui.console.theme import INKS, LIGHT, LIGHT_INKS, MANY

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
    """From 1 to 21, by WCAG 2."""

    def luminance(rgb: Rgb) -> float:
        parts = [value / 255 for value in rgb]
        red, green, blue = (
            part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
        )
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def rgb(colour: str) -> Rgb:
    return Color.parse(colour).rgb


@pytest.mark.parametrize(("theme", "inks"), [(MANY, INKS), (LIGHT, LIGHT_INKS)])
def test_many_colours(theme: Theme, inks: TerminalTheme) -> None:
    ground = rgb(theme.background or "")
    assert tuple(inks.background_color) == ground, "text that names no colour stands on the theme's ground"
    for name in NAMES:
        ink = tuple(
            inks.ansi_colors[
                ("black", "red", "green", "yellow", "blue", "magenta", "cyan", "white").index(name)
            ]
        )
        assert contrast(ink, ground) >= NEEDED, name  # type: ignore[arg-type]
    values = theme.variables
    pairs = [
        (values[f"{part}-foreground"], values[f"{part}-background"]) for part in ("bar", "cursor", "field")
    ]
    for front, back in [
        *pairs,
        (values["hint"], values["field-background"]),
        (theme.foreground, theme.background),
    ]:
        assert contrast(rgb(front or ""), rgb(back or "")) >= NEEDED, (front, back)


@pytest.mark.parametrize("palette", [XTERM, KERNEL])
@pytest.mark.parametrize("light", [False, True])
@pytest.mark.parametrize("name", [*NAMES, "default"])
def test_eight_colours(palette: dict[str, Rgb], light: bool, name: str) -> None:
    (segment,) = EightInks(light=light, paint=not light).apply(
        [Segment("x", Style.parse(name))], Color.parse("black")
    )
    style = segment.style
    assert style is not None and style.color is not None
    drawn = style.color.name if not (style.bold and style.color.name == "red") else "bold red"
    ground = WHITE if light else BLACK
    needed = NEEDED if (palette, name) != (KERNEL, "yellow") else 4.0
    assert contrast(palette[drawn], ground) >= needed, f"{name} is drawn {drawn}"


def test_the_ground_is_told_or_painted(tmp_path: Path) -> None:
    save_machine(tmp_path / "m.json", workshop())
    for wish, inks in (
        ("light", {"default", "black", "red", "blue", "magenta"}),
        ("dark", {"white", "red", "green", "brown", "cyan"}),
    ):
        with Pty(
            "--machine", str(tmp_path / "m.json"), lines=50, TERM="xterm", DISKWRIGHT_THEME=wish
        ) as window:
            window.until(lambda: "ST8000DM004" in window.text and "reading .." not in window.text)
            window.press("down")
            window.until("> /dev/sda")
            grounds, seen = set(), set()
            for line in range(1, 48):
                for cell in window.screen.buffer[line].values():
                    grounds.add(cell.bg)
                    if cell.bg in ("default", "black"):
                        seen.add(cell.fg)
        assert seen <= inks and "red" in seen, (wish, seen)
        assert grounds == {"default" if wish == "light" else "black", "cyan"}, (wish, grounds)


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
def test_how_a_light_ground_is_known(environ: dict[str, str], light: bool) -> None:
    assert terminal_of({"TERM": "xterm", **environ}).light is light
