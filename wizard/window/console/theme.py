"""Colours and the style sheet. Themes for terminals with many colours and of the eight that every console
has, dark and light."""

from dataclasses import replace

from rich.terminal_theme import TerminalTheme
from textual.theme import Theme

MANY = Theme(
    name="diskwright",
    primary="#7aa2d8",
    secondary="#7aa2d8",
    warning="#e0b050",
    error="#e8707a",
    success="#7fc98a",
    accent="#7aa2d8",
    foreground="#d6dbe3",
    background="#14181f",
    surface="#14181f",
    panel="#14181f",
    variables={
        "bar-background": "#25395a",
        "bar-foreground": "#eef2f8",
        "cursor-background": "#2f5f9e",
        "cursor-foreground": "#ffffff",
        "field-background": "#232a36",
        "field-foreground": "#eef2f8",
        "line": "#4a5568",
        "hint": "#8b95a5",
        "scrollbar": "#5a6a85",
        "scrollbar-hover": "#5a6a85",
        "scrollbar-active": "#5a6a85",
        "scrollbar-background": "#1d232d",
        "scrollbar-background-hover": "#1d232d",
        "scrollbar-background-active": "#1d232d",
        "input-cursor-background": "#eef2f8",
        "input-cursor-foreground": "#14181f",
    },
)

LIGHT = Theme(
    name="diskwright-light",
    dark=False,
    primary="#1f4f8f",
    secondary="#1f4f8f",
    warning="#7a4d00",
    error="#a3202c",
    success="#1d6b2c",
    accent="#1f4f8f",
    foreground="#1c2430",
    background="#fbfbf8",
    surface="#fbfbf8",
    panel="#fbfbf8",
    variables={
        "bar-background": "#25395a",
        "bar-foreground": "#eef2f8",
        "cursor-background": "#2f5f9e",
        "cursor-foreground": "#ffffff",
        "field-background": "#e6e9ee",
        "field-foreground": "#1c2430",
        "line": "#8b95a5",
        "hint": "#566070",
        "scrollbar": "#7f8ca3",
        "scrollbar-hover": "#7f8ca3",
        "scrollbar-active": "#7f8ca3",
        "scrollbar-background": "#e6e9ee",
        "scrollbar-background-hover": "#e6e9ee",
        "scrollbar-background-active": "#e6e9ee",
        "input-cursor-background": "#1c2430",
        "input-cursor-foreground": "#fbfbf8",
    },
)

EIGHT = Theme(
    name="diskwright-console",
    ansi=True,
    primary="ansi_cyan",
    secondary="ansi_cyan",
    warning="ansi_yellow",
    error="ansi_red",
    success="ansi_green",
    accent="ansi_cyan",
    foreground="ansi_default",
    background="ansi_default",
    surface="ansi_default",
    panel="ansi_default",
    boost="ansi_default",
    variables={
        "ansi-background": "ansi_black",
        "ansi-foreground": "ansi_white",
        "bar-background": "ansi_blue",
        "bar-foreground": "ansi_white",
        "cursor-background": "ansi_cyan",
        "cursor-foreground": "ansi_black",
        "field-background": "ansi_default",
        "field-foreground": "ansi_default",
        "line": "ansi_default",
        "hint": "ansi_default",
        "text-muted": "ansi_default",
        "text-disabled": "ansi_default",
        "foreground-muted": "ansi_default",
        "border-blurred": "ansi_default",
        "scrollbar": "ansi_white",
        "scrollbar-hover": "ansi_white",
        "scrollbar-active": "ansi_white",
        "scrollbar-background": "ansi_default",
        "scrollbar-background-hover": "ansi_default",
        "scrollbar-background-active": "ansi_default",
        "scrollbar-corner-color": "ansi_default",
        "input-cursor-background": "ansi_white",
        "input-cursor-foreground": "ansi_black",
        "input-cursor-text-style": "none",
        "input-selection-background": "ansi_cyan",
        "input-selection-foreground": "ansi_black",
    },
)

EIGHT_LIGHT = replace(
    EIGHT,
    name="diskwright-console-light",
    dark=False,
    variables={
        **EIGHT.variables,
        "ansi-background": "ansi_white",
        "ansi-foreground": "ansi_black",
        "scrollbar": "ansi_black",
        "scrollbar-hover": "ansi_black",
        "scrollbar-active": "ansi_black",
        "input-cursor-background": "ansi_black",
        "input-cursor-foreground": "ansi_white",
    },
)

COLOURLESS = replace(
    EIGHT, name="diskwright-colourless", variables={**EIGHT.variables, "input-cursor-text-style": "reverse"}
)
"""Where every colour is taken away, only reversing shows where a letter would go."""

