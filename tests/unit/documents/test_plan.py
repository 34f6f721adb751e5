"""Documents of plans: read as written, and anything else is refused."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.earlier import Body, first_body, sealed
from tests.unit.machines import drive, partition, partitioned
from tests.unit.plan.layouts import plan_for, spec
from wizard.model.errors import BadInput
from wizard.model.run import Waiting
from wizard.model.said import GIB, MIB, Language, Message
from wizard.operations.table import WriteTable
from wizard.plan.documents import PLANS
from wizard.plan.plan import LOST, Plan
from wizard.plan.request.plan_request import Mode

OLD = partitioned(partition(1, MIB, GIB, filesystem="ext3"), partition(2, 100 * GIB, GIB, name="stays"))
PLAN = plan_for(
    OLD,
    spec("ext4", size_bytes=10 * GIB, label="$(reboot)", mount_point="/srv/my files"),
    spec("xfs", mount_point="/srv/media"),
    mode=Mode.REPLACE,
)
KEEPING = plan_for(
    OLD, spec("ext4", size_bytes=10 * GIB, mount_point="/srv/a"), spec("btrfs"), mode=Mode.USE_FREE
)
TEXT = PLANS.render(PLAN)
OTHER = replace(OLD, serial=None, waiting=Waiting("0008-sda", "2026-01-01", "ext4", MIB, 4096, bare=True))


def redigested(plan: Plan, change: Callable[[Body], None]) -> str:
    """Return the plan's document with a change and a matching digest."""
    body = json.loads(PLANS.render(plan))
    del body["schema"], body["digest"]
    change(body)
    return sealed(body, PLANS.schema)


def as_first_written(plan: Plan, change: Callable[[Body], None]) -> str:
    body = first_body(plan)
    change(body)
    return sealed(body, "diskwright.plan/1")


@pytest.mark.parametrize(
    "plan", [PLAN, KEEPING, plan_for(drive(serial=None, wwn=None, by_id=()), spec("btrfs"))]
)
def test_plan_is_read_as_written(plan: Plan) -> None:
    assert PLANS.read(PLANS.render(plan), "plan.json") == plan
    assert PLANS.read(redigested(plan, lambda body: None), "plan.json") == plan


def test_document_follows_the_rules_of_the_format() -> None:
    document = json.loads(TEXT)
    assert document["schema"] == "diskwright.plan/2"
    assert document["drive"]["size_bytes"] == PLAN.drive.size_bytes
    assert document["after"]["slots"][1]["start_bytes"] == MIB
    assert document["volumes"][0]["label"] == "$(reboot)"
    assert TEXT.isascii() and TEXT.endswith("}\n")


@settings(max_examples=180, deadline=None)
@given(st.data())
def test_one_character_edit_is_refused_or_harmless(data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(TEXT) - 1))
    char = data.draw(
        st.one_of(st.sampled_from('0123456789 \n"{}[]:,.eE+-\\xtn'), st.characters(codec="utf-8"))
    )
    edited = data.draw(
        st.sampled_from(
            (TEXT[:at] + char + TEXT[at + 1 :], TEXT[:at] + char + TEXT[at:], TEXT[:at] + TEXT[at + 1 :])
        )
    )
    try:
        assert PLANS.read(edited, "plan.json") == PLAN
    except BadInput as error:
        assert str(error).startswith("plan.json") and str(error).endswith(".") and str(error).isprintable()


@settings(max_examples=60, deadline=None)
@given(st.integers(0, len(TEXT) - 3))
def test_truncated_plan_is_refused(length: int) -> None:
    with pytest.raises(BadInput, match=r"plan\.json"):
        PLANS.read(TEXT[:length], "plan.json")


def test_advice_to_recreate_a_plan_is_translated(pseudo_language: None) -> None:
    with pytest.raises(BadInput, match="⟦Çréáté thé pláñ ágáíñ wíth `díškwríght pláñ`"):
        PLANS.read(TEXT.replace("diskwright.plan/2", "diskwright.plan/1"), "plan.json")


