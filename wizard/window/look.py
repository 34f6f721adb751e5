"""Styles and glyphs by role, and the style sheet, for terminals with many colours, eight, or none."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from rich.color import Color
from rich.style import Style
from textual.theme import Theme

from wizard.ui.view import Tone
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

ROLES = {
    "text": ("text", "", ""),
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
    "head": ("muted/raised", "", ""),
    "name": ("b accent/raised", "b cyan", "b"),
    "step": ("b strong/cursor", "black/cyan", "r"),
    "free": ("muted/raised", "", ""),
    "lost": ("b #ffffff/alarm", "b white/red", "b"),
    "alarm": ("b #ffffff/alarm", "b white/red", "br"),
    "warned": ("b ground/warn", "black/yellow", "br"),
    "done": ("b #ffffff/done", "black/green", "br"),
    "plain-banner": ("b strong/raised", "r", "br"),
    "field": ("strong/cap", "b white/blue", "u"),
    "hint": ("muted/cap", "white/blue", "u"),
    "at": ("ground/strong", "black/white", "r"),
    "full": ("b ground/accent", "black/cyan", "r"),
    "rest": ("muted/raised", "", ""),
    "focus": ("b strong", "r", "r"),
    "focus-line": ("accent", "cyan", ""),
    "title": ("muted", "", ""),
    "thumb": ("/off", "r", "r"),
    "track": ("/raised", "", ""),
}
"""Styles of the roles with many colours, eight and none: b(old), u(nderlined), r(eversed), then
foreground/background."""

_SHOWN_OTHERWISE = ("strong", "cap")
"""Without bold on a slow line, since columns and brackets show them, too."""

SIGNS = {
    "mark": ("▌", ">", ">"),
    "tick": ("✓", "■", "+"),
    "cross": ("✗", "x", "x"),
    "warn": ("▲", "!", "!"),
    "dash": ("–", "-", "-"),
    "more": ("…", ".", "."),
    "free": (" ", "░", "."),
    "on": ("(●)", "(*)", "(*)"),
    "off": ("( )", "( )", "( )"),
}
"""Signs of all characters, of those in the console's fonts, and in ASCII."""

_FILESYSTEMS = {
    "ext4": ("#2f6fc4", "white/blue", "4"),
    "ext3": ("#54708f", "black/cyan", "3"),
    "ext2": ("#54708f", "black/cyan", "2"),
    "xfs": ("#8457c2", "white/magenta", "x"),
    "btrfs": ("#17806d", "black/green", "b"),
    "vfat": ("#9a6a14", "black/yellow", "f"),
    "exfat": ("#9a6a14", "black/yellow", "e"),
}
_OTHER_FILESYSTEM = ("#6b7280", "black/white", "")

TONES = {
    Tone.PLAIN: "text",
    Tone.STRONG: "strong",
    Tone.MUTED: "muted",
    Tone.ACCENT: "accent",
    Tone.GOOD: "good",
    Tone.WARN: "warn",
    Tone.DANGER: "danger",
}


@dataclass(frozen=True, slots=True)
class Look:
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

    def style(self, role: str) -> Style:
        """Return the style of a role."""
        return self.styles.get(role, Style.null())

    def tone(self, tone: Tone) -> Style:
        """Return the style of a tone."""
        return self.style(TONES[tone])

    def sign(self, name: str) -> str:
        """Return a sign from the terminal's font."""
        return self.signs[name]

    def filesystem(self, kind: str) -> Style:
        """Return the style of a filesystem in a bar."""
        many, eight, _ = _FILESYSTEMS.get(kind, _OTHER_FILESYSTEM)
        return _style(f"#ffffff/{many}" if self.many else "r" if self.colourless else eight)


def letter_of(kind: str) -> str:
    """Return the letter for a filesystem where neither name nor colour is available."""
    return _FILESYSTEMS.get(kind, _OTHER_FILESYSTEM)[2]


def look_of(terminal: Terminal) -> Look:
    """Return the look for a terminal."""
    colours = LIGHT if terminal.light else DARK
    column = list(Colours).index(terminal.colours)
    specs = {role: specs[column] for role, specs in ROLES.items()}
    if terminal.slow and terminal.colours is Colours.NONE:
        specs |= dict.fromkeys(_SHOWN_OTHERWISE, "")
    glyphs = list(Glyphs).index(terminal.glyphs)
    signs = {name: signs[glyphs] for name, signs in SIGNS.items()}
    if terminal.glyphs is Glyphs.ALL and terminal.colours is not Colours.ANY:
        signs["free"] = SIGNS["free"][1]
    styles = {role: _style(spec, colours) for role, spec in specs.items() if spec}
    return Look(terminal, styles, signs, colours["ground"])


def _style(spec: str, colours: Mapping[str, str] = MappingProxyType({})) -> Style:
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


