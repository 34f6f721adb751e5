"""Reports without serial numbers: no identifier of a drive or person in any byte."""

import json
import platform
import re
from collections.abc import Iterator
from itertools import count, islice
from pathlib import Path
from typing import Literal

import pytest
from msgspec.structs import replace

from tests.made_runs import new_run
from tests.unit.benchmark.trials import FASTER
from tests.unit.benchmark.trials import verdict as tried
from tests.unit.machines import drive, machine, mbr, partition, partitioned
from tests.unit.plan.layouts import EVERYTHING, plan_for, spec
from tests.unit.report.reports import RECORDINGS, Page, assert_whole, plan_of, plans_of
from wizard.apply.run.backup_store import Environment
from wizard.apply.run.journal import Journal
from wizard.documents.codec import to_json
from wizard.model.layout import Stripe, Writer
from wizard.model.machine import Layer, Signature, Use
from wizard.model.run import Check, Event, JournalEntry, Waiting
from wizard.model.said import GIB, MIB
from wizard.plan.planner import make_plan
from wizard.plan.request.plan_request import Arrangement, NewVolumes
from wizard.probe.machine import load_machine
from wizard.report.anonymous import without_names
from wizard.report.gather import Report, RunRecord, Sources, make_report, named_files, render_report
from wizard.report.page import render_page

NAMING = {"serial", "wwn", "by_id", "uuid", "uuids", "part_uuid", "boot_id", "content_digest"}
GPT_DATA = "0fc63daf-8483-4772-8e79-3d69d8477de4"


def named(document: object) -> Iterator[str]:
    """Yield every value whose key identifies a single thing."""
    if isinstance(document, dict):
        for key, value in document.items():
            if key in NAMING:
                yield from (one for one in (value if isinstance(value, list) else [value]) if one)
            yield from named(value)
    elif isinstance(document, list):
        for value in document:
            yield from named(value)


def is_in(value: str, text: str) -> bool:
    """Return True if the text contains the value, or for a short value, as a separate word."""
    if len(value) >= 8:
        return value.casefold() in text.casefold()
    return re.search(rf"(?<![0-9A-Za-z]){re.escape(value)}(?![0-9A-Za-z])", text, re.IGNORECASE) is not None


def outputs(report: Report) -> str:
    """Return both forms of a report after checking that each is complete."""
    page, document = render_page(report), render_report(report)
    Page(page)
    assert_whole(document, report)
    return page + document


@pytest.mark.parametrize("path", RECORDINGS, ids=lambda path: path.stem)
def test_no_recording_keeps_a_name(path: Path) -> None:
    known = load_machine(path)
    for plan in (None, *islice(plans_of(known), 1)):
        report = make_report(
            Sources(plan=plan, machine=known, origin=f"Recorded in {path.name}.", workload="large-media")
        )
        secrets = set(named(json.loads(render_report(report))))
        assert secrets or not known.drives or not any(one.serial for one in known.drives)
        text = outputs(without_names(report))
        assert not [value for value in secrets if is_in(value, text)]
        assert not [
            value
            for value in secrets
            if value.startswith("/dev/disk/") and is_in(value.rpartition("/")[2], text)
        ]
        if plan is not None:
            assert not [word for word in ("photographs", "family pictures", "family\\\\040") if word in text]


