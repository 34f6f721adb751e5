"""Style sheet and theme of Textual's widgets."""

from __future__ import annotations

from rich.color import Color
from rich.style import Style
from textual.theme import Theme

from wizard.window.look import DARK, LIGHT, Look

CSS = """/**/
Screen { background: $background; color: $foreground; }
Dialog { align: center middle; background: $background 60%; }
Dialog:ansi { background: $background; }

Page { width: 1fr; height: 1fr; }
Page.-over { border: solid $rule-focus-foreground; padding: 0 1; background: $background; }
Page #small, Page.-small > * { display: none; }
Page.-small #small { display: block; }

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
OptionList, Form, Scroll { border: none; padding: 0; background: $background; }
RowList { height: 1fr; scrollbar-gutter: stable; }
RowList:focus { background-tint: $background 0%; border: none; }
RowList > .option-list--option-highlighted, RowList:focus > .option-list--option-highlighted,
RowList > .option-list--option-hover { background: $background; color: $foreground; text-style: none; }
#pinned { height: auto; }
#keys { background: $panel; }
.-over #keys { background: $background; }

FieldRow, FieldRow > Vertical, .value { height: auto; }
.mark { width: 2; }
Entry, Entry:focus {
    background: $field-background; background-tint: $field-background 0%;
    color: $field-foreground; text-style: $field-text-style;
}
Entry > .input--placeholder { color: $hint-foreground; text-style: none; }
.value Choice > SelectCurrent { background: $background; width: auto; }
Choice > SelectCurrent Static#label { width: auto; color: $foreground; }
Choice > SelectCurrent .arrow { color: $rule-focus-foreground; }
Choice:focus > SelectCurrent { background-tint: $background 0%; }
Choice:focus > SelectCurrent Static#label {
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
