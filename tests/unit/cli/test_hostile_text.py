"""Untrusted text, such as a filesystem label, in every output: no control sequence reaches a terminal,
browser or document reader."""

import io
import json

import pytest
from msgspec.structs import replace
from rich.cells import cell_len
from rich.segment import Segment
from textual.color import Color

from tests.looks.rehearsal import MODERN, wizard
from wizard.cli import output
from wizard.cli.output import tell
from wizard.documents.codec import render_document
from wizard.plain.prompt import Dialogue
from wizard.report.page import blocks_html, tag
from wizard.ui import view as ui
from wizard.window.app import TerminalFilter
from wizard.window.terminal import Glyphs

HOSTILE = (
    "\x1b[2J\x1b[1;1H",  # clears the screen
    "\x1b]0;owned\x07",  # renames the window
    "\x9b31m",  # an escape sequence in one character
    "safe\nNothing is lost.",  # looks like a line of ours
    "safe\rNothing is lost.",
    "\u202egpj.exe",  # turned round
    "\u2066\u2069\u200f",
    "\udcff\ud800",  # no characters at all
    "\x00\x08\x0b\x0c\x7f\x85\u2028\u2029",
    "<script>alert('x')</script>",
    "x" * 10_000,
)


def harmless(shown: str) -> bool:
    """Return True if the text is printable apart from line breaks."""
    return all(char.isprintable() or char == "\n" for char in shown)


@pytest.fixture(params=HOSTILE, ids=[repr(one[:12]) for one in HOSTILE])
def label(request: pytest.FixtureRequest) -> str:
    assert isinstance(request.param, str)
    return request.param


@pytest.mark.parametrize("ascii_only", [True, False])
def test_plain_interface_prints_it_within_its_lines(label: str, ascii_only: bool) -> None:
    out = io.StringIO()
    talk = Dialogue(io.BytesIO(), out, ascii_only=ascii_only)
    talk.say(f"The label is {label}.")
    talk.show([f"    {label}"])
    shown = out.getvalue()
    shown.encode()
    assert harmless(shown) and "\nNothing is lost" not in shown


@pytest.mark.parametrize("colours", [True, False])
def test_commands_print_it_without_control_sequences(
    label: str, colours: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = io.StringIO()
    monkeypatch.setattr(file, "isatty", lambda: colours)
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    blocks = (
        ui.para(ui.Piece(label, ui.Tone.DANGER), label, indent=2),
        ui.Banner(label, (label,)),
        ui.Command((label, label)),
        ui.Command((label,)),
        ui.Figures(label, ((label, 1.0, label),)),
    )
    output.show(blocks, file)
    shown = file.getvalue()
    shown.encode()
    # Of colours only the renderer's own.
    assert harmless(shown.replace("\x1b[31m", "").replace("\x1b[32m", "").replace("\x1b[0m", ""))
    assert ("\x1b[0m" in shown) is colours and "\nNothing is lost" not in shown


def test_lines_remain_lines(label: str, capsys: pytest.CaptureFixture[str]) -> None:
    tell(["Before.", f"The label is {label}.", "After."])
    shown = capsys.readouterr().out
    assert harmless(shown) and shown.count("\n") == 3


def test_narration_remains_one_sentence(label: str, capsys: pytest.CaptureFixture[str]) -> None:
    output.say(f"The label is {label}.")
    shown = capsys.readouterr().err
    assert harmless(shown) and shown.count("\n") == 1 and len(shown) < 3000


@pytest.mark.parametrize("glyphs", Glyphs)
def test_screens_draw_it_without_control_sequences(label: str, glyphs: Glyphs) -> None:
    """Every line of every screen passes through this filter last."""
    segments = TerminalFilter(replace(MODERN, glyphs=glyphs)).apply(
        [Segment("Label: "), Segment(label)], Color.parse("black")
    )
    shown = "".join(segment.text for segment in segments)
    shown.encode()
    assert shown.isprintable() and cell_len(shown) == cell_len(f"Label: {label}")


def test_every_terminal_has_the_text_filter() -> None:
    for terminal in (MODERN, replace(MODERN, glyphs=Glyphs.CONSOLE), replace(MODERN, glyphs=Glyphs.ASCII)):
        assert any(isinstance(one, TerminalFilter) for one in wizard(terminal=terminal).get_line_filters())


def test_page_shows_it_as_text(label: str) -> None:
    page = tag("p", label, title=label) + blocks_html((ui.para(label),))
    page.encode()
    assert harmless(page) and "<script" not in page


def test_documents_contain_it_completely_in_ascii(label: str) -> None:
    text = render_document("diskwright.test/1", {"label": label})
    assert text.isascii() and harmless(text) and json.loads(text)["label"] == label