@settings(max_examples=60, deadline=None)
@given(
    st.one_of(
        st.text(max_size=60),
        st.recursive(st.none() | st.integers() | st.text(max_size=8), st.lists, max_leaves=9).map(json.dumps),
    )
)
def test_other_content_is_refused(text: str) -> None:
    with pytest.raises(BadInput, match=r"plan\.json"):
        PLANS.read(text, "plan.json")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (TEXT.replace("diskwright.plan/2", "diskwright.plan/3"), "version 3"),
        (
            TEXT.replace("diskwright.plan/2", "diskwright.plan/1"),
            "earlier version.* again with `diskwright plan`",
        ),
        (TEXT.replace("diskwright.plan/2", "diskwright.machine/1"), "not a diskwright.plan"),
        (TEXT.replace('"/srv/media"', '"/srv/medio"', 1), "changed or damaged"),
        ("[" * 100_000, "truncated or damaged"),
        (" " * 5_000_000, "too large"),
        (redigested(PLAN, lambda body: body.update(extra=1)), "extra"),
        (redigested(PLAN, lambda body: body.pop("steps")), "steps"),
        (redigested(PLAN, lambda body: body["drive"].update(size_bytes="500")), "size_bytes"),
        (redigested(PLAN, lambda body: body["drive"].update(size_bytes=True)), "size_bytes"),
        (redigested(PLAN, lambda body: body["drive"].update(size_bytes=5e11)), "size_bytes"),
        (
            redigested(PLAN, lambda body: body["steps"][0]["operation"].update(kind="run-anything")),
            "kind|operation|run-anything",
        ),
    ],
)
def test_errors_are_described(text: str, says: str) -> None:
    with pytest.raises(BadInput, match=says):
        PLANS.read(text, "plan.json")


def at(*path: str | int, value: object) -> Callable[[Body], None]:
    """Return a change that sets `value` at this position."""

    def change(body: Any) -> None:  # noqa: ANN401
        for key in path[:-1]:
            body = body[key]
        body[path[-1]] = value

    return change


TABLE_STEP = next(index for index, step in enumerate(PLAN.steps) if isinstance(step.operation, WriteTable))

HOSTILE = {
    "another command": at("steps", 0, "commands", value=[["rm", "-rf", "/"]]),
    "a sentence left empty": at("steps", 0, "sentence", value=""),
    "another device wiped": at("steps", 0, "operation", "device", value="/dev/vda"),
    "another table written": at("steps", TABLE_STEP, "operation", "device", value="/dev/vda"),
    "another drive": at("drive", "path", value="/dev/vda"),
    "a path out of /dev": at("drive", "path", value="/dev/../etc/passwd"),
    "a path with an escape": at("drive", "path", value="/dev/\x1b[2J"),
    "a sentence that lies": at("steps", TABLE_STEP, "sentence", value="Do nothing."),
    "nothing destroyed, it says": at("steps", TABLE_STEP, "destroys", value=""),
    "a negative size": at("steps", TABLE_STEP, "operation", "entries", 0, "size_bytes", value=-MIB),
    "a size beyond the drive": at(
        "steps", TABLE_STEP, "operation", "entries", 1, "size_bytes", value=1 << 70
    ),
    "a start off the block": at(
        "steps", TABLE_STEP, "operation", "entries", 0, "start_bytes", value=63 * 512
    ),
    "an overlap": at("steps", TABLE_STEP, "operation", "entries", 1, "start_bytes", value=2 * MIB),
    "number 129": at("volumes", 0, "partition", value=129),
    "number 0": at("volumes", 0, "partition", value=0),
    "a volume elsewhere": at("volumes", 0, "path", value="/dev/vda1"),
    "a label with an escape": at("volumes", 0, "label", value="\x1b]0;x\x07"),
    "a lone surrogate": at("volumes", 0, "label", value="\ud800"),
    "a long label": at("volumes", 0, "label", value="x" * 200),
    "no volumes": at("volumes", value=[]),
    "no steps": at("steps", value=[]),
    "an unknown filesystem": at("volumes", 0, "filesystem", value="ntfs"),
    "a mount over /etc": at("volumes", 0, "mount_point", value="/etc"),
    "a mount point with ..": at("volumes", 0, "mount_point", value="/srv/../etc"),
    "two mounts in one place": at("volumes", 0, "mount_point", value="/srv/media"),
    "a device in an option": at("volumes", 0, "mkfs_options", value=["-J", "device=/dev/vda"]),
    "a device as a word": at("volumes", 0, "mkfs_options", value=["/dev/vda"]),
    "a loop mount": at("volumes", 0, "mount_options", value=["loop"]),
    "a UUID twice": at("volumes", 0, "uuid", value=PLAN.volumes[1].uuid),
    "no UUID": at("volumes", 0, "uuid", value="$(id)"),
    "a workload with an escape": at("volumes", 0, "workload", value="\x1b[2J"),
    "no seconds": at("steps", 0, "seconds", value=float("nan")),
    "no blocks": at("drive", "geometry", "logical_block_bytes", value=0),
    "odd blocks": at("drive", "geometry", "physical_block_bytes", value=513),
    "no size": at("drive", "size_bytes", value=0),
    "a huge size": at("drive", "size_bytes", value=10**30),
    "another layout after": at("after", "slots", 1, "label", value="other"),
    "free space that is not": at("after", "slots", 0, "size_bytes", value=5),
    "kept, it says": at("before", "slots", 1, "kept", value=True),
    "a disorder": at("before", "slots", 0, "start_bytes", value=400 * GIB),
    "not fresh": at("steps", TABLE_STEP, "operation", "fresh", value=False),
    "an mbr": at("steps", TABLE_STEP, "operation", "table", value="mbr"),
}
UNSAID = {
    "another command",
    "a sentence that lies",
    "a sentence left empty",
    "nothing destroyed, it says",
    "no seconds",
}
"""What schema 1 had a place for, and what nobody believes any more."""


