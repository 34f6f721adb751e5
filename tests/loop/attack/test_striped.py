"""A volume over several drives, attacked: shared drives, other users of a drive, and drives that changed
places."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.devices import MakeDrive, forget_partitions, tool
from tests.loop.applying import Work, ended, old_gpt, spec
from tests.loop.attack.attacking import fails, unharmed
from tests.loop.program import (
    MIB,
    DiskwrightError,
    Mode,
    Plan,
    Refused,
    RunState,
    Stripe,
    start_run,
)

pytestmark = pytest.mark.usefixtures("direct")

BTRFS = Stripe("btrfs")


def pair(make_drive: MakeDrive) -> tuple[str, str]:
    """Two drives, the first with an old table and an old filesystem."""
    one, two = make_drive(256 * MIB), make_drive(256 * MIB)
    old_gpt(one)
    return one, two


def over(work: Work, *drives: str, place: Path | None = None) -> Plan:
    return work.striped(drives, spec("btrfs", None, place), BTRFS, Mode.REPLACE)


def test_two_runs_that_share_a_drive(work: Work, make_drive: MakeDrive) -> None:
    """Whichever comes first, the other is refused, and neither waits for the other."""
    one, two, three = (make_drive(256 * MIB) for _ in range(3))
    plans = [over(work, one, two), over(work, three, two)]

    def start(number: int) -> Path | str:
        plan = plans[number]
        try:
            return start_run(
                plan,
                *plan.tokens,
                journal_dir=work.folder / f"runs{number}/runs",
                environment=work.environment,
            )
        except Refused as error:
            return str(error)

    with ThreadPoolExecutor(2) as pool:
        came = list(pool.map(start, range(2)))
    runs = [run for run in came if isinstance(run, Path)]
    assert [ended(run) for run in runs] == [RunState.DONE], came


def test_one_file_behind_both_drives(work: Work, make_drive: MakeDrive) -> None:
    one = make_drive(256 * MIB)
    again = tool("losetup", "--find", "--show", str(work.bench.image_of(one))).strip()
    work.bench.images[again] = work.bench.image_of(one)
    with unharmed(work, one), pytest.raises(DiskwrightError):
        work.start(over(work, one, again))


def test_drive_in_a_btrfs_mounted_from_another_drive(work: Work, make_drive: MakeDrive) -> None:
    one, two = pair(make_drive)
    victim = make_drive(256 * MIB)
    plan = over(work, one, two)
    tool("mkfs.btrfs", "-q", "-f", "-d", "raid0", victim, two)
    place = work.place("theirs")
    place.mkdir(parents=True)
    tool("mount", victim, str(place))
    (place / "letter").write_text("the only copy")
    tool("sync")
    with unharmed(work, victim, two, one):
        fails(work, plan, "in use")
        with pytest.raises(Refused, match="in use"):
            over(work, one, two)
    assert (place / "letter").read_text() == "the only copy"


def test_uuid_of_another_filesystem(work: Work, make_drive: MakeDrive) -> None:
    one, two = pair(make_drive)
    victim, beside = make_drive(256 * MIB), make_drive(256 * MIB)
    plan = over(work, one, two, place=work.place("media"))
    tool("mkfs.btrfs", "-q", "-f", "-d", "raid0", "-U", plan.volumes[0].uuid, victim, beside)
    with unharmed(work, victim, beside):
        fails(work, plan, "UUID")


@pytest.mark.alone
def test_swapped_drives(work: Work, make_drive: MakeDrive) -> None:
    one, two = pair(make_drive)
    plan = over(work, one, two)
    images = [work.bench.image_of(one), work.bench.image_of(two)]
    forget_partitions(one)
    for drive in (one, two):
        tool("losetup", "--detach", drive)
    tool("losetup", one, str(images[1]))
    tool("losetup", two, str(images[0]))
    work.bench.images = {one: images[1], two: images[0]}
    with unharmed(work, one, two):
        fails(work, plan, "may be another drive now")
