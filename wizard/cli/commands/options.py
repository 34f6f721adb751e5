"""`diskwright options`: list the option catalogue with effects, dangers and kernel support."""

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterable, Sequence
from pathlib import Path
from textwrap import wrap

from wizard.advice.catalogue import NEEDS, CatalogueOption, OptionKind, load_catalogue, on_kernel
from wizard.cli.command import CommandParser, plain
from wizard.cli.passphrase import tell
from wizard.cli.select_run import DOCUMENT
from wizard.documents.codec import JSON, render_document, to_json
from wizard.filesystems.registry import KINDS
from wizard.model.errors import BadInput, ExitCode, printable
from wizard.model.machine import Kernel
from wizard.model.said import Message, Sentence, parse_size, t
from wizard.probe.machine import load_machine, probe_machine

FOR = t("For:")
RISK = t("Risk:")

SCHEMA = "diskwright.options/1"
WIDTH = 80

HEADINGS = {
    OptionKind.MKFS: Sentence("Creation (mkfs)"),
    OptionKind.MOUNT: Sentence("Mounting"),
    OptionKind.TUNE: Sentence("Existing filesystem (append the device or directory)"),
    OptionKind.SCHEDULER: Sentence("I/O scheduler"),
}


def parser() -> ArgumentParser:
    """`diskwright options [FILESYSTEM] [--danger] [--json] [--machine FILE]`."""
    refused = "'.options[] | select(.kernel.takes == false) | .text'"
    made = CommandParser(
        "options",
        (
            plain("options", "ext4"),
            plain("options", "xfs", "--json", "|", "jq", "-r", refused),
            plain("options", "--danger"),
            plain("options", "btrfs", "--machine", "saved.json"),
        ),
        (
            t(
                "Pass the word on the right to `diskwright plan --option`. Options of tune "
                "are for existing filesystems, and listed for reference only."
            ),
            t("Kernel support is judged by version. A kernel may be built without a feature."),
            t(
                "Options are TOML files in the folder options of /etc/diskwright or "
                "~/.config/diskwright. An option with an existing id replaces that option."
            ),
        ),
    )
    made.add_argument(
        "filesystem", metavar="FILESYSTEM", nargs="?", help=str(t("only for this filesystem, such as ext4"))
    )
    made.add_argument("--danger", action="store_true", help=str(t("only options that endanger data")))
    made.add_argument("--json", action="store_true", help=str(DOCUMENT(schema=SCHEMA)))
    made.add_argument(
        "--machine", metavar="FILE", help=str(t("for the kernel of a machine recorded by `inspect --save`"))
    )
    return made


def main(arguments: Namespace) -> ExitCode:
    """Print the options."""
    options = chosen_options(load_catalogue().values(), arguments.filesystem, danger=arguments.danger)
    kernel = (
        probe_machine(()) if arguments.machine is None else load_machine(Path(arguments.machine))
    ).kernel
    if arguments.json:
        sys.stdout.write(
            render_document(
                SCHEMA,
                {"kernel": kernel.release, "options": [_option_json(option, kernel) for option in options]},
            )
        )
    else:
        tell(option_lines(options, kernel))
    return ExitCode.DONE


def chosen_options(
    options: Iterable[CatalogueOption], filesystem: str | None, *, danger: bool
) -> list[CatalogueOption]:
    """Return the options for a filesystem, or for all. Raises BadInput if the filesystem is unknown."""
    if filesystem is not None and filesystem not in KINDS:
        name = repr(printable(filesystem, 30))
        raise BadInput(
            t("Unknown filesystem {name}; known: {known:list}.", name=name, known=tuple(sorted(KINDS)))
        )
    return [
        option
        for option in options
        if (filesystem is None or not option.filesystems or filesystem in option.filesystems)
        and (option.danger or not danger)
    ]


def _option_json(option: CatalogueOption, kernel: Kernel) -> JSON:
    """Return an option as in the document, with the support by this kernel."""
    body = to_json(option)
    return {**body, "kernel": to_json(on_kernel(option, kernel))} if isinstance(body, dict) else body


def option_lines(options: Sequence[CatalogueOption], kernel: Kernel, width: int = WIDTH) -> list[str]:
    """Return the options as text by kind, usable options first."""
    if not options:
        return [str(t("No known options."))]
    lines = _wrapped(str(t("Judged for kernel {kernel}.", kernel=printable(kernel.release, 40))), width, 0)
    for kind, heading in HEADINGS.items():
        of_kind = sorted(
            (option for option in options if option.kind is kind),
            key=lambda option: (bool(option.never), option.danger),
        )
        if of_kind:
            lines += ["", str(heading())]
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
    """Return the paragraphs that describe an option."""
    said = [str(option.does), f"{FOR} {option.why}" if option.does else str(option.why)]
    said += [f"{RISK} {option.risk}"] if option.risk else []
    said += [f"{_standing(option)}: {option.never}"] if option.never else []
    said += (
        [
            str(
                t(
                    'Requires typing the danger: "{phrase}". Never available on system volumes.',
                    phrase=option.phrase,
                )
            )
        ]
        if option.phrase
        else []
    )
    said += [str(t("Also written: {texts:list}.", texts=tuple(option.also)))] if option.also else []
    said += _sizes(option)
    said += [" ".join(str(NEEDS[need]) for need in option.needs)]
    said += (
        [str(t("Conflicts with: {options:list}.", options=tuple(option.conflicts)))]
        if option.conflicts
        else []
    )
    said += _kernel_sentences(option, kernel)
    if option.source:
        said.append(
            str(
                t(
                    "For {filesystems:list}. Source: {source}.",
                    filesystems=tuple(option.filesystems),
                    source=option.source,
                )
            )
        )
    return [part for part in said if part]


def _standing(option: CatalogueOption) -> Message:
    if option.danger:
        return t("DANGER, refused") if option.refused else t("DANGER")
    if option.refused:
        return t("Refused")
    return t("The default") if option.default else t("Not recommended")


def _sizes(option: CatalogueOption) -> list[str]:
    """Return the volume sizes that the option is limited to, if any."""
    least = parse_size(option.at_least) if option.at_least else None
    most = parse_size(option.at_most) if option.at_most else None
    if least is not None and most is not None:
        return [str(t("For volumes from {least:exact} to {most:exact}.", least=least, most=most))]
    if least is not None:
        return [str(t("Only for volumes of {least:exact} or more.", least=least))]
    return [] if most is None else [str(t("Only for volumes up to {most:exact}.", most=most))]


def _kernel_sentences(option: CatalogueOption, kernel: Kernel) -> list[str]:
    verdict = on_kernel(option, kernel)
    span: tuple[Message, ...] = (t("from {first} on", first=option.since),) if option.since else ()
    span += (t("before {end}", end=option.until),) if option.until else ()
    if verdict.takes:
        return (
            [str(t("Kernels {span:row}, including {kernel}.", span=span, kernel=kernel.release))]
            if span
            else []
        )
    said = [str(t("Kernels {span:row}.", span=span))] if span else []
    return said if verdict.refused else [*said, str(verdict.why)]


def _wrapped(text: str, width: int, indent: int) -> list[str]:
    return wrap(
        text, width, initial_indent=" " * indent, subsequent_indent=" " * indent, break_on_hyphens=False
    )
