"""Completion for fish."""

from collections.abc import Iterator

from papers.commands import Command, Option, Program
from papers.values import Kind, Value

HEAD = r"""# fish completion for diskwright, made from its parsers

function __diskwright_devices
    for one in /sys/class/block/*
        set -l size (cat $one/size 2>/dev/null)
        test -n "$size" -a "$size" != 0; and echo /dev/(string replace -a ! / (basename $one))
    end
end

function __diskwright_runs
    for one in /var/lib/diskwright/runs/*/
        basename $one
    end
end

# Whether no command stands here yet.
function __diskwright_begins
    not __fish_seen_subcommand_from $__diskwright_commands
end
"""


def fish(known: Program) -> str:
    """Return the completion file."""
    return "\n".join(
        (
            HEAD,
            f"set -g __diskwright_commands {' '.join(one.name for one in known.commands)}",
            "",
            "complete -c diskwright -f",
            *(
                f"complete -c diskwright -n __diskwright_begins -a {one.name} -d {_quoted(one.brief)}"
                for one in known.commands
            ),
            *(_option(option, "") for option in known.shared),
            "complete -c diskwright -n __diskwright_begins -l version -d 'print the version'",
            *(line for one in (known.wizard, *known.commands) for line in _command(one)),
            "",
        )
    )


def _command(command: Command) -> Iterator[str]:
    when = f" -n '__fish_seen_subcommand_from {command.name}'" if command.name else " -n __diskwright_begins"
    for option in command.options:
        yield _option(option, when)
    for value in dict.fromkeys(operand.value for operand in command.operands):
        if taken := _value(value):
            yield f"complete -c diskwright{when}{taken}"


def _option(option: Option, when: str) -> str:
    names = "".join(
        f" -l {name[2:]}" if name.startswith("--") else f" -s {name[1:]}" for name in option.names
    )
    if not option.metavar:
        takes = ""
    elif option.value.kind is Kind.FILES:
        takes = " -r -F"
    else:
        takes = f" -x{_value(option.value)}"
    return f"complete -c diskwright{when}{names}{takes} -d {_quoted(option.says)}"


def _value(value: Value) -> str:
    match value.kind:
        case Kind.DEVICES | Kind.RUNS:
            return f" -a '(__diskwright_{value.kind.value})'"
        case Kind.FILES:
            return " -F"
        case Kind.FOLDERS:
            return " -a '(__fish_complete_directories (commandline -ct))'"
        case Kind.WORDS:
            return f" -a {_quoted(' '.join(value.words))}"
        case Kind.NONE:
            return ""


def _quoted(text: str) -> str:
    return "'" + text.replace("`", "").replace("\\", "\\\\").replace("'", "\\'") + "'"
