"""Help texts: complete, within the terminal's width, with valid examples."""

import re
import sys
from contextlib import suppress
from io import StringIO
from pathlib import Path

import pytest

from wizard.cli.command import EXAMPLES, CommandParser, CommandRow, example_lines, help_width, line_to_type
from wizard.cli.main import CALLED, main, named_command, parser_of
from wizard.cli.table import COMMANDS, GROUPS
from wizard.process.output import search_output

each = pytest.mark.parametrize("name", COMMANDS)


def typed_in(text: str) -> list[list[str]]:
    """Return the example commands, without pipes to other programs."""
    examples = text.partition(str(EXAMPLES))[2].replace(" \\\n", " ")
    lines = [line.split() for line in examples.splitlines()]
    typed = [words[1:] if words[:1] == ["sudo"] else words for words in lines]
    return [
        words[1 : words.index("|") if "|" in words else None]
        for words in typed
        if words[:1] == ["diskwright"]
    ]


def test_help_lists_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    said = capsys.readouterr().out
    assert all(f"\n    {name} " in said for name in COMMANDS)
    assert all(f"\n\n{heading}:\n" in said for heading in GROUPS)
    assert max(map(len, said.splitlines())) < 80
    assert {words[0] for words in typed_in(said)} <= set(COMMANDS)
    options = [option.option_strings[-1:] or ["DEVICE"] for option in parser_of("")._actions]
    assert len(options) == 5 and all(f"\n    {name:<10} " in said for (name,) in options)


def test_help_of_a_command_works_either_way(capsys: pytest.CaptureFixture[str]) -> None:
    said = []
    for asked in (["keep", "--help"], ["help", "keep"]):
        with pytest.raises(SystemExit):
            main(asked)
        said.append(capsys.readouterr().out)
    assert said[0] == said[1]


@pytest.mark.parametrize(
    ("asked", "is_command", "is_told"),
    [
        (["help"], False, True),
        (["help"], True, False),
        (["plan", "--help"], False, True),
        (["ensure", "/"], False, True),
        (["--version"], False, False),
        (["glossary"], False, True),
        (["glossary", "stripe"], False, False),
        (["workloads"], False, False),
    ],
)
def test_command_name_is_explained_if_the_shell_does_not_know_it(
    asked: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, is_command: bool, is_told: bool
) -> None:
    program = tmp_path / "diskwright"
    if is_command:
        program.write_text("")
        program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv(CALLED, "/media/my stick/dw.run")
    terminal = StringIO()
    monkeypatch.setattr(terminal, "isatty", lambda: True)
    monkeypatch.setattr(sys, "stdout", terminal)
    monkeypatch.setattr(sys, "stderr", terminal)
    with suppress(SystemExit):
        main(asked)
    assert ("'/media/my stick/dw.run'" in terminal.getvalue()) is is_told
    assert terminal.getvalue() and sys.stdout is sys.stderr is terminal


@pytest.mark.parametrize(
    ("written", "is_named"),
    [
        (("`diskwright keep x` keeps it",), True),
        (("as root: sudo disk", "wright\n", "    /dev/sda"), True),
        (("sudo diskwright",), True),
        (("diskwright: /dev/sda is in use.", "diskwright 1.0.0", "diskwright keeps it"), False),
        (("/media/diskwright keep x",), False),
    ],
)
def test_named_command_is_detected_across_separate_writes(
    written: tuple[str, ...], monkeypatch: pytest.MonkeyPatch, *, is_named: bool
) -> None:
    told = StringIO()
    monkeypatch.setattr(sys, "stderr", told)
    with search_output(named_command()) as heard:
        sys.stderr.writelines(written)
        sys.stdout.write("keep")
    assert heard.found is is_named and told.getvalue() == "".join(written)


def test_ensure_prints_an_example_file(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ensure", "--example"]) == 0
    assert 'schema = "diskwright.wanted/1"' in capsys.readouterr().out
    for no_file in ("nowhere.toml", "/"):
        assert main(["ensure", no_file]) == 2
        assert "diskwright ensure --example" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["", *COMMANDS])
def test_wrong_option_shows_an_example(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        parser_of(name).read(["--frobnicate\x1b", "x", "x"])
    said = capsys.readouterr().err
    example = next(line_to_type(str(parser_of(name).examples[0]), help_width()))
    assert ended.value.code == 2 and "usage:" not in said and "\x1b" not in said
    assert example in said.splitlines() and "--help`" in said


@pytest.mark.parametrize("devices", [["/dev/sdx"], ["/dev/sdx2"], ["/dev/sdx", "/dev/sdy", "--lvm"]])
def test_plan_without_a_drive_shows_an_example(
    devices: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["plan", *devices]) == 2
    said = capsys.readouterr().err
    (example,) = re.findall("`diskwright (plan /dev[^`]*)`", said)
    assert parser_of("plan").parse_args(example.split()[1:]).devices == devices[:1]


@each
@pytest.mark.parametrize("columns", [80, 200])
def test_help_fits_the_terminal(name: str, columns: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    said = parser_of(name).format_help()
    assert max(map(len, said.partition("\n\n")[2].splitlines())) < columns


@each
def test_option_texts_appear_in_help_as_written(name: str) -> None:
    parser = parser_of(name)
    said = " ".join(parser.format_help().split())
    for told in filter(None, (option.help for option in parser._actions)):
        assert "".join(told.split()) in said.replace(" ", ""), told


@each
def test_examples_can_be_typed(name: str) -> None:
    typed = typed_in(parser_of(name).format_help())
    assert name in {line[0] for line in typed}
    for command, *options in typed:
        parser_of(command).parse_args(options)


def test_long_command_continues_after_a_backslash(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "44")
    command = "sudo diskwright plan /dev/sdX --workload large-media"
    assert example_lines((command, EXAMPLES)) == [
        "examples:",
        "    sudo diskwright plan /dev/sdX \\",
        "        --workload large-media",
        "        examples:",
    ]


def test_help_texts_are_built_only_on_request(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made = CommandParser(CommandRow("show", EXAMPLES, "", (), ("diskwright show", EXAMPLES), (EXAMPLES,)))
    said: list[str] = []

    def noted(text: object, *_: int) -> list[str]:
        said.append(str(text))
        return [str(text)]

    monkeypatch.setattr("wizard.cli.command._filled", noted)
    made.parse_args([])
    assert not said
    made.format_help()
    assert len(said) == 2


@pytest.mark.parametrize("name", ["", *COMMANDS])
def test_run_folder_is_absolute_for_every_command(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    parser = parser_of(name)
    found = [action for action in parser._actions if "--journal" in action.option_strings]
    assert all(parser._get_value(action, "runs") == tmp_path / "runs" for action in found)
    assert all(parser._get_value(action, "") is None for action in found), "an empty variable of a script"


@pytest.mark.parametrize("before", [("--journal", "runs"), ("--plain",), ("--machine", "plan.json")])
def test_options_before_a_command_are_sent_behind_it(
    before: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*before, "migrate", "/dev/sdx1", "--way", "full"]) == 2
    assert "options follow the command: `diskwright migrate ...`" in capsys.readouterr().err
