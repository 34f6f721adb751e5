"""Made-up wishes and plans for the tests of the layout."""

from itertools import cycle
from uuid import UUID

from msgspec.structs import replace

from tests.unit.machines import E512, KN4, N512, TOOLS, machine
from tests.unit.pages import page_lines
from wizard.cli.start import page_of
from wizard.filesystems.registry import MADE
from wizard.model.advice import Choice, Option, Rank, Workload
from wizard.model.geometry import Geometry
from wizard.model.machine import Drive
from wizard.model.said import KIB, MIB
from wizard.operations.operation import Context
from wizard.plan.derive import Places, derived_from
from wizard.plan.plan import Plan, PlanOperation, steps_of
from wizard.plan.planner import make_plan
from wizard.plan.request.plan_request import Mode, NewVolumes
from wizard.plan.request.volume_request import VolumeSpec

UUIDS = tuple(
    str(UUID(int=0x10000000_0000_4000_8000_000000000000 + number * (1 + (1 << 96)))) for number in range(1, 9)
)

GEOMETRIES = (
    N512,
    E512,
    KN4,
    Geometry(512, 4096, 3584, 4096, 0),
    Geometry(512, 512, 0, 64 * KIB, 192 * KIB),
    Geometry(512, 4096, 0, 512 * KIB, 1536 * KIB),
    Geometry(4096, 4096, 0, 64 * KIB, 256 * KIB),
    Geometry(512, 512, 0, 512, 33553920),
    Geometry(512, 4096, 0, 4096, 0xFFFF * 4096),
    Geometry(512, 4096, 0, 4096, 5 * MIB),
    Geometry(512, 4096, 0, 4096, 48 * MIB),
    Geometry(512, 4096, -1, 4096, 0),
    Geometry(512, 16 * KIB, 0, 16 * KIB, 128 * KIB),
)
"""512n, 512e, 4Kn; an alignment offset; RAID's chunk and stripe, also of no power of two; bogus and odd
optimal sizes; a bad stack."""


def choice(filesystem: str, mkfs: tuple[str, ...] = (), mount: tuple[str, ...] = ("noatime",)) -> Choice:
    """A filesystem that was chosen, with these options."""
    options = (
        tuple(Option(text, "because") for text in mkfs),
        tuple(Option(text, "because") for text in mount),
    )
    return Choice(filesystem, Rank.RECOMMENDED, "It suits.", (), *options, None)


def spec(
    filesystem: str,
    *,
    size_bytes: int | None = None,
    label: str | None = None,
    mount_point: str | None = None,
) -> VolumeSpec:
    """A wish for large media."""
    workload = Workload(
        "large-media", "Large media files", "Long runs.", "profiles/workloads/large-media.toml", "media"
    )
    options = ("noatime",) if MADE[filesystem].mounts else ()
    return VolumeSpec(choice(filesystem, mount=options), workload, size_bytes, label, mount_point)


def plan_for(on: Drive, *specs: VolumeSpec, mode: Mode | None = None) -> Plan:
    """The plan with UUIDs that are the same every time."""
    source = cycle(UUIDS)
    return make_plan(machine(on, tools=EVERYTHING), (on,), NewVolumes(specs, mode), lambda: next(source))


EVERYTHING = tuple(
    (name, f"/usr/sbin/{name}")
    for name in (
        *(*TOOLS, "blkzone", "mdadm", "pvcreate", "vgcreate", "lvcreate", "lvs", "cryptsetup", "ntfsresize"),
        *(name for kind in MADE.values() for name in kind.programs),
    )
)
"""All programs that any plan needs."""


def kinds_of(plan: Plan) -> list[str]:
    """The kinds of a plan's operations, in their order."""
    return [step.operation.kind for step in plan.steps]


def rederived(plan: Plan, places: Places) -> Plan:
    """The plan with everything derived from it and these places, like an attacker who knows the code."""
    afters, operations = derived_from(plan, places)
    first, *others = (
        replace(member, after=after) for member, after in zip(plan.members, afters, strict=True)
    )
    changed = replace(plan, after=first.after, others=tuple(others))
    return with_operations(changed, operations)


def with_operations(plan: Plan, operations: tuple[PlanOperation, ...]) -> Plan:
    """The plan with other operations, shown as the planner would show them."""
    context = Context(plan.drive, plan.before, plan.after, plan.others)
    return replace(plan, steps=steps_of(operations, context))


def plan_page(plan: Plan, width: int = 80) -> list[str]:
    """Return the plan as `diskwright show` prints it."""
    return page_lines(page_of(plan), width)
