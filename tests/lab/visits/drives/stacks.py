"""Job: the report about stacks of layers matches the kernel, the partitioning tools and each layer's
tools."""

import json
import re
import sys
from collections.abc import Iterator, Sequence
from time import monotonic

from msgspec.structs import replace

from tests.lab.drives.fleet import MIB, EmulatedDrive, Fleet
from tests.lab.drives.layers import STACK_FLEET, STACKS, STRIPE, TORN, Luks, Lvm, Made, Md, Stack
from tests.lab.drives.masonry import Built, build, kernels_node, lay_out, take_down
from tests.lab.errands.visit import Visit
from tests.lab.guest.inside import SLOW, node_of, shown, sysfs, tool
from tests.lab.visits.drives.portraits import PLACE
from wizard.documents.codec import from_json, render_document, to_json
from wizard.findings.diagnose import diagnose
from wizard.findings.places import DriveStart, place_of
from wizard.model.errors import partition_path
from wizard.model.finding import Finding, Severity
from wizard.model.machine import Drive, Machine, Signature
from wizard.model.run import Check
from wizard.probe.facts import SCHEMA, RawMachine
from wizard.probe.interpret import machine_of
from wizard.probe.machine import survey
from wizard.process.program import run

PATIENCE = 120.0
SECTOR_BYTES = 512
MODULES = ("raid0", "raid1", "raid456", "dm_mod", "dm_crypt", "ext4", "xfs")


def stacks(fleet: Fleet) -> Iterator[Check]:
    """Build all stacks, inspect, compare, remove them, and inspect again."""
    begun = monotonic()
    paths = {drive.name: node_of(drive) for drive in fleet.drives}
    for module in MODULES:
        tool("modprobe", module)
    everything = lay_out(fleet, paths, STACKS)
    for built in everything:
        build(built)
    print(f"built after {monotonic() - begun:.0f} s", file=sys.stderr)
    raw = survey(tuple(paths.values()), seconds=PATIENCE)
    _keep(raw, "opened")
    machine = machine_of(raw)
    print(f"looked at after {monotonic() - begun:.0f} s", file=sys.stderr)
    yield _is_replayed(raw, machine)
    yield from _unread(machine)
    findings = findings_of(machine)
    for built in everything:
        yield as_expected(built.stack, built.partitions, machine, findings, "opened")
        yield from _as_the_kernel_sums(built, machine)
        yield from _as_its_tools_say(built, machine)
    for drive in fleet.drives:
        yield from _as_partitioners_say(drive, paths[drive.name], machine)
    yield _as_lsblk_says(machine)
    yield from _bogus_is_explained(paths["bogus"], findings)
    misfit = next(built for built in everything if built.stack.name == "md0-misfit")
    yield _remedy_works(misfit, paths, machine, findings)
    print(f"compared after {monotonic() - begun:.0f} s", file=sys.stderr)
    for built in reversed(everything):
        take_down(built)
    raw = survey(tuple(paths.values()), seconds=PATIENCE)
    _keep(raw, "closed")
    machine = machine_of(raw)
    findings = findings_of(machine)
    left = [layer.path for drive in machine.drives for layer in drive.layers]
    yield Check("closed: no layer is left", not left, shown(left))
    for built in everything:
        yield as_expected(built.stack, built.partitions, machine, findings, "closed")
    yield from _bogus_is_believed(paths["bogus"], findings)


def _keep(raw: RawMachine, name: str) -> None:
    """Store the facts for the lab, for a recording."""
    PLACE.mkdir(exist_ok=True)
    mounts = tuple(mount for mount in raw.graph.mounts if mount.own)
    kept = replace(raw, boot_id=None, graph=replace(raw.graph, mounts=mounts))
    (PLACE / f"{name}.json").write_text(render_document(SCHEMA, to_json(kept)), encoding="utf-8")


def _by_path(machine: Machine) -> dict[str, Drive]:
    return {drive.path: drive for drive in machine.drives}


def _is_replayed(raw: RawMachine, machine: Machine) -> Check:
    again = machine_of(from_json(json.loads(json.dumps(to_json(raw))), RawMachine, "the recording"))
    return Check("the recorded facts give the same machine", again == machine, "the machines differ")


