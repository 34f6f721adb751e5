"""Completion for bash. Requires neither the functions of bash-completion nor any program."""

from collections.abc import Iterator

from papers.commands import Command, Program
from papers.values import Kind, Value

HEAD = r"""# bash completion for diskwright, made from its parsers

# Drives and partitions that hold something, from the kernel's own list.
_diskwright_devices() {
    local one name
    for one in /sys/class/block/*; do
        name=${one##*/}
        [ -r "$one/size" ] && [ "$(<"$one/size")" != 0 ] && printf '/dev/%s\n' "${name//!//}"
    done
}

_diskwright_runs() {
    local one
    for one in /var/lib/diskwright/runs/*/; do
        [ -d "$one" ] && one=${one%/} && printf '%s\n' "${one##*/}"
    done
}

_diskwright_offer() { # KIND CURRENT
    case $1 in
        '') ;;
        devices)
            case $2 in
                /dev/*/* | [!/]*) compopt -o filenames 2>/dev/null; COMPREPLY=($(compgen -f -- "$2")) ;;
                *) COMPREPLY=($(compgen -W "$(_diskwright_devices)" -- "$2")) ;;
            esac
            ;;
        files) compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$2") ;;
        folders) compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -d -- "$2") ;;
        runs) COMPREPLY=($(compgen -W "$(_diskwright_runs)" -- "$2")) ;;
        words:*) COMPREPLY=($(compgen -W "${1#words:}" -- "$2")) ;;
    esac
}
"""

TAIL = r"""
_diskwright() {
    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}
    local command='' options='' first=1 at=1 count=0 word skip='' kind
    COMPREPLY=()
    # bash splits --option=value into three words.
    if [ "$current" = = ]; then
        current=''
    elif [ "$previous" = = ]; then
        previous=${COMP_WORDS[COMP_CWORD-2]}
    fi
    # These may stand before the command.
    while [ "$first" -lt "$COMP_CWORD" ]; do
        case ${COMP_WORDS[first]} in --debug | --with-serials) first=$((first + 1)) ;; *) break ;; esac
    done
    if [ "$COMP_CWORD" -gt "$first" ] && _diskwright_options "${COMP_WORDS[first]}"; then
        command=${COMP_WORDS[first]} at=$((first + 1))
    else
        _diskwright_options ''
    fi
    if kind=$(_diskwright_value "$command" "$previous"); then
        _diskwright_offer "$kind" "$current"
        return
    fi
    case $current in
        -*)
            COMPREPLY=($(compgen -W "$options" -- "$current"))
            return
            ;;
    esac
    # How many operands stand before this one.
    for word in "${COMP_WORDS[@]:at:COMP_CWORD-at}"; do
        case $word in
            =) skip=yes ;;
            -*) skip=''; _diskwright_value "$command" "$word" >/dev/null && skip=yes ;;
            *) [ -n "$skip" ] || count=$((count + 1)); skip='' ;;
        esac
    done
    _diskwright_offer "$(_diskwright_operand "$command" "$count")" "$current"
    if [ -z "$command" ] && [ "$COMP_CWORD" = "$first" ]; then
        case $current in /*) ;; *) COMPREPLY=($(compgen -W "$_diskwright_commands" -- "$current")) ;; esac
    fi
}

complete -F _diskwright diskwright
"""


def bash(known: Program) -> str:
    """Return the completion file."""
    commands = (known.wizard, *known.commands)
    shared = [name for option in known.shared for name in option.names]
    return "\n".join(
        (
            HEAD,
            f"_diskwright_commands='{' '.join(one.name for one in known.commands)}'",
            "",
            "_diskwright_options() { # COMMAND: sets options",
            "    case $1 in",
            *(
                f"        {_case(one.name)}) options='{' '.join((*_names(one), *shared))}' ;;"
                for one in commands
            ),
            "        *) return 1 ;;",
            "    esac",
            "}",
            "",
            "_diskwright_value() { # COMMAND OPTION: prints what the option takes; 1 where it takes nothing",
            "    case $1:$2 in",
            *_values(commands),
            "        *) return 1 ;;",
            "    esac",
            "}",
            "",
            "_diskwright_operand() { # COMMAND NUMBER: prints what stands there",
            "    case $1:$2 in",
            *_operands(commands),
            "    esac",
            "}",
            TAIL,
        )
    )


def _case(text: str) -> str:
    return text or "''"


def _names(command: Command) -> Iterator[str]:
    for option in command.options:
        yield from option.names
    if not command.name:
        yield "--version"


def _kind(value: Value) -> str:
    if value.kind is Kind.WORDS:
        return f"words:{' '.join(value.words)}"
    return "" if value.kind is Kind.NONE else value.kind.value


def _values(commands: tuple[Command, ...]) -> Iterator[str]:
    for command in commands:
        for option in command.options:
            if option.metavar:
                places = " | ".join(f"{command.name}:{name}" for name in option.names)
                yield f"        {places}) echo '{_kind(option.value)}' ;;"


def _operands(commands: tuple[Command, ...]) -> Iterator[str]:
    for command in commands:
        for number, operand in enumerate(command.operands):
            place = "*" if operand.repeats else number
            yield f"        {command.name}:{place}) echo '{_kind(operand.value)}' ;;"
