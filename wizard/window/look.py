"""Styles by role, for terminals with many colours, eight, or none."""

from collections.abc import Iterable, Mapping
from string import Template

from msgspec import Struct
from rich.color import Color
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip
from textual.theme import Theme

from wizard.window import canvas
from wizard.window.terminal import Colours, Terminal

DARK = {
    "ground": "#11151c",
    "raised": "#1a202a",
    "text": "#d3dae6",
    "strong": "#f4f7fb",
    "muted": "#8d98aa",
    "line": "#3a4453",
    "off": "#6f7a8c",
    "accent": "#5cc8e8",
    "cursor": "#1a3a50",
    "cap": "#242f3c",
    "warn": "#f2b84b",
    "danger": "#ff7b7b",
    "ok": "#74d394",
    "alarm": "#a3202f",
    "done": "#1f6b3a",
}
LIGHT = {
    "ground": "#fbfaf7",
    "raised": "#eef0f2",
    "text": "#232b36",
    "strong": "#0b1017",
    "muted": "#596474",
    "line": "#b4bcc8",
    "off": "#747e8c",
    "accent": "#00617f",
    "cursor": "#cfe6f0",
    "cap": "#dde4ea",
    "warn": "#7d4e00",
    "danger": "#b01030",
    "ok": "#1a6b34",
    "alarm": "#b01030",
    "done": "#1a6b34",
}

_ROLES = {
    "plain": ("$text", "", ""),
    "strong": ("bold $strong", "bold", "bold"),
    "muted": ("$muted", "", ""),
    "line": ("$line", "", ""),
    "off": ("$off", "", ""),
    "accent": ("bold $accent", "bold cyan", "bold"),
    "good": ("bold $ok", "bold green", "bold"),
    "warn": ("bold $warn", "bold yellow", "bold"),
    "danger": ("bold $danger", "bold red", "bold"),
    "cap": ("bold $accent on $cap", "bold cyan", "bold"),
    "cap-off": ("$off on $raised", "", ""),
    "go": ("bold $ground on $accent", "black on cyan", "reverse"),
    "cursor": ("$strong on $cursor", "black on cyan", "reverse"),
    "mark": ("bold $accent on $cursor", "black on cyan", "reverse"),
    "raised": ("$muted on $raised", "", ""),
    "name": ("bold $accent on $raised", "bold cyan", "bold"),
    "step": ("bold $strong on $cursor", "black on cyan", "reverse"),
    "lost": ("bold #ffffff on $alarm", "bold white on red", "bold"),
    "alarm": ("bold #ffffff on $alarm", "bold white on red", "bold reverse"),
    "warned": ("bold $ground on $warn", "black on yellow", "bold reverse"),
    "done": ("bold #ffffff on $done", "black on green", "bold reverse"),
    "plain-banner": ("bold $strong on $raised", "reverse", "bold reverse"),
    "field": ("$strong on $cap", "bold white on blue", "underline"),
    "hint": ("$muted on $cap", "white on blue", "underline"),
    "at": ("$ground on $strong", "black on white", "reverse"),
    "focus": ("bold $strong", "reverse", "reverse"),
    "focus-line": ("$accent", "cyan", ""),
    "thumb": ("on $off", "reverse", "reverse"),
}
"""Rich's styles with many colours, eight and none. Names after $ come from `DARK` and `LIGHT`."""

FILESYSTEMS = {
    "ext4": ("#2f6fc4", "white on blue", "4"),
    "ext3": ("#54708f", "black on cyan", "3"),
    "ext2": ("#54708f", "black on cyan", "2"),
    "xfs": ("#8457c2", "white on magenta", "x"),
    "btrfs": ("#17806d", "black on green", "b"),
    "vfat": ("#9a6a14", "black on yellow", "f"),
    "exfat": ("#9a6a14", "black on yellow", "e"),
}
OTHER_FILESYSTEM = ("#6b7280", "black on white", "")
"""Colours of a filesystem in a bar, and the letter where neither name nor colour is available."""


class Look(Struct, frozen=True):
    """Styles for a terminal."""

    terminal: Terminal
    styles: Mapping[str, Style]
    ground: str

    @property
    def many(self) -> bool:
        """True if backgrounds are distinguishable without words."""
        return self.terminal.colours is Colours.ANY

    @property
    def colourless(self) -> bool:
        """True if only bold, underlined and reversed are available."""
        return self.terminal.colours is Colours.NONE

    @property
    def fill(self) -> str:
        """The character for empty space if backgrounds are invisible."""
        return " " if self.many else "░"

    def style(self, role: str | Style) -> Style:
        """Return the style of a role or tone."""
        return role if isinstance(role, Style) else self.styles.get(role, Style.null())

    def line(self, *runs: canvas.Run) -> Strip:
        """Return a line from runs."""
        shown = ((canvas.shown(text), self.style(role)) for text, role in runs)
        return Strip([Segment(text, style) for text, style in shown if text])

    def paragraph(
        self, runs: Iterable[canvas.Run], width: int, indent: int = 0, hang: int = 0
    ) -> list[Strip]:
        """Wrap runs in lines of `width` cells, indented, all but the first by `hang` more."""
        parts = canvas.folded(runs, max(4, width - indent), max(4, width - indent - hang))
        return [
            canvas.joined(Strip.blank(indent + (hang if index else 0)), self.line(*part))
            if part
            else self.line()
            for index, part in enumerate(parts)
        ]

    def filesystem(self, kind: str) -> Style:
        """Return the style of a filesystem in a bar."""
        many, eight, _ = FILESYSTEMS.get(kind, OTHER_FILESYSTEM)
        return Style.parse(f"#ffffff on {many}" if self.many else "reverse" if self.colourless else eight)

    def dimmed(self, style: Style | None) -> Style:
        """Return a style blended with the background, for the screen below a dialog."""
        if style is None or not (style.color or style.bgcolor):
            style = self.style("plain")
        return Style(
            color=_blended(style.color, self.ground),
            bgcolor=_blended(style.bgcolor, self.ground),
            bold=style.bold,
        )

    def theme(self) -> Theme:
        """Return a theme for Textual. Only the background matters, since the rest is drawn here."""
        light, plain = self.terminal.light, None if self.many else "ansi_default"
        ground, ink = ("white", "black") if light else ("black", "white")
        return Theme(
            name="diskwright-window",
            ansi=not self.many,
            dark=not light,
            primary=(LIGHT if light else DARK)["accent"] if self.many else "ansi_cyan",
            foreground=plain,
            background=plain or self.ground,
            surface=plain or self.ground,
            panel=plain or self.ground,
            boost=plain,
            variables={}
            if self.many
            else {"ansi-background": f"ansi_{ground}", "ansi-foreground": f"ansi_{ink}"},
        )


def look_of(terminal: Terminal) -> Look:
    """Return the look for a terminal."""
    colours = LIGHT if terminal.light else DARK
    column = list(Colours).index(terminal.colours)
    # On a slow line without colours, columns and brackets show names and keys too.
    plain = ("strong", "cap") if terminal.slow and terminal.colours is Colours.NONE else ()
    styles = {
        role: Style.parse(Template(specs[column]).substitute(colours))
        for role, specs in _ROLES.items()
        if role not in plain
    }
    return Look(terminal, styles, colours["ground"])


def _blended(colour: Color | None, ground: str) -> Color | None:
    if colour is None or colour.is_default:
        return None
    parts = zip(colour.get_truecolor(), Color.parse(ground).get_truecolor(), strict=True)
    red, green, blue = (round(own * 0.4 + under * 0.6) for own, under in parts)
    return Color.from_rgb(red, green, blue)
