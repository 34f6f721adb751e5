"""Plan the requests of a command: diagnose the drives, resolve filesystems, writers and mount points."""

from collections.abc import Callable, Sequence

from msgspec.structs import replace

from wizard.findings.diagnose import diagnose
from wizard.findings.geometry import load_patterns
from wizard.model.machine import Drive, Machine
from wizard.plan.plan import Plan
from wizard.plan.planner import make_plan, new_uuid
from wizard.plan.raid.striping import FILESYSTEMS, room_bytes
from wizard.plan.request import using
from wizard.plan.request.plan_request import NewVolumes, Request
from wizard.plan.request.volume_request import VolumeRequest, VolumeSpec
from wizard.plan.request.wanted import spec_of
from wizard.probe.host.environment import writer_named


def plan_requested(
    machine: Machine,
    drives: Sequence[Drive],
    request: Request,
    volumes: Sequence[VolumeRequest] = (),
    usual: using.Usual = using.NO_USUAL,
    phrases: Sequence[str] = (),
    draw_uuid: Callable[[], str] = new_uuid,
    arrays: Sequence[str] = (),
) -> Plan:
    """Plan a request, to which these volumes are added. `usual`: defaults for missing values. `phrases`:
    confirmations typed. Other arguments are as in `make_plan`.

    Raises as `make_plan` does, and BadInput for an unknown writer.
    """
    recordings = [diagnose(machine, drive, load_patterns()).recording for drive in drives]
    if isinstance(request, NewVolumes):
        specs: tuple[VolumeSpec, ...] = ()
        for asked in volumes:
            fitting, room, possible = _fitted(asked, drives, request)
            spec = spec_of(machine, drives[0], recordings[0], fitting, phrases, room, possible)
            writer = None if asked.writable is None else writer_named(asked.writable)
            place = asked.mount_point
            specs += (using.with_usual_place(spec, drives[0], usual, specs, writer=writer, place=place),)
        request = replace(request, specs=specs)
    return make_plan(machine, drives, request, draw_uuid, recordings, arrays)


def _fitted(
    asked: VolumeRequest, drives: Sequence[Drive], request: NewVolumes
) -> tuple[VolumeRequest, int | None, tuple[str, ...]]:
    """Return the volume without a size if its place is given, with the size of this place and the possible
    filesystems, if limited."""
    stripe, part = request.arrangement.stripe, request.part
    if stripe:
        sizes = [drive.size_bytes or 0 for drive in drives]
        alone = replace(asked, size_bytes=None, percent=None, role="", rest=True)
        return alone, room_bytes(stripe.kind, stripe.level, sizes) or None, FILESYSTEMS[stripe.kind]
    if part:
        has_size = asked.size_bytes is not None or asked.percent is not None
        return replace(asked, rest=not has_size), part.size_bytes, ()
    return asked, None, ()
