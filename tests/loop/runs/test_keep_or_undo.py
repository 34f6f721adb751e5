"""A drive with files is set up in every interface, waits, and is undone bit for bit, or kept and mounted."""

import json
from pathlib import Path

import pytest

from tests.devices import MakeDrive, tool
from tests.looks import rehearsal
from tests.looks.rehearsal import come, flat, press
from tests.loop.applying import SECONDS, Work, diskwright, ended, fill, old_gpt, spec, story
from tests.loop.desk.walking import services
from tests.loop.lines.conversing import MEDIA, Conversation, plain_wizard, run_of
from tests.loop.program import MIB, PLANS, Mode, Refused, RunState, request_stop, state

WAITS = "Done, not in use yet: keep or undo the result."
BACK = "restored bit for bit, with all data read back"


def drive_with_files(work: Work, make_drive: MakeDrive) -> str:
    """Create a drive full of a pattern, then with a table and an ext4."""
    drive = make_drive(512 * MIB)
    fill(drive, work.bench)
    old_gpt(drive)
    return drive


def nothing_is_seen(drive: str) -> bool:
    """Return True if wipefs finds no signature."""
    tool("blockdev", "--flushbufs", drive)
    return not tool("wipefs", "--no-act", "--noheadings", drive).strip()


def is_used(drive: str, place: Path) -> bool:
    """Return True if the new volume is mounted and writable."""
    if not place.is_mount():
        return False
    (place / "new.txt").write_text("new\n")
    return tool("findmnt", "-n", "-o", "SOURCE", str(place)).strip() == f"{drive}p1"


def usual_place(work: Work) -> Path:
    """Return the default mount point of a volume for media (own_places)."""
    return work.folder.parent / "places" / "media"


def tidy(place: Path) -> None:
    if place.is_mount():
        tool("umount", str(place))


def screens(work: Work, drive: str, key: str, says: str) -> tuple[str, str]:
    """Go through the screens to the result, press the key and confirm. Return the screens before and
    after."""
    seen: list[str] = []

    async def job(pilot: rehearsal.Hand) -> None:
        await rehearsal.ready(pilot)
        await press(pilot, "enter")
        await come(pilot, "actions")
        await press(pilot, "A")
        await come(pilot, "purpose")
        await rehearsal.highlight(pilot, "large-media")
        await press(pilot, "enter")
        await come(pilot, "plan")
        await press(pilot, "enter")
        await come(pilot, "review")
        assert "deleted when you choose Keep" in flat(pilot)
        await rehearsal.fill(pilot, token0=drive.removeprefix("/dev/"))
        await press(pilot, "enter")
        await rehearsal.until(lambda: rehearsal.place(pilot) == "result", pilot, SECONDS)
        seen.append(flat(pilot))
        assert nothing_is_seen(drive)
        await press(pilot, key)
        await come(pilot, "question")
        await press(pilot, "y")
        await rehearsal.until(lambda: says in flat(pilot), pilot, SECONDS)
        seen.append(flat(pilot))
        await press(pilot, "enter")
        await come(pilot, "drives")

    rehearsal.perform(job, services(work, drive))
    return seen[0], seen[-1]


def test_terminal_interface_undoes_with_one_key(work: Work, make_drive: MakeDrive) -> None:
    drive = drive_with_files(work, make_drive)
    before = work.digest(drive)
    first, last = screens(work, drive, "U", "bit for bit")
    assert WAITS in first and "undo" in first
    assert "Undo (U)" not in last
    assert state(run_of(work)) is RunState.UNDONE, story(run_of(work))
    assert work.digest(drive) == before and not usual_place(work).exists()


def test_terminal_interface_keeps_with_one_key(work: Work, make_drive: MakeDrive) -> None:
    drive = drive_with_files(work, make_drive)
    place = usual_place(work)
    try:
        first, last = screens(work, drive, "K", "ready at")
        assert WAITS in first and "ready at" not in first
        assert "Undo (U)" not in last
        assert state(run_of(work)) is RunState.KEPT, story(run_of(work))
        assert is_used(drive, place)
    finally:
        tidy(place)


def asked_line_by_line(work: Work, drive: str) -> tuple[Conversation, str]:
    """Return the line-by-line wizard at the decision, and its output."""
    wizard = plain_wizard(work, drive)
    wizard.asked("Step 1 of 5: Drives")
    wizard.answer("", "A", MEDIA, "", drive.removeprefix("/dev/"))
    return wizard, wizard.until("K keep", "Answer: ")


@pytest.mark.parametrize("keeps", [False, True])
def test_settle_in_plain_mode(work: Work, make_drive: MakeDrive, keeps: bool) -> None:
    drive = drive_with_files(work, make_drive)
    before, place = work.digest(drive), usual_place(work)
    wizard, result = asked_line_by_line(work, drive)
    try:
        assert WAITS in result and nothing_is_seen(drive)
        wizard.answer("K" if keeps else "U")
        meaning = wizard.asked("Keep the result" if keeps else "Undo the changes")
        assert ("mounted at" if keeps else "restored bit for bit and compared") in meaning
        wizard.answer("y")
        wizard.until("Answer: ")
        assert wizard.ended() == 0, wizard.said
        run = run_of(work)
        if keeps:
            assert state(run) is RunState.KEPT, story(run)
            assert "535 MB ready at" in wizard.said and "checks passed" in wizard.said
            assert is_used(drive, place)
        else:
            assert state(run) is RunState.UNDONE and BACK in " ".join(wizard.said.split())
            assert work.digest(drive) == before and not place.exists()
    finally:
        wizard.process.kill()
        tidy(place)


