"""Completion for zsh, with _arguments."""

from collections.abc import Iterator

from papers.commands import Command, Operand, Option, Program
from papers.values import Kind, Value

HEAD = r"""#compdef diskwright
# zsh completion for diskwright, made from its parsers

_diskwright_devices() {
    local -a found
    local one
    for one in /sys/class/block/*(N); do
        [[ -r $one/size && $(<$one/size) != 0 ]] && found+=(/dev/${${one:t}//!/\/})
    done
    compadd -a found || _files -P / -W / -g '*(-%b)'
}

_diskwright_runs() {
    local -a found=(/var/lib/diskwright/runs/*(N/:t))
    compadd -a found
}
"""


def zsh(known: Program) -> str:
    """Return the completion file."""
    return "\n".join(
        (
            HEAD,
            "_diskwright_first() {",
            "    local -a commands=(",
            *(f"        {_quoted(f'{one.name}:{_plain(one.brief)}')}" for one in known.commands),
            "    )",
            "    _describe command commands",
            "    _diskwright_devices",
            "}",
            *(line for one in known.commands for line in _function(one, known)),
            "",
            "_diskwright() {",
            '    local curcontext="$curcontext" state line',
            "    typeset -A opt_args",
            "    _arguments -C \\",
            *(f"        {_spec} \\" for _spec in _specs(known.wizard.options, known)),
            "        '--version[print the version]' \\",
            "        '1:command or drive:_diskwright_first' \\",
            "        '*::argument:->rest'",
            "    [[ $state == rest ]] || return",
            "    case $words[1] in",
            *(f"        {one.name}) _diskwright_{_safe(one.name)} ;;" for one in known.commands),
            "    esac",
            "}",
            "",
            '_diskwright "$@"',
            "",
        )
    )


def _function(command: Command, known: Program) -> Iterator[str]:
    yield from ("", f"_diskwright_{_safe(command.name)}() {{", "    _arguments \\")
    parts = [
        *_specs(command.options, known),
        *(_operand(number, one) for number, one in enumerate(command.operands, 1)),
    ]
    yield from (f"        {part} \\" for part in parts[:-1])
    yield from (f"        {parts[-1]}", "}")


def _specs(options: tuple[Option, ...], known: Program) -> Iterator[str]:
    for option in (*options, *known.shared):
        beside = {
            name
            for one in options
            if one.group is not None and one.group == option.group
            for name in one.names
        }
        excluded = () if option.repeats else sorted(beside | set(option.names))
        says = f"[{_bracketed(option.says)}]"
        takes = f":{_bracketed(option.metavar)}:{_action(option.value)}" if option.metavar else ""
        lead = f"({' '.join(excluded)})" if excluded else "*"
        for name in option.names:
            equals = ("=" if name.startswith("--") else "+") if takes else ""
            yield _quoted(f"{lead}{name}{equals}{says}{takes}")


def _operand(number: int, operand: Operand) -> str:
    place = "*" if operand.repeats else str(number)
    optional = "" if operand.required or operand.repeats else ":"
    return _quoted(f"{place}:{optional}{_bracketed(operand.metavar)}:{_action(operand.value)}")


def _action(value: Value) -> str:
    match value.kind:
        case Kind.DEVICES | Kind.RUNS:
            return f"_diskwright_{value.kind.value}"
        case Kind.FILES:
            return "_files"
        case Kind.FOLDERS:
            return "_files -/"
        case Kind.WORDS:
            return f"({' '.join(value.words)})"
        case Kind.NONE:
            return " "


def _safe(name: str) -> str:
    return name.replace("-", "_")


def _plain(text: str) -> str:
    """Remove backquotes, and escape the colons that _describe would interpret."""
    return text.replace("`", "").replace(":", r"\:")


def _bracketed(text: str) -> str:
    for mark in "\\[]:":
        text = text.replace(mark, f"\\{mark}")
    return text.replace("`", "")


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"