PERSONAL = "annas-laptop"
WORN = partitioned(
    partition(
        1,
        size_bytes=GIB,
        part_uuid="a3b1c2d4-0001-4002-8003-000000000001",
        name="Annas Fotos",
        signatures=(Signature("ext4", "filesystem", "Annas Fotos", "a3b1c2d4-1111-4222-8333-000000000001"),),
        mount_points=("/run/media/anna/Annas Fotos",),
    ),
    partition(
        2,
        start_bytes=2 * GIB,
        size_bytes=GIB,
        signatures=(Signature("vfat", "filesystem", "a", "1A2B-3C4D"),),
    ),
    partition(
        3,
        start_bytes=4 * GIB,
        size_bytes=GIB,
        signatures=(
            Signature("linux_raid_member", "raid", f"{PERSONAL}:0", "b15d1415-7332-1e7c-dfd4-d7b2ed7b8cdd"),
        ),
    ),
    serial="WD-WX11A2345678",
    wwn="0x50014ee2b1234567",
    by_id=("/dev/disk/by-id/ata-WDC_WD10_WD-WX11A2345678", "/dev/disk/by-id/wwn-0x50014ee2b1234567"),
    content_digest="c0ffee" * 10 + "beef",
    backing_file="/home/anna/images/disk.img",
    uses=(
        Use("mounted", "/dev/sda1", "/run/media/anna/Annas Fotos"),
        Use("holder", "/dev/sda3", f"/dev/mapper/{PERSONAL}-root"),
    ),
    layers=(Layer("LVM", f"/dev/mapper/{PERSONAL}-root", "/dev/sda3"),),
)
SECRETS = (
    *(
        "WX11A2345678",
        "50014ee2b1234567",
        "ata-WDC",
        "a3b1c2d4",
        "1A2B-3C4D",
        "b15d1415",
        "c0ffee",
        "Annas",
        "Fotos",
        "anna",
    ),
    *(PERSONAL, "disk.img", "Bilder", "10000000-0000", "4c41422d4e"),
)


def worn(said: str = "") -> Report:
    """Return a report of a used drive, and of a run with typical program output."""
    unused = replace(
        WORN, uses=(), layers=(), partitions=tuple(replace(part, mount_points=()) for part in WORN.partitions)
    )
    plan = plan_of(machine(unused), unused, label="Bilder", place="/home/anna/Meine Bilder")
    report = make_report(Sources(plan=plan, machine=machine(WORN)))
    uuid = plan.volumes[0].uuid
    told = (
        JournalEntry("2026-11-20T10:00:00.000+00:00", Event.STARTED, 0, "Applying to /dev/sda."),
        JournalEntry(
            *(
                "2026-11-20T10:00:01.000+00:00",
                Event.COMMAND,
                1,
                f'Erasing "Annas Fotos" of serial WD-WX11A2345678. {said}',
            ),
            command=("mkfs.ext4", "-L", "a", "-U", uuid.upper(), "/dev/sda1"),
            output=(
                f"Filesystem UUID: {uuid}\nlabel a, on {PERSONAL}\n"
                "Array b15d1415:73321e7c:dfd4d7b2:ed7b8cdd in /home/anna/x"
            ),
        ),
    )
    checks = (
        Check(
            "/dev/sda1 is mounted at /home/anna/Meine Bilder as advised", True, "UUID=1a2b-3c4d LABEL=Bilder"
        ),
    )
    return replace(
        report,
        run=RunRecord(
            "20261120-100000-sda", "failed", told[0].at, told[1].at, told[1].sentence, (), checks, told
        ),
    )


def test_names_are_removed_from_sentences_commands_fstab_and_output() -> None:
    before = render_page(worn()) + render_report(worn())
    assert all(secret in before for secret in SECRETS if secret not in ("10000000-0000", "4c41422d4e"))
    text = outputs(without_names(worn(), PERSONAL))
    assert not [secret for secret in SECRETS if secret.casefold() in text.casefold()]


def test_same_name_has_the_same_replacement_everywhere() -> None:
    report = without_names(worn(), PERSONAL)
    assert report.plan is not None and report.facts is not None and report.run is not None
    (seen,), entry = report.facts.drives, report.run.journal[1]
    assert (
        report.plan.drive.serial == seen.serial == "SERIAL-1" and report.plan.drive.wwn == seen.wwn == "WWN-1"
    )
    volume, kept = report.plan.volumes[0], seen.partitions[0].signatures[0]
    assert entry.command[-2] == volume.uuid and f"Filesystem UUID: {volume.uuid}" in entry.output
    assert f'"{kept.label}" of serial SERIAL-1' in entry.sentence
    assert f"Array {seen.partitions[2].signatures[0].uuid} in /home/USER-1/x" in entry.output
    assert volume.mount_point and f"mounted at {volume.mount_point} as advised" in report.run.checks[0].what
    line = next(argv for step in report.plan.steps for argv in step.edits if argv.startswith("UUID="))
    assert line.startswith(f"UUID={volume.uuid} {volume.mount_point} ")
    words = [value for value in named(to_json(report))]
    assert all(re.fullmatch(r"(/dev/disk/by-id/)?[A-Z]+-\d+", word) for word in words), words