@pytest.mark.parametrize("keeps", [False, True])
def test_settle_by_commands(work: Work, make_drive: MakeDrive, keeps: bool) -> None:
    drive = drive_with_files(work, make_drive)
    before, place = work.digest(drive), work.place("films")
    plan = work.plan(drive, spec("ext4", mount_point=place), mode=Mode.REPLACE)
    file = work.folder / "plan.json"
    file.write_text(PLANS.render(plan))
    try:
        applied = diskwright(work, "apply", str(file), "--confirm", *plan.tokens, "--fstab", str(work.fstab))
        assert applied.returncode == 0, applied.stderr
        assert "deleted when you choose Keep" in applied.stderr and "Done, not in use yet" in applied.stderr
        assert "Undo restores the old contents until you choose Keep." in " ".join(applied.stderr.split())
        assert nothing_is_seen(drive) and not place.exists()
        run = run_of(work)

        listed = diskwright(work, "status")
        assert f"sudo diskwright look {run}\n" in listed.stdout
        assert (
            f"sudo diskwright keep {run}\n" in listed.stdout
            and f"sudo diskwright undo {run}\n" in listed.stdout
        )
        assert "the result can be kept or undone on any later day" in listed.stdout
        (row,) = json.loads(diskwright(work, "status", "--json").stdout)["runs"]
        assert row["state"] == "waiting" and row["commands"] == [
            f"sudo diskwright {word} {run}" for word in ("keep", "undo")
        ]
        report = json.loads(
            diskwright(work, "report", "--json", "-o", str(work.folder / "report.html")).stdout
        )["run"]
        assert (
            report["state"] == "waiting"
            and report["commands"] == row["commands"]
            and "would lose no data" in report["power"]
        )
        page = (work.folder / "report.html").read_text()
        assert all(command in page for command in row["commands"])
        resumed = diskwright(work, "resume")
        assert resumed.returncode == 3 and f"`diskwright keep {run}` accepts the result" in resumed.stderr

        settled = diskwright(work, "keep" if keeps else "undo")
        assert settled.returncode == 0, settled.stderr
        if keeps:
            assert state(run) is RunState.KEPT and is_used(drive, place)
            refused = diskwright(work, "undo", str(run))
            assert refused.returncode == 3 and "Undo is no longer possible" in refused.stderr
        else:
            assert state(run) is RunState.UNDONE and BACK in settled.stderr
            assert work.digest(drive) == before and not place.exists()
    finally:
        tidy(place)


def test_waiting_run_is_listed_first(work: Work, make_drive: MakeDrive) -> None:
    waiting = drive_with_files(work, make_drive)
    first, _ = work.apply(work.plan(waiting, spec("ext4"), mode=Mode.REPLACE), keep=False)
    second, end = work.apply(work.plan(make_drive(96 * MIB), spec("ext4")))
    assert (state(first), end) == (RunState.WAITING, RunState.DONE)
    assert sorted([first, second])[0] == first
    third, _ = work.apply(
        work.plan(drive_with_files(work, make_drive), spec("ext4"), mode=Mode.REPLACE), keep=False
    )
    rows = json.loads(diskwright(work, "status", "--json").stdout)["runs"]
    assert [row["id"] for row in rows] == [third.name, first.name, second.name]


def test_keep_selects_the_run_that_can_be_kept(work: Work, make_drive: MakeDrive) -> None:
    """Check that `keep` needs no name if the other run wrote nothing."""
    other = work.plan(make_drive(96 * MIB), spec("ext4"))
    tool("mkfs.ext4", "-q", other.drive.path)
    with pytest.raises(Refused):
        work.start(other)
    stopped = work.start(work.plan(make_drive(96 * MIB), spec("ext4")))
    request_stop(stopped)
    ended(stopped)
    waiting, _ = work.apply(
        work.plan(drive_with_files(work, make_drive), spec("ext4"), mode=Mode.REPLACE), keep=False
    )
    assert (state(stopped), state(waiting)) == (RunState.STOPPED, RunState.WAITING)
    kept = diskwright(work, "keep")
    assert kept.returncode == 0 and state(waiting) is RunState.KEPT, kept.stderr


def test_reason_for_a_direct_run_is_shown_before_the_start(
    work: Work, make_drive: MakeDrive, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Check the reason for a direct run, which excludes undo, before the start."""
    drive = drive_with_files(work, make_drive)
    plan = work.plan(drive, spec("ext4"), mode=Mode.REPLACE)
    assert services(work, drive).why_direct(plan) == ""
    monkeypatch.setattr("wizard.apply.block.scratch_device.CONTROL", str(work.folder / "no-loop-control"))
    assert "is not available" in services(work, drive).why_direct(plan)
    assert not work.runs.exists()
