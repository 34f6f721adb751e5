"""`diskwright export`: write a plan or an existing drive for another tool. Writes to no drive."""

import sys
from argparse import Namespace
from collections.abc import Iterable
from pathlib import Path

from wizard.apply.ensure.compare_mounts import Where
from wizard.apply.ensure.look import as_found
from wizard.cli.output import save, say
from wizard.cli.start import check_is_root, environment_of, read_plan_file
from wizard.model.ensure import WantedDrive
from wizard.model.errors import BadInput
from wizard.model.layout import Member
from wizard.model.said import Sentence, failing, t
from wizard.plan import export as exported
from wizard.plan.desired_state import document as wanted
from wizard.plan.plan import Plan


def export(arguments: Namespace) -> None:
    """Write the export, and the missing parts to stderr."""
    if arguments.plan.startswith("/dev/"):
        if arguments.format not in ("wanted", "ansible"):
            raise BadInput(t("--as {format} needs a plan, not a drive.", format=arguments.format))
        check_is_root(arguments)
        look = as_found(arguments.plan, Where(environment_of(arguments)))
        _write_wanted(look.wanted, arguments, str(t("The workload is guessed from the filesystem.")))
        say(t("Not written: who may write to the volumes."))
        if not look.is_as_wanted:
            say(t("`ensure` would change or refuse {drive}:", drive=look.name))
            for said in look.said:
                say(f"    {said}")
        return
    plan = read_plan_file(arguments.plan)
    missing: Iterable[object]
    match arguments.format:
        case "sfdisk":
            member = exported.member_of(plan, arguments.device)
            _write_text(exported.sfdisk_dump(member), arguments.output)
            missing = (*exported.sfdisk_lacks(member), *exported.lacking(plan))
        case "repart":
            member = exported.member_of(plan, arguments.device)
            _write_definitions(plan, member, arguments.output)
            missing = (*exported.repart_lacks(member), *exported.lacking(plan, repart=True))
        case "fstab":
            _write_text(exported.fstab_text(plan), arguments.output)
            missing = (t("Not written: the lines for crypttab."),) if plan.containers else ()
        case _:
            _write_wanted(wanted.wanted_of(plan), arguments)
            missing = wanted.wanted_lacks(plan)
    for sentence in missing:
        say(str(sentence))


def _write_wanted(drive: WantedDrive, arguments: Namespace, *notes: str) -> None:
    text = wanted.wanted_toml(drive, notes)
    wanted.read_wanted(text, arguments.plan)
    _write_text(text if arguments.format == "wanted" else wanted.wanted_task(drive, notes), arguments.output)


def _write_text(text: str, output: str | None) -> None:
    if output is None or output == "-":
        sys.stdout.write(text)
    else:
        save(output, text)


def _write_definitions(plan: Plan, member: Member, output: str | None) -> None:
    """Other definitions in the folder would be combined. Raises BadInput or Failed."""
    files = exported.repart_files(plan, member)
    if output is None or output == "-":
        raise BadInput(t("Definitions need a folder: name one with -o."))
    folder, shown = Path(output), str(Path(output))
    with failing(Sentence("Cannot use {file}: {why}."), file=shown):
        folder.mkdir(exist_ok=True)
        others = sorted(entry.name for entry in folder.glob("*.conf"))
    if others:
        raise BadInput(
            t(
                "{folder} already contains definitions, such as {file}, which would be combined. Name a new "
                "folder.",
                folder=shown,
                file=others[0],
            )
        )
    for name, text in files.items():
        save(str(folder / name), text)
