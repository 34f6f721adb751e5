"""An md array on scratch copies: the same plan on their nodes, the promised undo, and the required state
of a mirror before its bytes are copied to the drives."""

from types import SimpleNamespace
from typing import cast

import pytest
from msgspec.structs import replace

from tests.unit.plan.raid.stripes import MD, MIRROR, numbered, striped
from wizard.apply.block import devices
from wizard.apply.steps import arrays
from wizard.apply.steps.arrays import is_uncopied
from wizard.apply.steps.step_context import StepContext
from wizard.operations.filesystem import MakeFilesystem
from wizard.operations.layers import MakeArray
from wizard.operations.table import WipeSignatures, WriteTable
from wizard.plan.plan import Plan
from wizard.plan.text import promise

EXAMINED = "   Array UUID : 1:2\n        State : {}\n  Device Role : Active device 0\n"
BITMAP = "  Chunksize : 64 MB\n     Bitmap : 3 bits (chunks), {} dirty (100.0%)\n"


def there(plan: Plan) -> Plan:
    """Return the plan on scratch copies."""
    nodes = {path: f"/dev/loop{number}" for number, path in enumerate(plan.devices)}
    return plan.on_nodes({**nodes, plan.arrays[0].device: "/dev/md5"})


@pytest.mark.parametrize("plan", [MD, MIRROR])
def test_scratch_plan_names_no_drive_or_its_array(plan: Plan) -> None:
    nodes = {node for step in there(plan).steps for node in step.operation.devices}
    assert nodes == {
        "/dev/md5",
        *(f"/dev/loop{number}{part}" for number in range(len(plan.members)) for part in ("", "p1")),
    }
    (array,) = [one for step in there(plan).steps if isinstance(one := step.operation, MakeArray)]
    assert array.device == "/dev/md5"
    assert array.parts == tuple(f"/dev/loop{number}p1" for number in range(len(plan.members)))
    (made,) = [one for step in there(plan).steps if isinstance(one := step.operation, MakeFilesystem)]
    assert made.device == there(plan).volumes[0].path == "/dev/md5"


def test_scratch_array_matches_the_plan_except_for_its_nodes() -> None:
    planned = MIRROR.stripe
    assert planned is not None and there(MIRROR).stripe == replace(planned, device="/dev/md5")
    (array,) = [one for step in there(MIRROR).steps if isinstance(one := step.operation, MakeArray)]
    assert (array.uuid, array.name, array.level) == (planned.uuids[0], planned.name, "raid1")


def test_array_is_rehearsed_with_all_its_content() -> None:
    kinds = [type(step.operation) for _, step in MIRROR.rehearsed_steps()]
    assert kinds.count(MakeArray) == 1 and kinds[-2:] == [MakeArray, MakeFilesystem]
    assert set(kinds) == {WipeSignatures, WriteTable, MakeArray, MakeFilesystem}


def test_undo_is_promised_for_md() -> None:
    for plan in (MD, MIRROR):
        assert plan.direct_reason == ""
        assert promise(plan).startswith("The plan is rehearsed on a scratch copy of the drives first")


@pytest.mark.parametrize(
    ("plan", "rehearsed", "uncopied"), [(MIRROR, True, True), (MIRROR, False, False), (MD, True, False)]
)
def test_mirror_skips_copying_only_on_scratch_devices(
    monkeypatch: pytest.MonkeyPatch, plan: Plan, rehearsed: bool, uncopied: bool
) -> None:
    (array,) = plan.arrays
    ran: list[tuple[str, ...]] = []
    wrote: dict[str, str] = {}
    monkeypatch.setattr(arrays, "check_free_array", lambda _: None)
    monkeypatch.setattr(arrays, "running_array", lambda *_: array.device)
    monkeypatch.setattr(arrays, "_mdadm_check", lambda *_: None)
    monkeypatch.setattr(arrays, "_write", lambda file, text: wrote.update({file.name: text}))
    monkeypatch.setattr(devices, "wait_for", lambda _: None)
    context = SimpleNamespace(command=ran.append, rehearsed=rehearsed, finished=str, confirm=str)
    arrays.make_array(array, cast("StepContext", context))
    (argv,) = array.commands()
    assert ran == [(*argv, "--assume-clean") if uncopied else argv]
    assert wrote == ({"discard_max_bytes": "0"} if rehearsed else {}) | (
        {"sync_action": "frozen"} if uncopied else {}
    )


@pytest.mark.parametrize(
    ("state", "dirty", "uncopied"),
    [("active", 3, True), ("clean", 3, False), ("active", 0, False), ("active", 2, False)],
)
def test_uncopied_mirror_is_detected_by_bitmap_and_superblock(state: str, dirty: int, uncopied: bool) -> None:
    """md considers a mirror copied if no bit is set, despite the state in its superblock."""
    assert is_uncopied(EXAMINED.format(state), BITMAP.format(dirty)) is uncopied


def test_mkfs_xfs_on_md_gets_the_block_size_hidden_by_scratch_devices() -> None:
    plan = striped(numbered(2), "md", "xfs")
    (made,) = [one for step in plan.steps if isinstance(one := step.operation, MakeFilesystem)]
    assert made.options[-2:] == ("-s", "size=4096")
    assert plan.with_current_texts() == plan