def _unread(machine: Machine) -> Iterator[Check]:
    said = [
        f"{drive.path}: {one.what}: {one.why}"
        for drive in machine.drives
        for one in drive.unread
        if one.what != "smart"
    ]
    yield Check("every layer is read", not said, shown(said))


def findings_of(machine: Machine) -> tuple[Finding, ...]:
    """Return all findings of all drives."""
    return tuple(one for drive in machine.drives for one in diagnose(machine, drive, ()).findings)


def about(partitions: Sequence[str], machine: Machine, findings: Sequence[Finding]) -> list[Finding]:
    """Return the alignment findings about the partitions and the layers on them."""
    nodes = set(partitions)
    while (
        more := {layer.path for drive in machine.drives for layer in drive.layers if layer.below in nodes}
        - nodes
    ):
        nodes |= more
    return [one for one in findings if one.code.startswith("alignment-") and one.subject in nodes]


def as_expected(
    stack: Stack, partitions: Sequence[str], machine: Machine, findings: Sequence[Finding], state: str
) -> Check:
    """Check the codes expected for the stack while `opened` or `closed`."""
    wanted = sorted(stack.opened if state == "opened" else stack.closed)
    found = about(partitions, machine, findings)
    codes = sorted({f"{one.code}: {one.severity}" if one.code == STRIPE else one.code for one in found})
    return Check(
        f"{stack.name} ({state}): {', '.join(wanted)}",
        codes == wanted,
        f"{codes}: {[str(one.sentence) for one in found]}",
    )


def _everything(place: DriveStart) -> Iterator[DriveStart]:
    """Yield a place and all inside."""
    yield place
    for inner in place.within:
        yield from _everything(inner)


def _as_the_kernel_sums(built: Built, machine: Machine) -> Iterator[Check]:
    """Compare each node's alignment_offset with the sum of all offsets below, on each of its drives."""
    torn = TORN in built.stack.opened
    wrong = []
    for name, path in built.bases:
        drive = next(drive for drive in machine.drives if any(part.path == path for part in drive.partitions))
        part, geometry = drive.partition(path), drive.geometry
        assert part is not None and geometry is not None
        places = list(_everything(place_of(drive, geometry, part)))
        wrong += [
            f"{place.name} on {name}: the sum is not known" for place in places if place.start_bytes is None
        ]
        for place in places:
            if str(place.name).startswith("the data of "):
                continue
            kernels = int(sysfs(kernels_node(place.device), "alignment_offset"))
            if kernels < 0 and torn:
                continue
            if kernels < 0 or kernels % geometry.physical_block_bytes != place.off_bytes:
                wrong.append(f"{place.name} on {name}: the kernel says {kernels}, the sum {place.off_bytes}")
        reached = {kernels_node(place.device) for place in places}
        wrong += [f"{node} is not reached from {name}" for node in built.nodes if node not in reached]
    yield Check(f"{built.stack.name}: offsets match the kernel's alignment_offset", not wrong, shown(wrong))


def _as_its_tools_say(built: Built, machine: Machine) -> Iterator[Check]:
    """Compare with the numbers that each layer's own tool reads from its superblock."""
    below = [path for _, path in built.bases]
    nodes = list(built.nodes)
    for step in built.stack.steps:
        marks = [_mark(machine, path) for path in below]
        match step:
            case Md():
                yield _mdadm(built, step, below, marks)
                below = [nodes.pop(0)]
            case Luks():
                yield _luks_dump(built, below[0], marks[0])
                below = [nodes.pop(0)]
            case Lvm():
                yield _pvs(built, below, marks)
                below = [nodes.pop(0)]
            case Made():
                yield _filesystem(built, step, below[0], marks[0])


def _mark(machine: Machine, node: str) -> Signature:
    """Return the only signature on a partition or layer."""
    for drive in machine.drives:
        for part in drive.partitions:
            if part.path == node:
                return part.signatures[0]
        for layer in drive.layers:
            if kernels_node(layer.path) == node:
                return layer.signatures[0]
    raise AssertionError(f"The wizard knows nothing of {node}.")


