"""Form for a volume."""

from collections.abc import Iterator

from msgspec.structs import asdict, replace

from wizard.advice.request import Taken
from wizard.filesystems.registry import MADE, title_of
from wizard.model import layout
from wizard.model.advice import Choice, Workload
from wizard.model.errors import BadInput, DiskwrightError, why_not
from wizard.model.said import t
from wizard.plan.request import volume_request
from wizard.plan.request.plan_request import Mode
from wizard.plan.request.roles import ROLES, SYSTEM_WORKLOAD, Role, usual_bytes
from wizard.plan.request.using import with_usual_place
from wizard.plan.request.volume_request import parse_subvolumes, subvolume_written
from wizard.plan.request.wanted import advice_in_role
from wizard.ui import draft, messages
from wizard.ui import view as ui
from wizard.ui.components.plan_rows import rating
from wizard.ui.desk import Desk, Screen

PURPOSE, FILESYSTEM, SIZE, LABEL, MOUNT, SWAP = "purpose", "filesystem", "size", "label", "mount", "swap"
WRITER, WRITER_NAME, ROLE, ENCRYPTION = "writer", "writer-name", "role", "encryption"
SUBVOLUMES = "subvolumes"
SET_BY_ROLE = (PURPOSE, SIZE, MOUNT, SWAP)
OTHER = "other:"
"""Value of `WRITER` for a user or group typed by name. User names have no colon."""
LUKS = "luks2"


