"""The form for one volume."""

from collections.abc import Callable
from dataclasses import replace

from rich.text import Text
from textual import on
from textual.app import ComposeResult

from wizard.layout.wishes.roles import ROLES
from wizard.layout.wishes.subvolumes import parse_subvolumes, subvolumes_written
from wizard.layout.wishes.wish import REST, Wish, check_wishes, parse_share, size_written
from wizard.model.advice import Choice
from wizard.model.errors import BadInput, DiskwrightError
from wizard.model.names import printable
from wizard.services.contract import Services
from wizard.services.session import Session
from wizard.tui.dialogs.form import Form
from wizard.tui.widgets.controls import Cycle, Entry, Field, Offer, Turn
from wizard.tui.widgets.words import Prose

ENCRYPTION = (Offer("", "none"), Offer("luks2", "LUKS2: a passphrase at every start"))


class VolumeForm(Form[Wish]):
    """Purpose, filesystem, size, label, mount point, role, encryption, subvolumes. `check` raises the
    planner's reasons against a wish."""

    NAME = "A volume"
    TYPING = True
    HELP = """
One volume: a partition, the filesystem in it, and where it is mounted. Nothing is written by this form.

Purpose: what the volume will hold. It ranks the filesystems and proposes a label.

Filesystem: one that can be made here, with its place for the purpose: chosen, second or rejected. Step 3 has
the reasons.

Role: what the volume is to a system that starts from this drive. The partition gets the type by which
firmware and system find it, and the volume the filesystem and the size that are usual for it. Nothing of it
is mounted here unless you name a place.

Size: empty for all that is left. 500G and 500GiB are powers of 1024, 500GB is as on the drive's box, a power
of 1000. 30% is that share of all the room there is for volumes.

Label: a short name that is written into the filesystem. Empty for the one that the purpose proposes.

Mount point: the folder under which the files appear, such as /srv/media; also after every start, by a line in
/etc/fstab. Empty to mount it yourself. For swap, which has no folder, none turns it on now and at every
start.

Encryption: everything in the volume is written encrypted (LUKS2). Applying asks for the passphrase, and every
start does; whoever loses it loses the data.

Subvolumes: parts of a Btrfs, by name and behind a colon the folder where each is mounted, such as @:/mnt/new,
@home:/mnt/new/home. Without a folder it is made and mounted nowhere.

What cannot be is said below the fields when you take it, and nothing is lost by trying.
"""

    def __init__(
        self,
        session: Session,
        services: Services,
        wish: Wish,
        check: Callable[[Wish], None],
        hint: str,
        *,
        new: bool,
    ) -> None:
        super().__init__(hint)
        self._session, self._services, self._wish, self._check, self._new = (
            session,
            services,
            wish,
            check,
            new,
        )
        self._workloads = {profile.workload.id: profile.workload for profile in services.profiles()}
        self._choices = self._choices_for(wish.workload.id, wish.role)

    def _choices_for(self, purpose: str, role: str) -> tuple[Choice, ...]:
        session = self._session
        assert session.machine is not None and session.drive is not None and session.diagnosis is not None
        return self._services.volume_choices(
            session.machine, session.drive, session.diagnosis.recording, purpose, role
        )

    def _in_role(self, role: str) -> Wish:
        """The volume as it was given, in another role; raises Refused."""
        session = self._session
        assert session.machine is not None and session.drive is not None and session.diagnosis is not None
        return self._services.in_role(
            session.machine, session.drive, session.diagnosis.recording, self._wish, role
        )

    def title_words(self) -> str:
        """Whether it is there already."""
        return "A new volume" if self._new else "This volume"

    def fields(self) -> ComposeResult:
        """One below the other."""
        wish = self._wish
        yield Turn("Purpose", "purpose", self._purposes(), wish.workload.id)
        yield Turn("Filesystem", "filesystem", self._filesystems(), wish.choice.filesystem)
        yield Field(
            "Size",
            "size",
            "" if wish.takes_rest else size_written(wish),
            "(all that is left; or 500G, 750GB, 30%)",
        )
        yield Field("Label", "label", wish.label or "", _proposed(wish.own_label))
        yield Field("Mount point", "mount", wish.mount_point or "", "(not mounted; or such as /srv/media)")
        yield Turn("Role", "role", self._roles(), wish.role)
        yield Turn("Encryption", "encryption", ENCRYPTION, "luks2" if wish.encrypted else "")
        yield Field(
            "Subvolumes",
            "subvolumes",
            subvolumes_written(wish.subvolumes),
            "(none; or such as @:/mnt/new, @snapshots)",
        )

    def on_mount(self) -> None:
        """The size is what is changed most."""
        self.query_one("#size").focus()
        self._renew_encryption()

    def _purposes(self) -> list[Offer]:
        return [Offer(name, printable(workload.title, 50)) for name, workload in self._workloads.items()]

    def _roles(self) -> list[Offer]:
        return [
            Offer("", "none: its purpose says all"),
            *(Offer(name, role.title, self._role_refusal(name)) for name, role in ROLES.items()),
        ]

    def _role_refusal(self, role: str) -> str:
        try:
            self._in_role(role)
        except DiskwrightError as error:
            return str(error)
        return ""

    def _filesystems(self) -> list[Offer]:
        able = (choice for choice in self._choices if not choice.obstacles)
        return [
            Offer(choice.filesystem, f"{choice.filesystem}: {choice.place.value}") for choice in able
        ] or [Offer("", "none can be made here")]

    @on(Cycle.Changed, "#purpose")
    def purpose_changed(self, message: Cycle.Changed) -> None:
        """Another purpose has another ranking and another label."""
        self._rank(message.value, self.query_one("#role", Cycle).value)

    def _rank(self, purpose: str, role: str) -> None:
        """The filesystems for this purpose and role, with the proposed one, and the label that goes with
        them."""
        self._choices = self._choices_for(purpose, role)
        offers = self._filesystems()
        self.query_one("#filesystem", Cycle).set_offers(offers, offers[0].value)
        self.query_one("#label", Entry).placeholder = _proposed(
            ROLES[role].label if role else self._workloads[purpose].label
        )
        self._renew_encryption()

    @on(Cycle.Changed, "#role")
    def role_changed(self, message: Cycle.Changed) -> None:
        """Another role has its own purpose, filesystem and size, and is mounted nowhere by itself."""
        if message.cycle.refusal:
            return
        wish = self._in_role(message.value)
        purpose = self.query_one("#purpose", Cycle)
        if message.value:
            purpose.set_offers(self._purposes(), wish.workload.id)
            self.query_one("#mount", Entry).value = ""
            self.query_one("#size", Entry).value = "" if wish.takes_rest else size_written(wish)
        self._rank(purpose.value, message.value)

    @on(Cycle.Changed)
    def changed(self, message: Cycle.Changed) -> None:
        """Whether the volume can be encrypted depends on the others; what cannot be says why."""
        if message.cycle.id == "filesystem":
            self._renew_encryption()
        self.query_one("#said", Prose).update(Text(message.cycle.refusal, "yellow"))

    def _renew_encryption(self) -> None:
        cycle = self.query_one("#encryption", Cycle)
        plain, luks = ENCRYPTION
        cycle.set_offers([plain, replace(luks, refusal=self._encryption_refusal())], cycle.value)

    def _encryption_refusal(self) -> str:
        """Why the planner does not take the volume encrypted that it would take otherwise; empty where it
        takes both, or neither."""
        try:
            wish = self._read()
        except DiskwrightError:
            return ""
        return (
            "" if self._fault(replace(wish, encrypted=False)) else self._fault(replace(wish, encrypted=True))
        )

    def _fault(self, wish: Wish) -> str:
        try:
            check_wishes((wish,))
            self._check(wish)
        except DiskwrightError as error:
            return str(error)
        return ""

    def on_input_submitted(self) -> None:
        """Enter in a field."""
        self.action_take()

    def action_take(self) -> None:
        """Hand the wish back if the planner takes it; else say why not."""
        try:
            wish = self._read()
            check_wishes((wish,))
            self._check(wish)
        except DiskwrightError as error:
            self.query_one("#said", Prose).update(Text(str(error), "red"))
            return
        self.dismiss(wish)

    def _read(self) -> Wish:
        purpose, role, filesystem = (
            self.query_one(f"#{name}", Cycle) for name in ("purpose", "role", "filesystem")
        )
        if role.refusal:
            raise BadInput(role.refusal)
        choice = next((choice for choice in self._choices if choice.filesystem == filesystem.value), None)
        if choice is None:
            raise BadInput("No filesystem can be made here for this purpose.")
        was = self._wish
        same = (purpose.value, choice.filesystem, role.value) == (
            was.workload.id,
            was.choice.filesystem,
            was.role,
        )
        size, label, mount, subvolumes = (
            self.query_one(f"#{name}", Entry).value.strip()
            for name in ("size", "label", "mount", "subvolumes")
        )
        size_bytes, percent = parse_share(size or REST)
        return replace(
            self._wish,
            # What was asked for beside the advice stays with what it was asked for.
            choice=self._wish.choice if same else choice,
            doubts=self._wish.doubts if same else (),
            workload=self._workloads.get(purpose.value, was.workload),
            size_bytes=size_bytes,
            percent=percent,
            label=label or None,
            mount_point=mount or None,
            role=role.value,
            encrypted=bool(self.query_one("#encryption", Cycle).value),
            subvolumes=parse_subvolumes(subvolumes),
        )


def _proposed(label: str) -> str:
    return f"({label}, if left empty)"
