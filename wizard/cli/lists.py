"""`diskwright workloads`, `options` and `glossary`: print lists from the profiles."""

from argparse import Namespace
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path

from wizard.advice import catalogue
from wizard.cli.output import Document
from wizard.documents.codec import render_document, to_json
from wizard.filesystems.registry import KINDS
from wizard.model.errors import BadInput, printable
from wizard.model.machine import Kernel
from wizard.model.said import Message, parse_size, t
from wizard.ui import view as ui
from wizard.ui.messages import NOT_RECOMMENDED

WORKLOADS_SCHEMA = "diskwright.workloads/1"
OPTIONS_SCHEMA = "diskwright.options/1"
GLOSSARY_SCHEMA = "diskwright.glossary/1"

HEADINGS = {
    catalogue.OptionKind.MKFS: t("Creation (mkfs)"),
    catalogue.OptionKind.MOUNT: t("Mounting"),
    catalogue.OptionKind.TUNE: t("Existing filesystem (append the device or directory)"),
    catalogue.OptionKind.SCHEDULER: t("I/O scheduler"),
}


def workloads(_: Namespace) -> Document:
    """List the workloads."""
    from wizard.advice.workloads import load_workloads

    found = [profile.workload for profile in load_workloads()]
    blocks: list[ui.Block] = []
    for one in found:
        # A path is not wrapped.
        origin = ui.Command((one.origin,))
        blocks += (ui.para(ui.strong(one.id), one.title), ui.para(one.summary, indent=2), origin, ui.GAP)
    return render_document(WORKLOADS_SCHEMA, {"workloads": found}), blocks


def glossary(arguments: Namespace) -> Document:
    """Explain one term or all terms."""
    from wizard.advice.evidence import find_term, load_glossary
    from wizard.ui.dialogs.pages import term_blocks

    terms = (find_term(" ".join(arguments.term)),) if arguments.term else load_glossary()
    shown = [(ui.para(ui.strong(term.term)), *term_blocks(term), ui.GAP) for term in terms]
    return render_document(GLOSSARY_SCHEMA, {"terms": terms}), chain.from_iterable(shown)


def options(arguments: Namespace) -> Document:
    """List the options of the catalogue, with support by the kernel."""
    from wizard.probe.machine import load_machine, probe_machine

    found = chosen_options(catalogue.load_catalogue().values(), arguments.filesystem, danger=arguments.danger)
    machine = probe_machine(()) if arguments.machine is None else load_machine(Path(arguments.machine))
    kernel = machine.kernel
    described = [to_json(one) | {"kernel": catalogue.on_kernel(one, kernel)} for one in found]
    body = {"kernel": kernel.release, "options": described}
    return render_document(OPTIONS_SCHEMA, body), option_blocks(found, kernel)


def chosen_options(
    options: Iterable[catalogue.CatalogueOption], filesystem: str | None, *, danger: bool
) -> list[catalogue.CatalogueOption]:
    """Return the options for a filesystem, or for all. Raises BadInput."""
    if filesystem is not None and filesystem not in KINDS:
        name = repr(printable(filesystem, 30))
        known = tuple(sorted(KINDS))
        raise BadInput(t("Unknown filesystem {name}; known: {known:list}.", name=name, known=known))
    return [
        option
        for option in options
        if (filesystem is None or not option.filesystems or filesystem in option.filesystems)
        and (option.danger or not danger)
    ]


def option_blocks(options: Sequence[catalogue.CatalogueOption], kernel: Kernel) -> Iterator[ui.Block]:
    """Show the options by kind, usable options first."""
    if not options:
        yield ui.para(t("No known options."))
        return
    yield ui.para(t("Judged for kernel {kernel}.", kernel=kernel.release))
    for kind, heading in HEADINGS.items():
        of_kind = sorted(
            (option for option in options if option.kind is kind),
            key=lambda option: (bool(option.never), option.danger),
        )
        if of_kind:
            yield ui.GAP
            yield ui.para(ui.strong(heading))
        for option in of_kind:
            yield ui.GAP
            yield ui.para(ui.strong(option.text), f"[{option.id}]", indent=2)
            yield from (ui.para(said, indent=6) for said in _sentences(option, kernel) if said != "")


def _limits(option: catalogue.CatalogueOption) -> Iterator[Message]:
    if option.at_least:
        yield catalogue.SIZE_FROM(least=parse_size(option.at_least))
    if option.at_most:
        yield catalogue.SIZE_UP_TO(most=parse_size(option.at_most))
    span = [t("from {first} on", first=option.since)] if option.since else []
    span += [t("before {end}", end=option.until)] if option.until else []
    if span:
        yield t("Kernels {span:row}.", span=tuple(span))


def _sentences(option: catalogue.CatalogueOption, kernel: Kernel) -> Iterator[ui.Text]:
    if option.does:
        yield option.does
    yield t("For: {why}", why=option.why) if option.does else option.why
    if option.risk:
        yield t("Risk: {risk}", risk=option.risk)
    if option.never:
        words = [t("DANGER")] if option.danger else []
        words += [t("refused")] if option.refused else []
        words = words or [t("the default") if option.default else NOT_RECOMMENDED]
        yield f"{', '.join(map(str, words))}: {option.never}"
    if option.phrase:
        yield t(
            'Requires typing the danger: "{phrase}". Never available on system volumes.', phrase=option.phrase
        )
    if option.also:
        yield t("Also written: {texts:list}.", texts=tuple(option.also))
    yield from _limits(option)
    yield " ".join(str(catalogue.NEEDS[need]) for need in option.needs)
    if option.conflicts:
        yield t("Conflicts with: {options:list}.", options=tuple(option.conflicts))
    verdict = catalogue.on_kernel(option, kernel)
    if not (verdict.takes or verdict.refused):
        yield verdict.why
    if option.source:
        filesystems, source = tuple(option.filesystems), option.source
        yield t("For {filesystems:list}. Source: {source}.", filesystems=filesystems, source=source)
