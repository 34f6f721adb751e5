"""The fstab inside a converted system: the byte that changes, and refusal of any other change."""

from typing import Any

import pytest
from msgspec.structs import replace

from tests.unit.ext4.migrations import EXT3, situation
from wizard.ext4.assessment import BootLine, OwnFstab, Situation
from wizard.ext4.document import MIGRATIONS, make_migration, with_current_texts
from wizard.ext4.operations import own_operations
from wizard.model.errors import BadInput
from wizard.operations.ext4 import SetOwnFstabType
from wizard.plan.changes import Migration, Way
from wizard.plan.plan import Step

TEXT = "# \udce9" + "x" * 4086 + "\nUUID=ext3 / ext3 ext3=1\nLABEL=a /b auto\n/dev/x /c ext2\n"
OWN = OwnFstab(TEXT, (BootLine(2, "ext3", "/"), BootLine(3, "auto", "/b"), BootLine(4, "ext2", "/c")))
FOUND = situation(own=OWN)


def test_changed_byte_is_the_last_of_the_type_in_its_block() -> None:
    raw = TEXT.encode("utf-8", "surrogateescape")
    for operation, line in zip(
        own_operations(FOUND), (b"UUID=ext3 / ext4 ext3=1", b"/dev/x /c ext4"), strict=True
    ):
        at = operation.block * EXT3.block_bytes + operation.offset
        changed = raw[:at] + b"4" + raw[at + 1 :]
        assert changed.split(b"\n")[operation.number - 1] == line == operation.new.encode()
    assert own_operations(FOUND)[0].block == 1
    (argv,) = own_operations(FOUND)[0].commands("/dev/loop3")
    assert argv == (
        "debugfs",
        "-w",
        "-R",
        "zap_block -f /etc/fstab -o 9 -l 1 -p 0x34 1",
        "/dev/loop3",
    )


@pytest.mark.parametrize("way", [Way.LIGHT, Way.FULL])
def test_own_fstab_follows_the_filesystem_and_precedes_other_files(way: Way) -> None:
    kinds = [step.operation.kind for step in make_migration(FOUND, way).steps]
    assert kinds[-3:] == ["set-own-fstab-type", "set-own-fstab-type", "edit-fstab"]
    migration = make_migration(FOUND, way)
    assert MIGRATIONS.read(MIGRATIONS.render(migration), "m.json") == migration
    assert sum("contains a system. Line" in doubt for doubt in map(str, migration.doubts)) == 2


@pytest.mark.parametrize("found", [situation(), replace(FOUND, own=replace(OWN, fault="it is a link"))])
def test_missing_or_unsuitable_own_fstab_gets_no_change(found: Situation) -> None:
    assert not own_operations(found)


def test_conversion_without_disk_changes_leaves_fstab() -> None:
    assert [step.operation.kind for step in make_migration(FOUND, Way.MOUNT).steps] == ["edit-fstab"]


def forged(migration: Migration, **changes: Any) -> Migration:  # noqa: ANN401
    """Return the conversion with its first such operation changed, and all texts adjusted."""
    operations = [step.operation for step in migration.steps]
    place = next(number for number, one in enumerate(operations) if isinstance(one, SetOwnFstabType))
    operations[place] = replace(operations[place], **changes)
    return with_current_texts(replace(migration, steps=tuple(map(Step, operations))))


@pytest.mark.parametrize(
    "changes",
    [
        {"offset": 4096},
        {"offset": -1},
        {"block": -1},
        {"new": "UUID=ext3 / xfs"},
        {"old": "UUID=ext3 / xfs"},
        {"number": 4},
        {"digest": "0"},
    ],
)
def test_document_cannot_name_another_byte(changes: dict[str, Any]) -> None:
    with pytest.raises(BadInput, match="is inconsistent"):
        MIGRATIONS.check(forged(make_migration(FOUND, Way.LIGHT), **changes))
