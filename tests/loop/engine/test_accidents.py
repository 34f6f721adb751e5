"""Real commands on a real drive with seeded accidents: a user who follows the messages finishes, and the
drive is as before or as planned, bit for bit."""

import os
from pathlib import Path
from random import Random

import pytest

from tests.devices import MakeDrive, tool
from tests.fingerprint import fingerprint
from tests.loop.applying import Work, diskwright, fill, old_gpt, spec, story
from tests.loop.engine.accidents import Accident, Medium, Person, high_loop, plug_in, pull
from tests.loop.program import MIB, Extent, Mode, Phase, RunState
from wizard.apply.block.extents import gaps, merged
from wizard.apply.engine.stores import digest_of

SEEDS = 60 if os.environ.get("DISKWRIGHT_EVERY_FILESYSTEM") else 10
ONE_SEED = os.environ.get("DISKWRIGHT_SEED")
DRIVE_BYTES = 96 * MIB
PATIENCE = 8
"""So many commands lead to the end once nothing happens any more."""


@pytest.mark.parametrize("seed", [int(ONE_SEED)] if ONE_SEED else range(SEEDS))
def test_user_who_follows_the_messages_always_finishes(seed: int, work: Work, make_drive: MakeDrive) -> None:
    """Run through accidents. `DISKWRIGHT_SEED=N` runs only that seed and prints it."""
    dice = Random(seed)
    with high_loop(work, DRIVE_BYTES) as (drive, spare):
        fill(drive, work.bench)
        old_gpt(drive)
        tool("blockdev", "--flushbufs", drive)
        before = work.bench.image_of(drive).read_bytes()
        plan = work.plan(drive, spec("ext4"), mode=dice.choice((Mode.REPLACE, Mode.USE_FREE)))
        medium = Medium.of(work, make_drive)
        person = Person(work, plan, medium, dice, spare)
        try:
            lives(person)
            holds_what_it_should(person, before)
        except AssertionError as error:
            raise AssertionError(
                "\n".join([str(error), f"seed {seed}:", *person.told, f"Again: DISKWRIGHT_SEED={seed}"])
            ) from error
        finally:
            work.leave()
            medium.take_away()
        if ONE_SEED:
            print("\n".join(person.told))


def lives(person: Person) -> None:
    """Run commands with accidents, then without."""
    accidents = [person.dice.choice(list(Accident)) for _ in range(person.dice.randrange(1, 4))]
    for accident in [*accidents, *[Accident.NONE] * PATIENCE]:
        if person.run is None or person.record is None:
            person.applies(accident)
        elif person.is_over:
            break
        else:
            person.follows(accident)
    assert person.is_over, f"it came to no end: {person.words}"


def holds_what_it_should(person: Person, before: bytes) -> None:
    """Check that every byte is as before; or that the changes are as planned, the rest outside the new
    volume is as before, and the volume passes fsck."""
    record = person.record
    assert record is not None
    (change,) = record.changes or (None,)
    tool("blockdev", "--flushbufs", person.drive)
    held = person.work.bench.image_of(person.drive).read_bytes()
    if record.phase is Phase.UNDONE:
        assert held == before, "undone, it is not as before"
        return
    assert change is not None
    assert digest_of(change.places, lambda start, length: held[start : start + length]) == change.new_digest
    slots = [slot for slot in person.plan.after.partitions if not slot.kept]
    changed = [*change.places, *(Extent(slot.start_bytes, slot.size_bytes) for slot in slots)]
    for place in gaps(merged(changed, 512, DRIVE_BYTES), DRIVE_BYTES):
        assert held[place.start_bytes : place.end_bytes] == before[place.start_bytes : place.end_bytes], place
    tool("e2fsck", "-f", "-n", person.plan.volumes[0].path)


def test_replacement_drive_is_not_written(work: Work) -> None:
    """Check a different drive without serial number at the same node, with a run waiting."""
    with high_loop(work, DRIVE_BYTES) as (drive, _):
        fill(drive, work.bench)
        old_gpt(drive)
        before = work.digest(drive)
        run, end = work.apply(work.plan(drive, spec("ext4"), mode=Mode.REPLACE), keep=False)
        assert end is RunState.WAITING, story(run)
        image = pull(work, drive)
        other = work.bench.folder / "other.img"
        with other.open("wb") as file:
            file.truncate(DRIVE_BYTES)
        plug_in(work, drive, other)
        tool("mkfs.ext4", "-q", "-F", "-b", "4096", "-d", str(Path(__file__).parents[1]), drive)
        held = work.digest(drive)
        over = ("undo", "--over-changes", "--confirm", drive.removeprefix("/dev/"))
        for words in (("undo",), over, ("keep",)):
            refused = diskwright(work, *words, run.name)
            assert refused.returncode and "may be another drive" in refused.stderr, refused.stderr
        pull(work, drive)
        assert fingerprint(other) == held
        plug_in(work, drive, image)
        assert diskwright(work, "undo", run.name).returncode == 0, story(run)
        assert work.digest(drive) == before
