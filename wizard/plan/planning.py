"""What every plan needs: the drives and facts to plan with, its volumes, and the finished plan. Pure."""

from collections.abc import Callable, Sequence

from msgspec.structs import replace

from wizard.advice.request import ON_SYSTEM, mkfs_words
from wizard.filesystems.registry import MADE
from wizard.findings import contents
from wizard.model import layout
from wizard.model.errors import BadInput, FrozenStruct, Refused, partition_path
from wizard.model.finding import Recording
from wizard.model.machine import Drive, Extent, Machine
from wizard.model.said import Message, Sentence, t
from wizard.operations.table import WipeSignatures
from wizard.plan import dangers, derive
from wizard.plan.plan import Plan, Step
from wizard.plan.refusals import unread_content
from wizard.plan.request.encryption import encryption_doubts, encryption_of
from wizard.plan.request.roles import volume_role
from wizard.plan.request.volume_request import VolumeSpec, volume_faults


class Planning(FrozenStruct):
    """Facts to plan with. `draw_uuid` returns a new lower-case UUID per call. `recordings`: conclusion of the
    findings about each drive. `arrays`: nodes of existing arrays."""

    machine: Machine
    drives: Sequence[Drive]
    draw_uuid: Callable[[], str]
    recordings: Sequence[Recording]
    arrays: Sequence[str]

    def volume(self, spec: VolumeSpec, number: int, place: Extent | None = None) -> layout.Volume:
        """Return the volume for a request on partition `number` of the first drive, in a container if
        encrypted. `place`: of the partition, unless shared. Raises Refused if the filesystem cannot be
        created here, BadInput for impossible properties."""
        choice, kind, drive = spec.choice, MADE[spec.choice.filesystem], self.drives[0]
        path = partition_path(drive.path, number)
        volume = layout.Volume(
            workload=spec.workload.id,
            partition=number,
            path=path,
            filesystem=choice.filesystem,
            uuid=kind.uuid_of(self.draw_uuid()),
            label=spec.final_label,
            mount_point=spec.mount_point,
            mkfs_options=mkfs_words(choice),
            mount_options=tuple(word for option in choice.mount for word in option.text.split(",")),
            subvolumes=spec.subvolumes,
            role=volume_role(spec.role, self.machine.kernel.architecture),
            writer=layout.ROOT if spec.role or not kind.mounts else spec.writer,
        )
        for _, sentence in volume_faults(volume, encrypted=spec.encrypted):
            raise BadInput(sentence)
        if danger := dangers.system_danger(volume):
            raise BadInput(ON_SYSTEM(option=danger))
        if choice.obstacles:
            cannot = Sentence("Cannot create {filesystem} here: {obstacles:row}")
            raise Refused(cannot(filesystem=choice.filesystem, obstacles=choice.obstacles))
        dangers.refuse_missing(self.machine, kind.makers)
        if not spec.encrypted:
            return volume
        # Groups and arrays refuse encryption before, and so do drives of unknown geometry.
        assert place is not None and drive.geometry is not None
        label, size_bytes = volume.label, place.size_bytes
        one = encryption_of(path, label, size_bytes, drive.geometry, self.draw_uuid(), spec.key)
        return replace(volume, path=one.opened, encryption=one)

    def finished(
        self,
        places: derive.Places,
        volumes: tuple[layout.Volume, ...] = (),
        *,
        stripe: layout.Stripe | None = None,
        group: layout.Group | None = None,
        part: int = 0,
    ) -> Plan:
        """Return the plan that follows from these decisions, with the doubts that apply to all plans."""
        kernel, shared, wipes = self.machine.kernel, list[Message](), list[WipeSignatures]()
        preserve = places.fresh is None and all(volume.partition for volume in volumes)
        members = []
        for drive in self.drives:
            before = dangers.layout_before(drive, preserve=preserve)
            if part and (volumes or not places.extents):
                before = derive.changing(before, part)
            kept = {slot.number for slot in before.partitions if slot.kept}
            lost = {part.path for part in drive.partitions if part.number not in kept}
            shared += contents.lost_with(self.machine, drive, lost if kept else lost | {drive.path})
            shared += dangers.esp_doubts(self.machine, drive, volumes, kept)
            shared += encryption_doubts(drive, volumes)
            if places.fresh:
                # Partitions without a kernel node cannot be accessed.
                without = {part.path for part in drive.partitions if part.kernel_start_bytes is None}
                known = derive.wipes_of(drive.path, before, unread_content(drive))
                wipes += (wipe for wipe in known if wipe.device not in without)
            members.append(layout.Member(dangers.known_identity(self.machine, drive), before, before))
        first, *others = members
        plan = Plan(
            first.drive, first.before, first.before, volumes, (), (), tuple(others), stripe, group, part
        )
        (after, *afters), operations = derive.derived_from(plan, replace(places, wipes=tuple(wipes)))
        doubts = (
            *(
                t("{drive}: {doubt}", drive=drive, doubt=doubt) if others else doubt
                for drive, recording in zip(self.drives, self.recordings, strict=True)
                for doubt in dangers.doubts_of(drive, recording, preserve=preserve)
            ),
            *([dangers.NO_LOOP(release=kernel.release)] if kernel.lacks("loop") else []),
            *shared,
            *dangers.forgotten_doubts(self.machine, operations),
        )
        return replace(
            plan,
            after=after,
            others=tuple(replace(member, after=one) for member, one in zip(others, afters, strict=True)),
            steps=tuple(map(Step, operations)),
            doubts=doubts,
        ).with_current_texts()


def with_doubts(plan: Plan, *doubts: Message | str) -> Plan:
    """Return the plan with further doubts."""
    return replace(plan, doubts=(*plan.doubts, *doubts))