INKS = TerminalTheme(
    (0x14, 0x18, 0x1F),
    (0xD6, 0xDB, 0xE3),
    [
        (0x14, 0x18, 0x1F),
        (0xE8, 0x70, 0x7A),
        (0x7F, 0xC9, 0x8A),
        (0xE0, 0xB0, 0x50),
        (0x7A, 0xA2, 0xD8),
        (0xC0, 0x8F, 0xD0),
        (0x74, 0xC0, 0xCC),
        (0xD6, 0xDB, 0xE3),
    ],
    [
        (0x5A, 0x6A, 0x85),
        (0xE8, 0x70, 0x7A),
        (0x7F, 0xC9, 0x8A),
        (0xE0, 0xB0, 0x50),
        (0x7A, 0xA2, 0xD8),
        (0xC0, 0x8F, 0xD0),
        (0x74, 0xC0, 0xCC),
        (0xFF, 0xFF, 0xFF),
    ],
)
LIGHT_INKS = TerminalTheme(
    (0xFB, 0xFB, 0xF8),
    (0x1C, 0x24, 0x30),
    [
        (0x1C, 0x24, 0x30),
        (0xA3, 0x20, 0x2C),
        (0x1D, 0x6B, 0x2C),
        (0x7A, 0x4D, 0x00),
        (0x1F, 0x4F, 0x8F),
        (0x7A, 0x2F, 0x8A),
        (0x0F, 0x62, 0x70),
        (0x1C, 0x24, 0x30),
    ],
)
"""INKS and LIGHT_INKS: what the eight names stand for where there are many colours. Text is always coloured
by name."""

CSS = """
Screen { background: $background; color: $foreground; layout: vertical; }
LineView { width: 1fr; height: auto; scrollbar-size: 0 1; scrollbar-gutter: stable; overflow: hidden auto;
    background: $background; color: $foreground; background-tint: transparent; }
Words { height: 1fr; }
Words:focus { scrollbar-color: $cursor-background; }
Prose { height: auto; scrollbar-gutter: auto; overflow: hidden hidden; }
Keys { max-height: 3; dock: bottom; background: $bar-background; color: $bar-foreground; padding: 0 1; }
Cycle { height: 1; width: 1fr; }
Press { height: 1; width: auto; margin: 0 2 0 0; }
Field { height: 1; width: 1fr; }
Field Input { width: 1fr; height: 1; border: none; padding: 0; background: $field-background;
    color: $field-foreground; }
Field Input:focus { border: none; background: $field-background; color: $field-foreground;
    background-tint: transparent; }
Field Input > .input--placeholder { color: $hint; text-style: none; }
.row { height: 1; width: 1fr; }
.caption { height: 1; width: 16; }
.bracket { height: 1; width: 1; }
.rule { height: 1; color: $line; border-top: solid $line; }
.spaced { margin: 1 0 0 0; }

#head { height: 1; background: $bar-background; color: $bar-foreground; }
#intro { padding: 0 1; margin: 0 0 1 0; }
#body { height: 1fr; width: 1fr; padding: 0 1; overflow: hidden auto; scrollbar-size: 0 1; }
#verdict { min-height: 3; }
#message { max-height: 4; padding: 0 1; }

#drives { max-height: 50%; }
#ranking { max-height: 45%; }
#terms, #sentences, #offers { max-height: 50%; }
#modes { max-height: 60%; }
#volumes { max-height: 8; }
#others { max-height: 30%; }
#ways, #moving-ways { max-height: 55%; }
#power { margin: 0 0 1 0; }
.inset { padding: 0 1; }
.tokens { height: auto; }
#steps { max-height: 65%; }
#loss { height: auto; max-height: 11; margin: 0 0 1 0; }
#loss.-before-passphrase { max-height: 9; }
.-high #loss { max-height: 65%; }
#purposes { height: 1fr; }
#sides { height: 1fr; layout: horizontal; }
#findings { display: none; }
.-wide #findings { display: block; margin: 0 0 0 2; }
#halves { height: 1fr; layout: vertical; }
.-wide #halves { layout: horizontal; }
.-wide #terms, .-wide #sentences, .-wide #offers { width: 2fr; max-height: 100%; }
.-wide #ranking { width: 44; max-height: 100%; }
.-wide #halves Words { width: 3fr; margin: 0 0 0 2; }
.-wide #halves .rule { display: none; }

ModalScreen { align: center middle; background: $background; }
.dialog { width: 78; max-width: 100%; height: auto; max-height: 100%; border: solid $line; padding: 1 2;
    background: $background; overflow: hidden auto; scrollbar-size: 0 1; }
.title, .text { margin: 0 0 1 0; }
.said { margin: 1 0 0 0; }
.buttons { height: 1; margin: 1 0 0 0; }
HelpScreen, GlossaryScreen, ReasonsScreen, OptionsScreen, SpreadForm, TooSmall { align: left top; }
HelpScreen Words, #search { padding: 0 1; }
GlossaryScreen #halves, ReasonsScreen #halves, OptionsScreen #halves { padding: 0 1; }
"""