@pytest.mark.parametrize("change", HOSTILE.values(), ids=HOSTILE.keys())
def test_carefully_edited_plan_is_refused(change: Callable[[Body], None]) -> None:
    with pytest.raises(BadInput, match=r"^plan\.json") as caught:
        PLANS.read(redigested(PLAN, change), "plan.json")
    assert str(caught.value).isprintable()


def test_document_omits_derived_effects_and_readers_compute_them() -> None:
    lying = replace(PLAN, steps=tuple(replace(step, sentence="Do nothing.", holds=()) for step in PLAN.steps))
    assert PLANS.render(lying) == TEXT and PLANS.read(TEXT, "plan.json") == PLAN
    for step in PLAN.steps:
        assert step.sentence and step.sentence not in TEXT and step.commands[:1] != ((),)


def test_plan_is_the_same_in_every_language(monkeypatch: pytest.MonkeyPatch) -> None:
    def planned() -> Plan:
        secret = replace(spec("ext4", mount_point="/srv/a"), encrypted=True)
        return plan_for(OTHER, secret, mode=Mode.REPLACE)

    plan = planned()
    monkeypatch.setattr(Language, "one", staticmethod(lambda english: f"Wahrlich: {english}"))
    text = PLANS.render(planned())
    assert planned() != plan and text == PLANS.render(plan) and "Wahrlich" not in text
    assert any(step.sentence.startswith("Wahrlich") for step in PLANS.read(text, "plan.json").steps)
    monkeypatch.undo()
    assert PLANS.read(text, "plan.json") == plan and all(isinstance(doubt, Message) for doubt in plan.doubts)
    assert LOST in plan.doubts and plan.before.waiting


def test_programs_see_derived_fields_but_cannot_apply_them() -> None:
    shown = PLANS.render_shown(PLAN)
    body = json.loads(shown)
    assert body["schema"] == "diskwright.plan-shown/2"
    assert [step["sentence"] for step in body["steps"]] == [step.sentence for step in PLAN.steps]
    with pytest.raises(BadInput, match=r"is a diskwright\.plan-shown/2, not a diskwright\.plan"):
        PLANS.read(shown, "plan.json")


@pytest.mark.parametrize("plan", [PLAN, KEEPING])
def test_run_of_an_earlier_version_continues_in_current_words(plan: Plan) -> None:
    first = as_first_written(plan, lambda body: None)
    assert PLANS.read_kept(first, "plan.json") == plan == PLANS.read_kept(PLANS.render(plan), "plan.json")
    with pytest.raises(
        BadInput, match=r"^plan\.json was created by an earlier version of diskwright\. Create the"
    ):
        PLANS.read(first, "plan.json")


@pytest.mark.parametrize("name", [name for name in HOSTILE if name not in UNSAID])
def test_impossible_plan_of_an_earlier_version_is_refused(name: str) -> None:
    with pytest.raises(BadInput, match=r"^plan\.json"):
        PLANS.read_kept(as_first_written(PLAN, HOSTILE[name]), "plan.json")


@pytest.mark.parametrize(
    "steps", [None, {}, "x", [None], [[]], [{}], [{"operation": None}], [{"sentence": ""}]]
)
def test_steps_of_another_shape_are_refused(steps: object) -> None:
    with pytest.raises(BadInput, match=r"^plan\.json"):
        PLANS.read_kept(as_first_written(PLAN, at("steps", value=steps)), "plan.json")