def test_common_word_is_replaced_only_as_a_label() -> None:
    report = without_names(worn('It was a long way to "a".'), PERSONAL)
    assert report.run is not None
    entry = report.run.journal[1]
    assert entry.command[:3] == ("mkfs.ext4", "-L", "LABEL-2")
    assert entry.sentence.endswith('It was a long way to "LABEL-2".')


def test_words_common_to_every_machine_stay() -> None:
    report = without_names(worn(), PERSONAL)
    text = render_report(report)
    assert report.plan is not None
    assert any(GPT_DATA in edit for step in report.plan.steps for edit in step.edits)
    assert GPT_DATA in text and "Example HDD 500" in text and "/dev/sda" in text and '"large-media"' in text
    assert report.advice[0].workload == worn().advice[0].workload
    assert [card for choice in report.advice[0].choices for card in choice.evidence] == [
        card for choice in worn().advice[0].choices for card in choice.evidence
    ]
    assert report.anonymous and "replaced, each consistently" in render_page(report)


@pytest.mark.parametrize("name", ["done", "ext4", "gpt", "new", "xfs", "1", "mount", "make-filesystem"])
def test_label_equal_to_a_program_word_breaks_no_text(name: str) -> None:
    part = partition(
        1, size_bytes=GIB, name=name, signatures=(Signature("ext4", "filesystem", name, "1A2B-3C4D"),)
    )
    bad = partitioned(part, serial=None, wwn=None, by_id=())
    report = make_report(Sources(plan=plan_of(machine(bad), bad, label="new"), machine=machine(bad)))
    hidden = without_names(report)
    outputs(hidden)
    assert hidden.facts is not None and hidden.facts.drives[0].partitions[0].name == "LABEL-1"
    assert hidden.plan is not None and report.plan is not None
    assert [step.operation.kind for step in hidden.plan.steps] == [
        step.operation.kind for step in report.plan.steps
    ]


def test_published_figures_and_bundled_texts_are_unchanged() -> None:
    part = partition(
        1, size_bytes=GIB, name="Intel", signatures=(Signature("ext4", "filesystem", "journal", "1A2B-3C4D"),)
    )
    plain = make_report(Sources(plan=plan_of(machine(), drive()), machine=machine()))
    named_so = partitioned(part)
    hidden = without_names(
        make_report(Sources(plan=plan_of(machine(named_so), named_so), machine=machine(named_so)))
    )
    assert "Intel" in render_report(plain) and any(
        "journal" in str(choice.sentence) for choice in plain.advice[0].choices
    )
    assert [(choice.sentence, choice.evidence) for choice in hidden.advice[0].choices] == [
        (choice.sentence, choice.evidence) for choice in plain.advice[0].choices
    ]


def test_serial_in_nvme_data_and_short_mbr_ids_are_found() -> None:
    part = partition(1, size_bytes=GIB, part_uuid="c0de1234-01")
    old = partitioned(part, table=mbr(uuid="c0de1234"), serial="LAB-NVME-512", wwn=None, by_id=())
    origin = "Serial 4c41422d4e564d452d353132 of root=PARTUUID=c0de1234-01 on c0de1234."
    report = without_names(make_report(Sources(machine=machine(old), origin=origin)))
    assert report.facts is not None
    assert re.fullmatch(r"Serial SERIAL-1 of root=PARTUUID=UUID-\d on UUID-\d\.", report.facts.origin)


