"""A drive that tells no serial number, attached anew while a run on it was interrupted: it is known by what
the run left on it."""

from pathlib import Path

import pytest

from tests.devices import MakeDrive, backing_file, drop_partitions, forget_partitions, tool
from tests.loop.applying import Work, diskwright, ended, fill, old_gpt, story, until, wish
from tests.loop.attack.attacking import unharmed
from tests.loop.attack.test_resume import killed_at
from tests.loop.program import MIB, Mode, Refused, RunState, preflight, resume, state, undo
from tests.loop.runs.test_undo import stopped_before_formatting

pytestmark = [pytest.mark.alone, pytest.mark.usefixtures("direct")]
"""Between the two, another test could take the name."""


def detach(work: Work, drive: str) -> Path:
    """Pull the drive out; the file behind it."""
    image = work.bench.image_of(drive)
    forget_partitions(drive)
    tool("losetup", "--detach", drive)
    # What the killed process had started holds it for a moment.
    until(lambda: backing_file(drive) is None)
    return image


def attach(work: Work, drive: str, image: Path) -> None:
    """Plug it in again, by the same name; the kernel counts it anew and reads its table."""
    before = Path(f"/sys/block/{Path(drive).name}/diskseq").read_text()
    tool("losetup", drive, str(image))
    work.bench.images[drive] = image
    work.bench.own(drive)
    assert Path(f"/sys/block/{Path(drive).name}/diskseq").read_text() != before
    drop_partitions(drive)
    tool("sh", "-c", f"partx --add {drive} || true")


@pytest.fixture
def old(make_drive: MakeDrive, work: Work) -> str:
    drive = make_drive(96 * MIB)
    fill(drive, work.bench)
    old_gpt(drive)
    return drive


@pytest.mark.parametrize("call", [2, 5], ids=["while the old table is wiped", "when the new one is written"])
def test_it_is_undone_bit_for_bit(work: Work, old: str, monkeypatch: pytest.MonkeyPatch, call: int) -> None:
    before = work.digest(old)
    run = killed_at(work, work.plan(old, wish("ext4"), mode=Mode.REPLACE), monkeypatch, "wipefs", call)
    attach(work, old, detach(work, old))
    undo(run)
    assert state(run) is RunState.UNDONE, story(run)
    assert work.digest(old) == before


def test_it_is_gone_on_with(work: Work, old: str, monkeypatch: pytest.MonkeyPatch) -> None:
    run = stopped_before_formatting(work, work.plan(old, wish("ext4"), mode=Mode.REPLACE), monkeypatch)
    attach(work, old, detach(work, old))
    resume(run)
    assert ended(run) is RunState.DONE, story(run)
    assert tool("blkid", "--probe", "--match-tag", "TYPE", "--output", "value", f"{old}p1").strip() == "ext4"


@pytest.mark.parametrize("blank", [True, False])
def test_another_drive_of_the_same_size_is_not_taken_for_it(
    work: Work, old: str, make_drive: MakeDrive, monkeypatch: pytest.MonkeyPatch, blank: bool
) -> None:
    other = make_drive(96 * MIB)
    if not blank:
        tool("mkfs.ext4", "-q", "-F", other)
    run = stopped_before_formatting(work, work.plan(old, wish("ext4"), mode=Mode.REPLACE), monkeypatch)
    detach(work, old)
    attach(work, old, detach(work, other))
    with unharmed(work, old):
        for take_up in (resume, undo):
            with pytest.raises(Refused, match=r"may be another drive.*reattach the drive"):
                take_up(run)


def test_by_another_name_it_is_said_where_it_is(
    work: Work, old: str, make_drive: MakeDrive, monkeypatch: pytest.MonkeyPatch
) -> None:
    spare = make_drive(96 * MIB)
    before = work.digest(old)
    run = stopped_before_formatting(work, work.plan(old, wish("ext4"), mode=Mode.REPLACE), monkeypatch)
    image, blank = detach(work, old), detach(work, spare)
    attach(work, spare, image)
    attach(work, old, blank)
    for words in (("resume", run.name, "--confirm", old.removeprefix("/dev/")), ("undo", run.name)):
        refused = diskwright(work, *words)
        assert (refused.returncode, f"is now {spare}" in refused.stderr) == (3, True), refused.stderr
        assert "make a new plan" not in refused.stderr.lower()
    detach(work, old)
    refused = diskwright(work, "undo", run.name)
    assert (refused.returncode, f"is now {spare}" in refused.stderr) == (3, True), refused.stderr
    detach(work, spare)
    attach(work, old, image)
    attach(work, spare, blank)
    undo(run)
    assert work.digest(old) == before


def test_a_run_is_not_begun_on_what_was_attached_anew(work: Work, old: str) -> None:
    plan = work.plan(old, wish("ext4"), mode=Mode.REPLACE)
    attach(work, old, detach(work, old))
    with (
        unharmed(work, old),
        pytest.raises(Refused, match=r"reattached after planning.*Make a new plan"),
    ):
        preflight(plan, *plan.tokens, journal_dir=work.runs, environment=work.environment)


def test_an_untouched_drive_needs_not_be_the_same_to_give_its_run_up(
    work: Work, old: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run that was killed while it was tried out on a stand-in."""
    monkeypatch.undo()
    before = work.digest(old)
    run = killed_at(work, work.plan(old, wish("ext4"), mode=Mode.REPLACE), monkeypatch, "wipefs", 1)
    attach(work, old, detach(work, old))
    undo(run)
    assert (state(run), work.digest(old)) == (RunState.UNDONE, before)
