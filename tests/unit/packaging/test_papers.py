"""Manual pages and shell completions: all options of the parsers, in valid files."""

import os
import re
import shutil
import subprocess
from argparse import Action
from pathlib import Path

import pytest
from papers.build import papers
from papers.commands import Command, actions_of, program
from papers.values import BY_METAVAR, BY_OPTION

from wizard.cli.main import parser_of
from wizard.cli.table import COMMANDS
from wizard.documents.profiles import BUNDLED

each = pytest.mark.parametrize("name", ("", *COMMANDS))


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder with all pages and completions, like /usr."""
    folder = tmp_path_factory.mktemp("usr")
    for place, text in papers("2026-01-31"):
        (folder / place).parent.mkdir(parents=True, exist_ok=True)
        (folder / place).write_text(text, encoding="utf-8")
    return folder


def page_of(made: Path, name: str) -> Path:
    return made / "share/man/man1" / ("diskwright.1" if name == "" else f"diskwright-{name}.1")


def script_of(made: Path, shell: str) -> Path:
    """Return the completion script of a shell."""
    places = {
        "bash": "bash-completion/completions/diskwright",
        "zsh": "zsh/site-functions/_diskwright",
        "fish": "fish/vendor_completions.d/diskwright.fish",
    }
    return made / "share" / places[shell]


def needed(program: str) -> str:
    """Return the path of a test dependency, or skip the test."""
    found = shutil.which(program)
    if found is None:
        pytest.skip(f"{program} is not here")
    return found


def seen(source: str) -> str:
    """Return a manual page as plain text."""
    plain = re.sub(r"\\f[BIR]", "", source)
    for written, is_read in ((r"\-", "-"), (r"\(aq", "'"), (r"\(ti", "~"), (r"\e", "\\"), (r"\&", "")):
        plain = plain.replace(written, is_read)
    return plain


@each
def test_page_names_every_option_of_the_parser(made: Path, name: str) -> None:
    text = seen(page_of(made, name).read_text(encoding="utf-8"))
    for one in actions_of(parser_of(name)):
        for option in one.option_strings:
            assert re.search(rf"^\.TP\n(.*, )?{re.escape(option)}\b", text, re.MULTILINE), option
        assert one.help and one.help.replace("`", "") in text
    assert "--debug" in text and "EXIT STATUS\n.TP\n0\ndone" in text


def test_every_command_has_a_page_and_every_page_is_linked(made: Path) -> None:
    assert {page.name for page in (made / "share/man/man1").iterdir()} == {
        "diskwright.1",
        *(f"diskwright-{name}.1" for name in COMMANDS),
    }
    first = seen(page_of(made, "").read_text(encoding="utf-8"))
    assert all(f"diskwright-{name}(1)" in first and f"\ndiskwright {name}\n" in first for name in COMMANDS)


def test_pages_have_no_fault(made: Path) -> None:
    pages = map(str, sorted((made / "share/man/man1").iterdir()))
    found = subprocess.run(
        (needed("mandoc"), "-T", "lint", "-W", "warning", *pages), capture_output=True, text=True, check=False
    )
    assert (found.stdout, found.returncode) == ("", 0)


def test_two_builds_are_identical(made: Path) -> None:
    for place, text in papers("2026-01-31"):
        assert (made / place).read_text(encoding="utf-8") == text


@each
def test_every_option_with_a_value_has_a_completion_rule(name: str) -> None:
    def is_decided(one: Action) -> bool:
        named = BY_OPTION.keys() & set(one.option_strings)
        return one.nargs == 0 or one.choices is not None or bool(named) or one.metavar in BY_METAVAR

    assert [one.dest for one in actions_of(parser_of(name)) if not is_decided(one)] == []


COMPLETE = r"""
source "$1"; shift
complete -p diskwright | grep -q -- '-F _diskwright diskwright'
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMP_LINE="$*"; COMP_POINT=${#COMP_LINE}
_diskwright diskwright "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD-1]}"
printf '%s\n' "${COMPREPLY[@]}"
"""


def in_bash(made: Path, *words: str) -> list[str]:
    """Return bash's completions after these words."""
    script = str(script_of(made, "bash"))
    told = subprocess.run(
        ("bash", "--norc", "-c", COMPLETE, "bash", script, "diskwright", *words),
        capture_output=True,
        text=True,
        cwd=made,
        check=True,
    )
    assert told.stderr == ""
    return told.stdout.split()


def at_home(made: Path) -> dict[str, str]:
    """Return an environment with a separate home, since fish creates a folder there."""
    return {**os.environ, "HOME": str(made), "XDG_CONFIG_HOME": str(made), "XDG_DATA_HOME": str(made)}


def in_fish(made: Path, *words: str) -> list[str]:
    """Return fish's completions after these words."""
    typed = " ".join(("diskwright", *words))
    told = subprocess.run(
        (needed("fish"), "--no-config", "-c", f"source {script_of(made, 'fish')}; complete -C '{typed}'"),
        capture_output=True,
        text=True,
        cwd=made,
        env=at_home(made),
        check=True,
    )
    assert told.stderr == ""
    return [line.partition("\t")[0] for line in told.stdout.splitlines()]


IN_ZSH = r"""
zmodload zsh/zpty
zpty z zsh -f -i
{
    zpty -w z "PS1='>' ; unsetopt zle_bracketed_paste 2>/dev/null; fpath=($1 \$fpath)"
    zpty -w z 'autoload -Uz compinit && compinit -u -D; LISTMAX=10000; setopt no_beep'
    zpty -w z "zstyle ':completion:*' list-colors ''; bindkey '^I' list-choices; print READ''Y"
    zpty -r z shown '*READY*'
    zpty -w -n z "$2"$'\t'
    zpty -r z shown "*$3*"
} always {
    zpty -d z
}
"""


def listed_in_zsh(made: Path, typed: str, offered: str) -> None:
    """Wait until zsh offers this completion. Raises TimeoutExpired if missing."""
    subprocess.run(
        (needed("zsh"), "-f", "-c", IN_ZSH, "zsh", str(script_of(made, "zsh").parent), typed, offered),
        capture_output=True,
        cwd=made,
        env={**os.environ, "HOME": str(made), "TERM": "dumb"},
        timeout=30,
        check=True,
    )


@pytest.mark.parametrize("shell", ["bash", "fish"])
@pytest.mark.parametrize(
    ("words", "offered"),
    [
        (("pl",), {"plan"}),
        (("plan", "--work"), {"--workload"}),
        (("plan", "--workload", "large"), {"large-media"}),
        (("plan", "--table", ""), {"gpt", "mbr"}),
        (("trial", "/dev/sdX", "--fs", "ext4"), {"ext4"}),
        (("show", "med"), {"media.json"}),
        (("install", "mkfs.e"), {"mkfs.exfat"}),
    ],
)
def test_shell_completes(made: Path, shell: str, words: tuple[str, ...], offered: set[str]) -> None:
    (made / "media.json").touch()
    found = {"bash": in_bash, "fish": in_fish}[shell](made, *words)
    assert {word.removesuffix("\\") for word in found} == offered or offered < set(found)
    assert all(word.startswith(words[-1]) for word in found)


@pytest.mark.parametrize("shell", ["bash", "fish"])
def test_every_option_of_every_command_is_completed(made: Path, shell: str) -> None:
    complete = {"bash": in_bash, "fish": in_fish}[shell]
    some: tuple[Command, ...] = program().commands
    for command in some if shell == "bash" else some[5:8]:
        long = {option.names[-1] for option in command.options}
        assert long <= set(complete(made, command.name, "--")), command.name


def test_bash_completes_operands_and_splits_at_the_equals_sign(made: Path) -> None:
    (made / "folder").mkdir(exist_ok=True)
    assert in_bash(made, "bring", "--confirm", "TOKEN", "fol") == ["folder"]
    assert in_bash(made, "label", "/dev/sdX", "") == []
    assert in_bash(made, "--debug", "ins") == ["inspect", "install"]
    assert in_bash(made, "--debug", "plan", "--workload", "large") == ["large-media"]
    assert "large-media" in in_bash(made, "plan", "--workload", "=")
    assert in_bash(made, "plan", "--workload", "=", "large") == ["large-media"]
    assert in_bash(made, "apply", "media.json", "--confirm", "") == []


def test_drives_are_completed_from_the_kernel_list(made: Path) -> None:
    sizes = {block.name: (block / "size").read_text() for block in Path("/sys/class/block").iterdir()}
    nodes = {f"/dev/{name.replace('!', '/')}" for name, size in sizes.items() if size.strip() != "0"}
    if not nodes:
        pytest.skip("this machine has no drive")
    assert set(in_bash(made, "plan", "/dev/")) <= nodes and in_bash(made, "plan", "/dev/")
    assert set(in_fish(made, "plan", "/dev/")) <= nodes and in_fish(made, "plan", "/dev/")


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("p", "plan "),
        ("plan --w", "--writable"),
        ("plan --table ", "mbr"),
        ("tune --workload=", "large-media"),
    ],
)
def test_zsh_completes(made: Path, typed: str, offered: str) -> None:
    listed_in_zsh(made, f"diskwright {typed}", offered)


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_scripts_are_valid_in_their_shells(made: Path, shell: str) -> None:
    found = subprocess.run(
        (needed(shell), "-n", str(script_of(made, shell))),
        capture_output=True,
        text=True,
        env=at_home(made),
        check=False,
    )
    assert (found.stdout, found.stderr, found.returncode) == ("", "", 0)


def test_only_bundled_names_are_completed(made: Path) -> None:
    """Custom workloads of the packager are excluded."""
    own = {path.stem for path in (BUNDLED / "workloads").glob("*.toml")}
    assert set(in_bash(made, "plan", "--workload", "")) == own