def _mdadm(built: Built, step: Md, below: list[str], marks: list[Signature]) -> Check:
    wanted, seen = [], []
    for path, mark in zip(below, marks, strict=True):
        said = tool("mdadm", "-E", path)
        offset = re.search(r"Data Offset : (\d+) sectors", said)
        chunk = re.search(r"Chunk Size : (\d+)K", said)
        wanted.append(
            (
                int(offset[1]) * SECTOR_BYTES if offset else 0,
                int(chunk[1]) * 1024 if chunk and step.level != 1 else None,
            )
        )
        seen.append((mark.data_offset_bytes, mark.striping.unit_bytes if mark.striping else None))
    return Check(
        f"{built.stack.name}: data offset and chunk match mdadm -E",
        wanted == seen,
        f"{seen}, mdadm: {wanted}",
    )


def _luks_dump(built: Built, below: str, mark: Signature) -> Check:
    said = tool("cryptsetup", "luksDump", below)
    sectors, in_bytes = (
        re.search(r"Payload offset:\s+(\d+)", said),
        re.search(r"offset: (\d+) \[bytes\]", said),
    )
    told = int(sectors[1]) * SECTOR_BYTES if sectors else int(in_bytes[1]) if in_bytes else None
    return Check(
        f"{built.stack.name}: payload offset matches cryptsetup luksDump",
        told == mark.data_offset_bytes,
        f"{mark}, cryptsetup: {told}",
    )


def _pvs(built: Built, below: list[str], marks: list[Signature]) -> Check:
    only = ("--devices", ",".join(below))
    said = tool("pvs", *only, "--units", "b", "--nosuffix", "--noheadings", "-o", "pv_name,pe_start", *below)
    told = {line.split()[0]: int(line.split()[1]) for line in said.splitlines() if line.strip()}
    seen = {path: mark.data_offset_bytes for path, mark in zip(below, marks, strict=True)}
    return Check(f"{built.stack.name}: first extent matches pvs", told == seen, f"{seen}, pvs: {told}")


def _filesystem(built: Built, step: Made, node: str, mark: Signature) -> Check:
    if step.kind == "xfs":
        said = tool("xfs_db", "-r", "-c", "sb 0", "-c", "p blocksize unit width", node)
        block, unit, width = (
            int(re.search(rf"{key} = (\d+)", said)[1])  # type: ignore[index]
            for key in ("blocksize", "unit", "width")
        )
    else:
        said = tool("dumpe2fs", "-h", node)
        found = [
            re.search(rf"{key}:\s+(\d+)", said) for key in ("Block size", "RAID stride", "RAID stripe width")
        ]
        block, unit, width = (int(match[1]) if match else 0 for match in found)
    told = (unit * block, width * block)
    seen = (mark.striping.unit_bytes, mark.striping.width_bytes) if mark.striping else (0, 0)
    return Check(
        f"{built.stack.name}: stripe sizes match the tool for {step.kind}",
        told == seen,
        f"{seen}, the tool: {told}",
    )


def _as_partitioners_say(drive: EmulatedDrive, path: str, machine: Machine) -> Iterator[Check]:
    """Compare with fdisk's warnings and parted's check. On the drive with the bogus optimal size, parted
    is wrong, as the finding says."""
    known = _by_path(machine)[path]
    geometry = known.geometry
    assert geometry is not None
    said = run(["fdisk", "-l", path], seconds=SLOW)
    complaints = {
        int(number)
        for number in re.findall(r"Partition (\d+) does not start on physical sector boundary", said.errors)
    }
    off = {part.number for part in known.partitions if geometry.misalignment_bytes(part.start_bytes)}
    yield Check(
        f"{drive.name}: fdisk warns about the same partitions",
        complaints == off,
        f"{off}, fdisk: {complaints}",
    )
    bogus = drive.optimal_io_bytes is not None
    asked = [(part, kind) for part in known.partitions for kind in ("minimal", "optimal")]
    answers = tool(
        "parted", path, *(word for part, kind in asked for word in ("align-check", kind, str(part.number)))
    ).splitlines()
    wrong = [] if len(answers) == len(asked) else ["an answer is missing"]
    for (part, kind), answer in zip(asked, answers, strict=False):
        grain = (drive.optimal_io_bytes or MIB) if kind == "optimal" else geometry.granularity_bytes
        aligned = (part.start_bytes - geometry.alignment_offset_bytes) % grain == 0
        if answer.startswith(f"{part.number} not aligned") == aligned:
            wrong.append(f"{part.path} {kind}: parted says {answer}")
    name = "parted aligns to the bogus size" if bogus else "parted reports the same partitions as aligned"
    yield Check(f"{drive.name}: {name}", not wrong, shown(wrong))


