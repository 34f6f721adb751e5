"""Documents of conversions: read as written, and refused if `diskwright migrate` could not have made them."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from msgspec.structs import replace

from tests.earlier import Body, sealed
from tests.unit.ext4.migrations import EXT3, UUID, situation
from wizard.documents.codec import to_json
from wizard.ext4.document import MIGRATIONS, make_migration, with_current_texts
from wizard.model.errors import BadInput
from wizard.operations.ext4 import CheckFiles, SetFeatures, WidenInodes
from wizard.operations.fstab import EditFstab, LineEdit
from wizard.plan.changes import Migration, MigrationOperation, Way
from wizard.plan.plan import Step

FULL = make_migration(situation(), Way.FULL)


def made(way: Way) -> Migration:
    return make_migration(situation(), way, manifest=way is Way.FULL)


@pytest.mark.parametrize("way", Way)
def test_migration_is_read_as_written(way: Way) -> None:
    migration = made(way)
    text = MIGRATIONS.render(migration)
    assert MIGRATIONS.is_one(text) and MIGRATIONS.read(text, "m.json") == migration
    body = json.loads(text)
    assert body["schema"] == MIGRATIONS.schema and body["steps"] and body["before"]["uuid"] == UUID


def with_operation(
    changed: Callable[[MigrationOperation], MigrationOperation], of: Migration = FULL
) -> Migration:
    """Return a forged conversion whose texts all follow from the changed operations."""
    return with_current_texts(replace(of, steps=tuple(Step(changed(step.operation)) for step in of.steps)))


def fstab(**changes: Any) -> Migration:  # noqa: ANN401
    return with_operation(lambda one: replace(one, **changes) if isinstance(one, EditFstab) else one)


def line(old: str, new: str) -> Migration:
    return fstab(lines=(LineEdit(2, old, new),))


FORGED = {
    "another way": replace(FULL, way=Way.LIGHT),
    "no device": replace(FULL, device="/etc/passwd"),
    "a step left out": replace(FULL, steps=FULL.steps[1:]),
    "no step": replace(FULL, steps=()),
    "steps in another order": replace(FULL, steps=(FULL.steps[1], FULL.steps[0], *FULL.steps[2:])),
    "repairs that nobody agreed to": with_operation(
        lambda one: CheckFiles(True) if isinstance(one, CheckFiles) else one
    ),
    "a feature": with_operation(
        lambda one: SetFeatures(("^has_journal",)) if isinstance(one, SetFeatures) else one
    ),
    "inodes": with_operation(lambda one: WidenInodes(128) if isinstance(one, WidenInodes) else one),
    "a line": line("/dev/sdb1 / ext3 defaults 0 0", "/dev/sdb1 / ext4 ro 0 0"),
    "a line that is no entry": line("# x y ext3", "# x y ext4"),
    "a line of ext4": line("/dev/a /b ext4", "/dev/a /b ext4"),
    "a file elsewhere": fstab(file="etc/fstab"),
    "no UUID": replace(FULL, before=replace(EXT3, uuid="1234")),
    "blocks of no size": replace(FULL, before=replace(EXT3, block_bytes=3000)),
    "more free than there is": replace(FULL, before=replace(EXT3, free_blocks=1 << 50)),
}


@pytest.mark.parametrize("forged", FORGED.values(), ids=FORGED)
def test_impossible_migration_is_refused(forged: Migration) -> None:
    MIGRATIONS.check(FULL)
    with pytest.raises(BadInput, match="is inconsistent"):
        MIGRATIONS.read(MIGRATIONS.render(forged), "m.json")


@pytest.mark.parametrize(
    "forged",
    [
        *(
            replace(FULL, steps=(replace(FULL.steps[0], **words), *FULL.steps[1:]))
            for words in (
                {"commands": (("mkfs.ext4", "/dev/sda1"),)},
                {"sentence": "Nothing."},
                {"seconds": 0.5},
            )
        ),
        replace(FULL, gains=("Everything.",)),
        replace(FULL, room_bytes=1),
    ],
)
def test_results_are_derived_from_operations_on_reading(forged: Migration) -> None:
    text = MIGRATIONS.render(forged)
    assert text == MIGRATIONS.render(FULL) and MIGRATIONS.read(text, "m.json") == FULL


@pytest.mark.parametrize("change", [{"way": "fresh", "means": "copy"}, {"means": "direct"}])
def test_conversion_without_a_scratch_copy_is_refused_as_such(change: Body) -> None:
    body: Body = {**to_json(FULL, derived=False), **change, "undo_dir": "/u"}
    for read in (MIGRATIONS.read, MIGRATIONS.read_kept):
        with pytest.raises(BadInput, match="works without a scratch copy"):
            read(sealed(body, MIGRATIONS.schema), "m.json")


def test_document_with_its_own_results_is_refused() -> None:
    body: Body = {**to_json(FULL, derived=False), "gains": ["Verily."]}
    with pytest.raises(BadInput, match="is not a known key"):
        MIGRATIONS.read(sealed(body, MIGRATIONS.schema), "m.json")


def test_document_of_a_conversion_with_a_snapshot_continues() -> None:
    body: Body = {**to_json(FULL, derived=False), "undo_dir": "", "store": "/u", "means": "transaction"}
    for read in (MIGRATIONS.read, MIGRATIONS.read_kept):
        assert read(sealed(body, MIGRATIONS.schema), "m.json") == FULL


def test_steps_for_single_lines_of_fstab_become_one() -> None:
    edit = FULL.settings[0]
    body: Body = to_json(FULL, derived=False)
    body["steps"] = body["steps"][:-1] + [
        {"operation": {"kind": "set-fstab-type", "file": edit.file, "digest": edit.digest, **to_json(one)}}
        for one in edit.lines
    ]
    assert MIGRATIONS.read_kept(sealed(body, MIGRATIONS.schema), "m.json") == FULL
    del body["steps"][-1]["operation"]["digest"]
    with pytest.raises(BadInput):
        MIGRATIONS.read_kept(sealed(body, MIGRATIONS.schema), "m.json")


def test_damage_is_noticed() -> None:
    text = MIGRATIONS.render(FULL)
    with pytest.raises(BadInput, match="digest"):
        MIGRATIONS.read(text.replace("/dev/sda1", "/dev/sda2"), "m.json")
    body = json.loads(text)
    body.pop("schema"), body.pop("digest")
    body["steps"][0]["operation"]["device"] = "/dev/sdb"
    with pytest.raises(BadInput, match="is not a known key"):
        MIGRATIONS.read(sealed(body, MIGRATIONS.schema), "m.json")
    with pytest.raises(BadInput, match="too large"):
        MIGRATIONS.read(text + " " * 4_000_000, "m.json")