class VolumeEditor(Screen):
    """Form with every property of volume `index` of the session, or of an additional one."""

    place = "volume"
    title = t("Volume")
    actions = (ui.Action("take", "enter", messages.USE),)
    help = (
        t(
            "Size: empty or rest for all remaining space. 500G and 500GiB are powers of 1024. 750GB is as on "
            "the drive's box. 30% is a share of the total space."
        ),
        t(
            "Role: the function of the volume in a system that boots from this drive. Such a volume is "
            "mounted only if you name a mount point. Only root can write there."
        ),
        t(
            "Encryption: LUKS2 encrypts the whole volume. Every boot asks for the passphrase. If you lose "
            "the passphrase, you lose the data."
        ),
    )

    def __init__(self, desk: Desk, index: int) -> None:
        super().__init__(desk)
        session = self.session
        self.about = session.on_drive
        self._index, self._new = index, index == len(session.specs)
        if self._new:
            session = draft.with_spec(session, index, draft.default_spec(session, draft.usual_taken(session)))
        self._spec = spec = session.specs[index]
        self._writers = {
            written(one): one for one in (self.services.usual().caller, layout.EVERYONE, layout.ROOT)
        }
        self._values = self._values_of(spec)
        self._usual = dict(self._values)
        self._aside = {key: self._usual[key] for key in SET_BY_ROLE}
        self._choices = self._choices_for(spec.workload.id, spec.role)
        self._roles_refused = {role: self._role_refusal(role) for role in ROLES}
        self._encryption_refused = self._encryption_refusal()

    def _fields(self) -> Iterator[ui.Field]:
        purposes = (ui.Offer(one.workload.id, one.workload.title) for one in self.services.profiles)
        yield self._field(PURPOSE, ui.ScreenStep.PURPOSE.shown, offers=tuple(purposes))
        able = (
            ui.Offer(one.filesystem, f"{title_of(one.filesystem)}: {rating(one).text}") for one in self._able
        )
        none = (ui.Offer("", messages.NONE),)
        yield self._field(FILESYSTEM, messages.FIRST(what=messages.FILESYSTEM), offers=tuple(able) or none)
        yield self._field(SIZE, messages.SIZE, t("all the rest, or 500G, 750GB, 30%"))
        yield self._field(LABEL, t("Label"), t("{label} if empty", label=self._content.label))
        if self._mounts:
            yield self._field(MOUNT, t("Mount point"), t("none, or e.g. /srv/media"))
        else:
            offers = (ui.Offer("", t("manually")), ui.Offer(layout.NO_PLACE, messages.AT_BOOT))
            yield self._field(SWAP, t("Activate"), offers=offers)
        if self._has_writers:
            known = (ui.Offer(name, writer.shown) for name, writer in self._writers.items())
            writers = (*known, ui.Offer(OTHER, t("other user")))
            yield self._field(WRITER, messages.WHO_MAY_WRITE, offers=writers)
            if self._values[WRITER] == OTHER:
                yield self._field(WRITER_NAME, messages.NAME, t("user or group:NAME"))
        roles = (ui.Offer(name, role.title, self._roles_refused[name]) for name, role in ROLES.items())
        yield self._field(ROLE, t("Role"), offers=(ui.Offer("", t("none: use the purpose")), *roles))
        plain = ui.Offer("", messages.NONE)
        luks = ui.Offer(LUKS, t("LUKS2: passphrase at every boot"), self._encryption_refused)
        yield self._field(ENCRYPTION, t("Encryption"), offers=(plain, luks))
        if (kind := MADE.get(self._values[FILESYSTEM])) and kind.subvolumes:
            yield self._field(SUBVOLUMES, t("Subvolumes"), t("none, or e.g. @:/mnt/new, @snapshots"))

    def _field(
        self, key: str, caption: ui.Text, hint: ui.Text = "", offers: tuple[ui.Offer, ...] = ()
    ) -> ui.Field:
        return ui.Field(key, caption, self._values[key], hint, offers=offers)

    def _panes(self) -> ui.Panes:
        said: list[ui.Block] = [ui.para(self._content.summary)]
        if choice := self._choice:
            said += [ui.GAP, ui.heading(f"{title_of(choice.filesystem)}:", choice.sentence)]
        yield ui.Pane(self._content.title, tuple(said))

    @property
    def _able(self) -> tuple[Choice, ...]:
        return tuple(choice for choice in self._choices if not choice.obstacles)

    @property
    def _choice(self) -> Choice | None:
        return next((one for one in self._able if one.filesystem == self._values[FILESYSTEM]), None)

    @property
    def _workload(self) -> Workload:
        return self.services.profile(self._values[PURPOSE]).workload

    @property
    def _content(self) -> Role | Workload:
        return ROLES.get(self._values[ROLE]) or self._workload

    @property
    def _mounts(self) -> bool:
        kind = MADE.get(self._values[FILESYSTEM])
        return not kind or kind.mounts

    @property
    def _has_writers(self) -> bool:
        return self._mounts and not self._values[ROLE]

    def _values_of(self, spec: volume_request.VolumeSpec) -> dict[str, str]:
        writer, swaps = written(spec.writer), spec.mount_point == layout.NO_PLACE
        return {
            PURPOSE: spec.workload.id,
            FILESYSTEM: spec.choice.filesystem,
            SIZE: volume_request.size_written(spec),
            LABEL: spec.label or "",
            MOUNT: "" if swaps else spec.mount_point or "",
            SWAP: layout.NO_PLACE if swaps else "",
            WRITER: writer if writer in self._writers else OTHER,
            WRITER_NAME: "" if writer in self._writers else writer,
            ROLE: spec.role,
            ENCRYPTION: LUKS if spec.encrypted else "",
            SUBVOLUMES: ", ".join(map(subvolume_written, spec.subvolumes)),
        }

    def _choices_for(self, purpose: str, role: str) -> tuple[Choice, ...]:
        size_bytes = usual_bytes(role, self.session.machine.memory_bytes)
        return advice_in_role(self.session.advise(purpose, size_bytes), role).choices

    def _role_refusal(self, role: str) -> str:
        choices = self._choices_for(SYSTEM_WORKLOAD, role)
        if not all(choice.obstacles for choice in choices):
            return ""
        return f"{ROLES[role].title}: {' '.join(why for choice in choices for why in choice.obstacles)}"

    def _encryption_refusal(self) -> str:
        """Return the planner's reason against encryption, or empty if the plain volume is also refused."""
        try:
            spec = self._read()
        except DiskwrightError:
            return ""
        plain = why_not(self._plan, replace(spec, encrypted=False))
        return "" if plain else why_not(self._plan, replace(spec, encrypted=True))

    def turned(self, field: str, values: ui.Values) -> None:
        """Rank the filesystems again if purpose or role changed. Preserves typed values."""
        before = self._values
        self._values = {**before, **values}
        self.tell("")
        if field == ROLE:
            # Set purpose, filesystem, size and mount point of a role, or restore them if no role is set.
            role = self._values[ROLE]
            if not before[ROLE]:
                self._aside = {key: self._values[key] for key in SET_BY_ROLE}
            if refusal := self._roles_refused.get(role, ""):
                self.warn(refusal)
            else:
                given = self._aside
                if role:
                    size_bytes = usual_bytes(role, self.session.machine.memory_bytes)
                    size = volume_request.size_text(size_bytes) if size_bytes else self._usual[SIZE]
                    given = {PURPOSE: SYSTEM_WORKLOAD, SIZE: size, MOUNT: "", SWAP: ""}
                self._values |= given
                self._rank()
        elif field == PURPOSE:
            self._rank()
            self._propose()
        self._encryption_refused = self._encryption_refusal()
        if field == ENCRYPTION and self._values[ENCRYPTION] and self._encryption_refused:
            self.warn(self._encryption_refused)

    def _rank(self) -> None:
        """Rank the filesystems for purpose and role, and select the best one.

        For the original purpose and role, select the original filesystem.
        """
        purpose, role = self._values[PURPOSE], self._values[ROLE]
        self._choices = self._choices_for(purpose, role)
        names = [choice.filesystem for choice in self._able]
        was = self._spec.choice.filesystem
        same = (purpose, role) == (self._spec.workload.id, self._spec.role) and was in names
        self._values[FILESYSTEM] = was if same else next(iter(names), "")

    def _propose(self) -> None:
        drive, keys = self.session.drive, (MOUNT, WRITER)
        if not self._new or any(self._values[key] != self._usual[key] for key in keys):
            return
        try:
            spec = replace(self._read(), mount_point=None, writer=layout.ROOT)
        except DiskwrightError:
            return
        others = [one for one in self.session.specs if one is not self._spec]
        usual = self._values_of(with_usual_place(spec, drive, self.services.usual(), others))
        self._usual |= {key: usual[key] for key in keys}
        self._values |= {key: usual[key] for key in keys}

    def act_take(self) -> None:
        self._values = {**self._values, **self.values}
        spec = self._read()
        self._plan(spec)
        self.desk.session = draft.with_spec(self.session, self._index, spec)
        self.desk.back()
        self.desk.screen.moved(str(self._index))

    def _plan(self, spec: volume_request.VolumeSpec) -> None:
        session = draft.with_spec(self.session, self._index, spec)
        if session.mode is None and session.part is None:
            session = replace(session, mode=Mode.REPLACE)
        draft.planned(session)

    def _read(self) -> volume_request.VolumeSpec:
        was, values, choice = self._spec, self._values, self._choice
        if refusal := self._roles_refused.get(values[ROLE], ""):
            raise BadInput(refusal)
        if choice is None:
            raise BadInput(t("No filesystem for this purpose can be created here."))
        asked = (values[PURPOSE], choice.filesystem, values[ROLE])
        same = asked == (was.workload.id, was.choice.filesystem, was.role)
        size_bytes, percent = volume_request.parse_share(values[SIZE].strip() or volume_request.REST)
        place = _unless_none(values[MOUNT]) if self._mounts else values[SWAP] and layout.NO_PLACE
        writer = layout.ROOT
        if self._has_writers:
            name = values[WRITER_NAME].strip() if values[WRITER] == OTHER else values[WRITER]
            if not name:
                raise BadInput(t("Enter who may write: a user name or group:NAME."))
            # The original writer may be unknown to this machine.
            known = {**self._writers, written(was.writer): was.writer}
            writer = known.get(name) or self.services.writer_named(name)
        subvolumes = _unless_none(values[SUBVOLUMES]) if MADE[choice.filesystem].subvolumes else ""
        # Preserve custom options unless purpose, filesystem or role changed.
        return replace(
            was if same else replace(was, **asdict(Taken(choice))),
            workload=self._workload,
            size_bytes=size_bytes,
            percent=percent,
            label=values[LABEL].strip() or None,
            mount_point=place or None,
            role=values[ROLE],
            encrypted=bool(values[ENCRYPTION]),
            subvolumes=parse_subvolumes(subvolumes),
            writer=writer,
        )


def written(writer: layout.Writer) -> str:
    """Return the name of a writer in the format of `writer_named`."""
    return {"person": writer.name, "group": f"group:{writer.name}"}.get(writer.kind, writer.kind)


def _unless_none(text: str) -> str:
    return "" if text.strip().lower() == layout.NO_PLACE else text.strip()
