"""What the commands say of themselves: all of it is there, fits the terminal, and can be typed."""

import subprocess
import sys
from argparse import ArgumentParser
from importlib import import_module

import pytest

from wizard.cli import ACTIONS, COMMANDS, main
from wizard.faces import action
from wizard.faces.showing.command import Command, help_width, plain, root
from wizard.faces.showing.words.commands import SAYS
from wizard.faces.words.shared import EXAMPLES

each = pytest.mark.parametrize("name", COMMANDS)


def parser_of(name: str) -> ArgumentParser:
    made = action.parser(name) if name in ACTIONS else import_module(f"wizard.faces.{name}").parser()
    assert isinstance(made, ArgumentParser)
    return made


def typed_in(text: str) -> list[list[str]]:
    """The commands of the examples, without what another program makes of their output."""
    examples = text.partition(str(EXAMPLES()))[2].replace(" \\\n", " ")
    lines = [line.split() for line in examples.splitlines()]
    typed = [words[1:] if words[:1] == ["sudo"] else words for words in lines]
    return [
        words[1 : words.index("|") if "|" in words else None]
        for words in typed
        if words[:1] == ["diskwright"]
    ]


def test_every_command_is_described() -> None:
    assert tuple(SAYS) == COMMANDS


def test_help_lists_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    said = capsys.readouterr().out
    assert all(f"\n    {name} " in said for name in COMMANDS)
    assert {words[0] for words in typed_in(said)} <= set(COMMANDS)


@each
@pytest.mark.parametrize("columns", [80, 200])
def test_help_fits_the_terminal(name: str, columns: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    said = parser_of(name).format_help()
    assert max(map(len, said.partition("\n\n")[2].splitlines())) < columns


@each
def test_every_option_is_told_as_it_is_written(name: str) -> None:
    parser = parser_of(name)
    said = " ".join(parser.format_help().split())
    for told in filter(None, (option.help for option in parser._actions)):
        assert "".join(told.split()) in said.replace(" ", ""), told


@each
def test_examples_can_be_typed(name: str) -> None:
    typed = typed_in(parser_of(name).format_help())
    assert name in {words[0] for words in typed}
    for command, *words in typed:
        parser_of(command).parse_args(words)


def test_a_long_command_goes_on_behind_a_backslash(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "44")
    lines = list(root("plan", "/dev/sdX", "--workload", "large-media", says=EXAMPLES()).lines(help_width()))
    assert lines == [
        "    sudo diskwright plan /dev/sdX \\",
        "        --workload large-media",
        "        examples:",
    ]


def test_nothing_below_the_options_is_worded_unless_help_is_asked_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made = Command("show", EXAMPLES(), (plain("show", says=EXAMPLES()),), (EXAMPLES(),))
    said: list[str] = []

    def noted(text: str, *_: int) -> list[str]:
        said.append(text)
        return [text]

    monkeypatch.setattr("wizard.faces.showing.command._filled", noted)
    made.parse_args([])
    assert not said
    made.format_help()
    assert len(said) == 2


@pytest.mark.parametrize("name", ["inspect", "workloads", "glossary", "options", "advise", "bench"])
def test_a_command_loads_no_other_words_than_its_own(name: str) -> None:
    code = f"from wizard.cli import main\ntry: main(['{name}', '--help'])\nexcept SystemExit: pass\n"
    code += "import sys\nprint(*sys.modules, file=sys.stderr)"
    argv = [sys.executable, "-c", code]
    done = subprocess.run(argv, capture_output=True, text=True, check=True, timeout=60)
    loaded = set(done.stderr.split())
    others = {"walk", "action", *COMMANDS} - {name}
    assert f"wizard.faces.words.{name}" in loaded
    assert not loaded & {f"wizard.faces.words.{other}" for other in others}
    assert "wizard.faces.showing.words.commands" not in loaded
