"""Styles and glyphs by role, for terminals with many colours, eight, or none."""

from collections.abc import Iterable, Mapping

from msgspec import Struct
from rich.color import Color
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip
from textual.theme import Theme

from wizard.window import canvas
from wizard.window.terminal import Colours, Glyphs, Terminal

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
    "plain": ("text", "", ""),
    "strong": ("b strong", "b", "b"),
    "muted": ("muted", "", ""),
    "line": ("line", "", ""),
    "off": ("off", "", ""),
    "accent": ("b accent", "b cyan", "b"),
    "good": ("b ok", "b green", "b"),
    "warn": ("b warn", "b yellow", "b"),
    "danger": ("b danger", "b red", "b"),
    "cap": ("b accent/cap", "b cyan", "b"),
    "cap-off": ("off/raised", "", ""),
    "go": ("b ground/accent", "black/cyan", "r"),
    "cursor": ("strong/cursor", "black/cyan", "r"),
    "mark": ("b accent/cursor", "black/cyan", "r"),
    "raised": ("muted/raised", "", ""),
    "name": ("b accent/raised", "b cyan", "b"),
    "step": ("b strong/cursor", "black/cyan", "r"),
    "lost": ("b #ffffff/alarm", "b white/red", "b"),
    "alarm": ("b #ffffff/alarm", "b white/red", "br"),
    "warned": ("b ground/warn", "black/yellow", "br"),
    "done": ("b #ffffff/done", "black/green", "br"),
    "plain-banner": ("b strong/raised", "r", "br"),
    "field": ("strong/cap", "b white/blue", "u"),
    "hint": ("muted/cap", "white/blue", "u"),
    "at": ("ground/strong", "black/white", "r"),
    "focus": ("b strong", "r", "r"),
    "focus-line": ("accent", "cyan", ""),
    "thumb": ("/off", "r", "r"),
}
"""Styles with many colours, eight and none: b(old), u(nderlined) or r(eversed); foreground/background."""

SIGNS = {
    "mark": "▌",
    "tick": "✓",
    "cross": "✗",
    "warn": "▲",
    "dash": "–",
    "more": "…",
    "free": " ",
    "on": "(●)",
    "off": "( )",
    "less": "◂",
    "next": "▸",
    "hidden": "•",
    "down": "↓",
}
_CONSOLE_SIGNS = SIGNS | {
    "mark": ">",
    "tick": "■",
    "cross": "x",
    "warn": "!",
    "dash": "-",
    "more": ".",
    "free": "░",
    "on": "(*)",
    "less": "<",
    "next": ">",
    "hidden": "*",
}
_ASCII_SIGNS = _CONSOLE_SIGNS | {"tick": "+", "free": ".", "down": "v"}

FILESYSTEMS = {
    "ext4": ("#2f6fc4", "white/blue", "4"),
    "ext3": ("#54708f", "black/cyan", "3"),
    "ext2": ("#54708f", "black/cyan", "2"),
    "xfs": ("#8457c2", "white/magenta", "x"),
    "btrfs": ("#17806d", "black/green", "b"),
    "vfat": ("#9a6a14", "black/yellow", "f"),
    "exfat": ("#9a6a14", "black/yellow", "e"),
}
OTHER_FILESYSTEM = ("#6b7280", "black/white", "")
"""Colours of a filesystem in a bar, and the letter where neither name nor colour is available."""


class Look(Struct, frozen=True):
    """Styles and signs for a terminal."""

    terminal: Terminal
    styles: Mapping[str, Style]
    signs: Mapping[str, str]
    ground: str

    @property
    def many(self) -> bool:
        """True if backgrounds are distinguishable without words."""
        return self.terminal.colours is Colours.ANY

    @property
    def colourless(self) -> bool:
        """True if only bold, underlined and reversed are available."""
        return self.terminal.colours is Colours.NONE

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
        return _style(f"#ffffff/{many}" if self.many else "r" if self.colourless else eight, {})

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
    signs = {Glyphs.ALL: SIGNS, Glyphs.CONSOLE: _CONSOLE_SIGNS, Glyphs.ASCII: _ASCII_SIGNS}[terminal.glyphs]
    if terminal.glyphs is Glyphs.ALL and terminal.colours is not Colours.ANY:
        signs = signs | {"free": "░"}
    styles = {role: _style(specs[column], colours) for role, specs in _ROLES.items() if role not in plain}
    return Look(terminal, styles, signs, colours["ground"])


def _style(spec: str, colours: Mapping[str, str]) -> Style:
    flags, _, inks = spec.rpartition(" ")
    if not flags and set(inks) <= set("bur"):
        flags, inks = inks, ""
    ink, _, ground = inks.partition("/")
    return Style(
        color=colours.get(ink, ink) or None,
        bgcolor=colours.get(ground, ground) or None,
        bold="b" in flags or None,
        underline="u" in flags or None,
        reverse="r" in flags or None,
    )


def _blended(colour: Color | None, ground: str) -> Color | None:
    if colour is None or colour.is_default:
        return None
    parts = zip(colour.get_truecolor(), Color.parse(ground).get_truecolor(), strict=True)
    red, green, blue = (round(own * 0.4 + under * 0.6) for own, under in parts)
    return Color.from_rgb(red, green, blue)
