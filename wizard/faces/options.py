"""`diskwright options`: the catalogue of options, what each does, its danger, and whether this kernel takes
it."""

import sys
from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from collections.abc import Iterable, Sequence
from pathlib import Path
from textwrap import wrap

from wizard.advise.catalogue import NEEDS, CatalogueOption, Kind, load_catalogue, on_kernel
from wizard.documents.codec import JSON, render_document, to_json
from wizard.faces.showing.lines import tell
from wizard.filesystems.registry import KINDS
from wizard.model.errors import BadInput, ExitCode
from wizard.model.machine import Kernel
from wizard.model.names import printable
from wizard.model.units import format_exact, parse_size
from wizard.probe.machine import probe_machine
from wizard.probe.recorded import load_machine

SCHEMA = "diskwright.options/1"
WIDTH = 80

EPILOG = """examples:
    diskwright options ext4
    diskwright options xfs --json | jq -r '.options[] | select(.kernel.takes == false) | .text'
    diskwright options --danger
    diskwright options btrfs --machine saved.json

The word on the right is what `diskwright plan --option` takes. Options of tune are for a filesystem that
exists already: they are there to be read. Whether a kernel takes an option is told by its version; one can be
built without a part.

Options are TOML files in the folder options of /etc/diskwright or ~/.config/diskwright; one with the id of
another replaces it.
"""

HEADINGS = {
    Kind.MKFS: "When it is made (mkfs)",
    Kind.MOUNT: "When it is mounted",
    Kind.TUNE: "When it exists already (the device or directory comes last)",
    Kind.SCHEDULER: "The order of requests to the drive (scheduler)",
}


def parser() -> ArgumentParser:
    """`diskwright options [FILESYSTEM] [--danger] [--json] [--machine FILE]`."""
    made = ArgumentParser(
        "diskwright options",
        description=(
            "List the options that are known: what each does, its danger, its conflicts, and whether this "
            "kernel takes it."
        ),
        epilog=EPILOG,
        formatter_class=RawDescriptionHelpFormatter,
    )
    made.add_argument(
        "filesystem", metavar="FILESYSTEM", nargs="?", help="only those for this one, such as ext4"
    )
    made.add_argument("--danger", action="store_true", help="only those that put data at risk")
    made.add_argument("--json", action="store_true", help=f"print a {SCHEMA} document")
    made.add_argument(
        "--machine", metavar="FILE", help="for the kernel of a machine recorded by `inspect --save`"
    )
    return made


def main(arguments: Namespace) -> ExitCode:
    """List them."""
    options = chosen_options(load_catalogue().values(), arguments.filesystem, danger=arguments.danger)
    kernel = (
        probe_machine(()) if arguments.machine is None else load_machine(Path(arguments.machine))
    ).kernel
    if arguments.json:
        sys.stdout.write(
            render_document(
                SCHEMA,
                {"kernel": kernel.release, "options": [option_json(option, kernel) for option in options]},
            )
        )
    else:
        tell(option_lines(options, kernel))
    return ExitCode.DONE


def chosen_options(
    options: Iterable[CatalogueOption], filesystem: str | None, *, danger: bool
) -> list[CatalogueOption]:
    """Those for a filesystem, or for any; raises BadInput for a name that is no filesystem's."""
    if filesystem is not None and filesystem not in KINDS:
        raise BadInput(
            f"There is no filesystem {printable(filesystem, 30)!r}; there are {', '.join(sorted(KINDS))}."
        )
    return [
        option
        for option in options
        if (filesystem is None or not option.filesystems or filesystem in option.filesystems)
        and (option.danger or not danger)
    ]


def option_json(option: CatalogueOption, kernel: Kernel) -> JSON:
    """An option as the document has it, with what this kernel makes of it."""
    body = to_json(option)
    return {**body, "kernel": to_json(on_kernel(option, kernel))} if isinstance(body, dict) else body


def option_lines(options: Sequence[CatalogueOption], kernel: Kernel, width: int = WIDTH) -> list[str]:
    """The options as text, by where they are written, those that can be had first."""
    if not options:
        return ["No option is known for it."]
    lines = _wrapped(f"Judged for kernel {printable(kernel.release, 40)}.", width, 0)
    for kind, heading in HEADINGS.items():
        of_kind = sorted(
            (option for option in options if option.kind is kind),
            key=lambda option: (bool(option.never), option.danger),
        )
        if of_kind:
            lines += ["", heading]
        for option in of_kind:
            lines += ["", *_option_lines(option, kernel, width)]
    return [printable(line, 1000) for line in lines]


def _option_lines(option: CatalogueOption, kernel: Kernel, width: int) -> list[str]:
    head = f"  {option.text}"
    gap = max(2, width - len(head) - len(option.id))
    lines = [f"{head}{' ' * gap}{option.id}" if len(head) + 2 + len(option.id) <= width else head]
    lines += [f"{option.id:>{width}}"] if len(lines[0]) == len(head) else []
    for said in _sentences(option, kernel):
        lines += _wrapped(said, width, 6)
    return lines


def _sentences(option: CatalogueOption, kernel: Kernel) -> list[str]:
    """Everything that is said of an option, a paragraph each."""
    said = [option.does, option.why if not option.does else f"For: {option.why}"]
    said += [f"Risk: {option.risk}"] if option.risk else []
    said += [f"{_standing(option)}: {option.never}"] if option.never else []
    said += (
        [f'Had only with its danger typed back: "{option.phrase}"; never where the system lives.']
        if option.phrase
        else []
    )
    said += [f"Also written: {', '.join(option.also)}."] if option.also else []
    said += [f"It is for volumes {_sizes(option)}."] if option.at_least or option.at_most else []
    said += [" ".join(NEEDS[need] for need in option.needs)]
    said += [f"Not with: {', '.join(option.conflicts)}."] if option.conflicts else []
    said += _kernel_sentences(option, kernel)
    said += [f"For {', '.join(option.filesystems)}. Source: {option.source}."] if option.source else []
    return [part for part in said if part]


def _standing(option: CatalogueOption) -> str:
    if option.danger:
        return "DANGER, and refused" if option.refused else "DANGER"
    if option.refused:
        return "Refused"
    return "The default" if option.default else "Not advised"


def _sizes(option: CatalogueOption) -> str:
    least = f"of {format_exact(parse_size(option.at_least))} and more" if option.at_least else ""
    most = f"up to {format_exact(parse_size(option.at_most))}" if option.at_most else ""
    return ", ".join(part for part in (least, most) if part)


def _kernel_sentences(option: CatalogueOption, kernel: Kernel) -> list[str]:
    verdict = on_kernel(option, kernel)
    span = " ".join(
        part
        for part in (
            f"from {option.since} on" if option.since else "",
            f"before {option.until}" if option.until else "",
        )
        if part
    )
    if verdict.takes:
        return [f"Kernels {span}; {kernel.release} is one of them."] if span else []
    return [*([f"Kernels {span}."] if span else []), *([verdict.why] if not verdict.refused else [])]


def _wrapped(text: str, width: int, indent: int) -> list[str]:
    return wrap(
        text, width, initial_indent=" " * indent, subsequent_indent=" " * indent, break_on_hyphens=False
    )