@pytest.mark.parametrize(("kind", "filesystem"), [("md", "xfs"), ("btrfs", "btrfs")])
@pytest.mark.parametrize("label", ["grandma", "zq"])
def test_array_name_is_removed_too(kind: Literal["md", "btrfs"], filesystem: str, label: str) -> None:
    other = drive(
        path="/dev/sdb", serial="S2", wwn="naa.5000000000000002", by_id=("/dev/disk/by-id/ata-Example_S2",)
    )
    around = replace(machine(drive(), other), tools=EVERYTHING)
    numbers = count(1)
    asked = Stripe(kind)
    plan = make_plan(
        around,
        around.drives,
        NewVolumes((spec(filesystem, label=label),), None, Arrangement(stripe=asked)),
        lambda: f"a3b1c2d4-0000-4000-8000-{next(numbers):012d}",
    )
    report = make_report(Sources(plan=plan, machine=around))
    text = outputs(without_names(report))
    assert not [secret for secret in set(named(json.loads(render_report(report)))) if is_in(secret, text)]
    assert not re.search(rf"(?<![0-9A-Za-z]){label}(?![0-9A-Za-z])", text)


def test_serial_of_digits_leaves_sizes_unchanged() -> None:
    odd = drive(serial="500", wwn=None, by_id=())
    report = without_names(make_report(Sources(machine=machine(odd), origin="Its serial is 500.")))
    assert report.facts is not None and report.facts.origin == "Its serial is SERIAL-1."
    assert (
        report.facts.drives[0].size_bytes == odd.size_bytes
        and report.facts.drives[0].model == "Example HDD 500"
    )


def test_run_folder_named_by_a_drive_is_removed() -> None:
    for run in ("/home/anna/my-runs/0008-sda", "'/home/anna/my runs/0008-sda'"):
        waits = drive(waiting=Waiting(run, "2026-01-01T00:00:00+00:00", "ext4", MIB, 4096, bare=True))
        report = make_report(Sources(machine=machine(waits)))
        assert "my" in str(report) and "0008-sda" in outputs(report)
        text = outputs(without_names(report))
        assert "anna" not in text and "runs/0008" not in text


def test_files_named_for_a_run_are_removed(tmp_path: Path) -> None:
    """With `apply --fstab FILE --journal DIR` for a system mounted elsewhere, the run's messages contain
    its paths."""
    home = tmp_path / "annas-rescue"
    (home / "runs").mkdir(parents=True, mode=0o700)
    known = machine(drive())
    fstab = home / "etc" / "fstab"
    run = new_run(home / "runs", plan_of(known, known.drives[0]), Environment(fstab=fstab))
    journal = Journal(run)
    journal.add(Event.STARTED, "Applying.")
    journal.add(Event.STEP_DONE, f"{fstab} has the line: UUID=1 /srv ext4 defaults 0 2", step=1)
    journal.add(
        Event.COMMAND, f"It was kept as {fstab}.diskwright-{run.name}, and {fstab.with_name('crypttab')} too."
    )
    journal.end(Event.FAILED, f"Step 2 failed. `diskwright resume {run}` goes on.")
    sources = Sources(run=run, machine=known)
    assert "annas-rescue" in render_report(make_report(sources))
    hidden = without_names(make_report(sources), platform.node(), named_files(sources.run))
    assert "annas-rescue" not in outputs(hidden)
    assert hidden.run is not None and re.search(
        r"/FILE-\d+ has the line: UUID=1 /srv", hidden.run.journal[1].sentence
    )


@pytest.mark.parametrize(
    "writer", [Writer("person", "annamaria", 1000, 1000), Writer("group", "meiers", 0, 2)]
)
@pytest.mark.parametrize("filesystem", ["ext4", "xfs"])
def test_writer_name_is_removed(writer: Writer, filesystem: str) -> None:
    plan = plan_for(drive(), replace(spec(filesystem, mount_point="/srv/media"), writer=writer))
    report = make_report(Sources(plan=plan, machine=machine(drive())))
    assert writer.name in outputs(report)
    text = outputs(without_names(report))
    assert writer.name not in text and "USER-1" in text


def test_trial_keeps_its_figures_and_loses_its_names() -> None:
    known = drive(serial="SERIAL-OF-A-TRIAL")
    report = make_report(Sources(machine=machine(known), measured=tried(FASTER, known=known)))
    clean = without_names(report)
    assert clean.trial is not None and report.trial is not None
    assert clean.trial.comparisons == report.trial.comparisons and clean.trial.rounds == report.trial.rounds
    for form in (render_page(clean), render_report(clean)):
        assert "SERIAL-OF-A-TRIAL" not in form and "3b2a1c9e" not in form and "1.31" in form