def _bogus_is_explained(path: str, findings: Sequence[Finding]) -> Iterator[Check]:
    """Check that the partition at 1 MiB is aligned, unlike parted's optimal check says, and that LVM's
    data is misaligned."""
    why = next(str(one.why) for one in findings if one.code == "geometry-optimal-io-bogus")
    parted = run(["parted", "-s", path, "align-check", "optimal", "1"], seconds=SLOW, accept=(0, 1))
    yield Check(
        "bogus: parted calls 1 MiB not aligned, as the finding explains",
        parted.status == 1 and "1 MiB as not aligned" in why,
        why,
    )


def _bogus_is_believed(path: str, findings: Sequence[Finding]) -> Iterator[Check]:
    """Check where parted and sfdisk place a partition by default, as the finding says. Destroys the
    drive's partitions."""
    why = next(str(one.why) for one in findings if one.code == "geometry-optimal-io-bogus")
    said = tool("parted", "-s", path, "mklabel", "gpt", "mkpart", "first", "0%", "50%", "unit", "s", "print")
    begun = re.search(r"^ 1 +(\d+)s ", said, re.MULTILINE)
    optimal = int(sysfs(path, "queue/optimal_io_size"))
    yield Check(
        "bogus: parted starts at the optimal I/O size, as the finding explains",
        begun is not None
        and int(begun[1]) * SECTOR_BYTES == optimal
        and "parted wrongly uses this value" in why,
        f"{optimal} bytes: {why} {said}",
    )
    run(["sfdisk", "-q", "--wipe", "always", path], seconds=SLOW, stdin=b"label: gpt\n,\n")
    start = int(sysfs(partition_path(path, 1), "start")) * SECTOR_BYTES
    yield Check(
        "bogus: sfdisk starts at 1 MiB, as the finding explains",
        start == MIB and "sfdisk ignore this value" in why,
        f"{start}",
    )


def _as_lsblk_says(machine: Machine) -> Check:
    """Compare with lsblk's ALIGNMENT of every partition and layer."""
    told: dict[str, int] = {}

    def walk(devices: list[dict[str, object]]) -> None:
        for device in devices:
            alignment, children = device["alignment"], device.get("children", [])
            assert isinstance(alignment, int) and isinstance(children, list)
            told[str(device["path"])] = alignment
            walk(children)

    walk(json.loads(tool("lsblk", "-J", "-o", "PATH,ALIGNMENT"))["blockdevices"])
    seen = {
        layer.path: layer.geometry.alignment_offset_bytes
        for drive in machine.drives
        for layer in drive.layers
        if layer.geometry
    }
    wrong = {path: (value, told.get(path)) for path, value in seen.items() if told.get(path) != value}
    return Check(f"ALIGNMENT in lsblk matches for {len(seen)} layers", bool(seen) and not wrong, shown(wrong))


def _remedy_works(
    built: Built, paths: dict[str, str], machine: Machine, findings: Sequence[Finding]
) -> Check:
    """Run the command of the finding about stripes. The finding must become good."""
    before = next(one for one in about(built.partitions, machine, findings) if one.code == STRIPE)
    (command,) = before.commands
    tool(*command.argv)
    again = machine_of(survey((paths[built.bases[0][0]],), seconds=PATIENCE))
    stripes = [
        one.severity for one in about(built.partitions, again, findings_of(again)) if one.code == STRIPE
    ]
    good = before.severity is Severity.WARNING and stripes == [Severity.OK]
    return Check(
        f"{built.stack.name}: `{command.text}` fixes the finding", good, f"{before.severity}, then {stripes}"
    )


JOBS = {"stacks": stacks}

VISITS = (
    Visit(
        "stacks of md, LVM, LUKS and filesystems, aligned and misaligned",
        STACK_FLEET,
        ("stacks",),
        seconds=900,
        udev=False,
    ),
)