CSS = """/**/
Screen { background: $background; color: $foreground; }
DialogScreen { align: center middle; background: $background 60%; }
DialogScreen:ansi { background: $background; }

ViewPage { width: 1fr; height: 1fr; }
ViewPage.-over { border: solid $rule-focus-foreground; padding: 0 1; background: $background; }
ViewPage #small, ViewPage.-small > * { display: none; }
ViewPage.-small #small { display: block; }

Lines { height: auto; }
#blocks { padding: 0 1; }
#main { border-top: solid $rule-foreground; }
#main.-untitled { border: none; }
#main, PaneBox { border-title-color: $title-foreground; border-title-background: $background; }
PaneBox { border-top: solid $rule-foreground; padding: 0 1; }
PaneBox.-untitled { border: none; }
.-roomy PaneBox.-next { margin-top: 1; }
.-boxed PaneBox.-next { margin-top: 0; }
.-boxed #main, .-boxed PaneBox { border: solid $rule-foreground; padding: 0 1; }
#main:focus-within, Scroll:focus PaneBox {
    border-title-color: $title-focus-foreground; border-title-style: $title-focus-text-style;
}
.-boxed #main:focus-within, .-boxed Scroll:focus PaneBox { border: solid $rule-focus-foreground; }

Scroll, OptionList {
    scrollbar-size-vertical: 1; scrollbar-color: $thumb-background; scrollbar-background: $track-background;
    scrollbar-color-hover: $thumb-background; scrollbar-color-active: $thumb-background;
    scrollbar-background-hover: $track-background; scrollbar-background-active: $track-background;
}
OptionList, FieldForm, Scroll { border: none; padding: 0; background: $background; }
RowList { height: 1fr; scrollbar-gutter: stable; }
RowList:focus { background-tint: $background 0%; border: none; }
RowList > .option-list--option-highlighted, RowList:focus > .option-list--option-highlighted,
RowList > .option-list--option-hover { background: $background; color: $foreground; text-style: none; }
#pinned { height: auto; }
#keys { background: $panel; }
.-over #keys { background: $background; }

FieldLine, FieldLine > Vertical, .value { height: auto; }
.mark { width: 2; }
Entry, Entry:focus {
    background: $field-background; background-tint: $field-background 0%;
    color: $field-foreground; text-style: $field-text-style;
}
Entry > .input--placeholder { color: $hint-foreground; text-style: none; }
.value ChoiceField > SelectCurrent { background: $background; width: auto; }
ChoiceField > SelectCurrent Static#label { width: auto; color: $foreground; }
ChoiceField > SelectCurrent .arrow { color: $rule-focus-foreground; }
ChoiceField:focus > SelectCurrent { background-tint: $background 0%; }
ChoiceField:focus > SelectCurrent Static#label {
    background: $block-cursor-background; color: $block-cursor-foreground;
    text-style: $block-cursor-text-style;
}
SelectOverlay, SelectOverlay:focus {
    border: solid $rule-focus-foreground; background: $background; background-tint: $background 0%;
}

CommandPalette > Vertical {
    margin-top: 2; width: 64; max-width: 100%; height: auto; max-height: 80%;
    visibility: visible; background: $background; border: solid $rule-focus-foreground;
}
CommandPalette:ansi { background: $background; }
CommandPalette SearchIcon, CommandPalette LoadingIndicator { display: none; }
CommandPalette #--input, CommandPalette #--input.--list-visible { border: none; }
CommandPalette #--results { overlay: none; }
CommandPalette CommandList { border: none; background: $background; }
CommandPalette CommandList > .option-list--option { text-style: none; }
CommandPalette CommandList > .option-list--option-highlighted {
    color: $block-cursor-foreground; background: $block-cursor-background;
    text-style: $block-cursor-text-style;
}
CommandPalette CommandInput { border: none; padding: 0 1; height: 1; }
"""

_COLOURS = {
    "rule": "line",
    "rule-focus": "focus-line",
    "title": "title",
    "title-focus": "focus",
    "field": "field",
    "hint": "hint",
    "thumb": "thumb",
    "track": "track",
    "block-cursor": "cursor",
    "input-cursor": "at",
    "input-selection": "at",
}
"""Variables of the style sheet, and roles of the look that have their colours."""


def theme_of(look: Look) -> Theme:
    """Return Textual's theme for a look."""
    variables: dict[str, str] = {}
    for name, role in _COLOURS.items():
        style = look.style(role)
        variables[f"{name}-foreground"] = _colour(style.color)
        variables[f"{name}-background"] = _colour(style.bgcolor)
        variables[f"{name}-text-style"] = _text_style(style)
    if look.many:
        colours = LIGHT if look.terminal.light else DARK
        return Theme(
            name="diskwright-window",
            dark=not look.terminal.light,
            primary=colours["accent"],
            foreground=colours["text"],
            background=colours["ground"],
            surface=colours["ground"],
            panel=colours["raised"],
            variables=variables,
        )
    light = look.terminal.light
    variables["ansi-background"] = "ansi_white" if light else "ansi_black"
    variables["ansi-foreground"] = "ansi_black" if light else "ansi_white"
    return Theme(
        name="diskwright-window",
        ansi=True,
        dark=not light,
        primary="ansi_cyan",
        foreground=_DEFAULT,
        background=_DEFAULT,
        surface=_DEFAULT,
        panel=_DEFAULT,
        boost=_DEFAULT,
        variables=variables,
    )


_DEFAULT = "ansi_default"


def _colour(colour: Color | None) -> str:
    if colour is None or colour.is_default:
        return _DEFAULT
    return colour.name if colour.name.startswith("#") else f"ansi_{colour.name}"


def _text_style(style: Style) -> str:
    names = ("bold", "underline", "reverse")
    return " ".join(name for name in names if getattr(style, name)) or "none"
