"""The form for one volume."""

from collections.abc import Callable
from dataclasses import replace
from typing import ClassVar

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical

from wizard.layout.wish import Wish, check_wishes
from wizard.model.advice import Advice, Choice
from wizard.model.errors import BadInput, DiskwrightError
from wizard.model.names import printable
from wizard.model.units import format_exact, parse_size
from wizard.services.contract import Services
from wizard.services.session import Session
from wizard.tui.explained import Dialog
from wizard.tui.widgets.controls import Cycle, Entry, Field, Offer, Press, Turn
from wizard.tui.widgets.keys import Pairs
from wizard.tui.widgets.words import Prose


class VolumeForm(Dialog[Wish | None]):
    """Purpose, filesystem, size, label, mount point. `check` raises the planner's reasons against a wish."""

    NAME = "A volume"
    TYPING = True
    HELP = """
One volume: a partition, the filesystem in it, and where it is mounted. Nothing is written by this form.

Purpose: what the volume will hold. It ranks the filesystems and proposes a label.

Filesystem: one that can be made here, with its place for the purpose: chosen, second or rejected. Step 3 has the reasons.

Size: empty for all that is left. 500G and 500GiB are powers of 1024, 500GB is as on the drive's box, a power of 1000.

Label: a short name that is written into the filesystem. Empty for the one that the purpose proposes.

Mount point: the folder under which the files appear, such as /srv/media; also after every start, by a line in /etc/fstab. Empty to
mount it yourself. For swap, which has no folder, none turns it on now and at every start.

What cannot be is said below the fields when you take it, and nothing is lost by trying.
"""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "cancel", show=False, id="volume.cancel"),
        Binding("enter", "take", show=False, id="volume.take"),
    ]

    def __init__(self, session: Session, services: Services, wish: Wish, check: Callable[[Wish], None], hint: str, *, new: bool) -> None:
        super().__init__()
        self._session, self._services, self._wish, self._check, self._hint, self._new = session, services, wish, check, hint, new
        self._advices = self._all_advice()

    def _all_advice(self) -> dict[str, Advice]:
        session = self._session
        assert session.machine is not None and session.drive is not None and session.diagnosis is not None
        recording = session.diagnosis.recording
        return {
            profile.workload.id: self._services.advise(session.machine, session.drive, recording, profile.workload.id)
            for profile in self._services.profiles()
        }

    def compose(self) -> ComposeResult:
        """The fields, one below the other, and two buttons."""
        wish = self._wish
        purposes = [Offer(name, printable(advice.workload.title, 50)) for name, advice in self._advices.items()]
        with Vertical(classes="dialog"):
            yield Prose(Text("A new volume" if self._new else "This volume", "bold"), classes="title")
            yield Turn("Purpose", "purpose", purposes, wish.workload.id)
            yield Turn("Filesystem", "filesystem", self._filesystems(wish.workload.id), wish.choice.filesystem)
            yield Field("Size", "size", "" if wish.size_bytes is None else _short(wish.size_bytes), "(all that is left; or 500G, 750GB)")
            yield Field("Label", "label", wish.label or "", f"({wish.workload.label}, as the purpose proposes)")
            yield Field("Mount point", "mount", wish.mount_point or "", "(not mounted; or such as /srv/media)")
            yield Prose(Text(self._hint, "yellow"), id="said", classes="said")
            with Horizontal(classes="buttons"):
                yield Press("Cancel", id="cancel")
                yield Press("Take it", id="take")
        yield self.key_lines()

    def keys(self) -> Pairs:
        """Moving, changing, taking."""
        return (("Up/Down", "field"), ("Left/Right", "change"), ("Enter", "take it"), ("Esc", "cancel"))

    def on_mount(self) -> None:
        """The size is what is changed most."""
        self.query_one("#size").focus()

    def _filesystems(self, purpose: str) -> list[Offer]:
        return [
            Offer(choice.filesystem, f"{choice.filesystem}: {choice.place.value}")
            for choice in self._advices[purpose].choices
            if not choice.obstacles
        ] or [Offer("", "none can be made here")]

    @on(Cycle.Changed, "#purpose")
    def purpose_changed(self, message: Cycle.Changed) -> None:
        """Another purpose has another ranking and another label."""
        chosen = self._advices[message.value].chosen
        self.query_one("#filesystem", Cycle).set_offers(self._filesystems(message.value), chosen.filesystem if chosen else "")
        self.query_one("#label", Entry).placeholder = f"({self._advices[message.value].workload.label}, as the purpose proposes)"

    @on(Press.Pressed)
    def pressed(self, message: Press.Pressed) -> None:
        """A button."""
        if message.press.id == "take":
            self.action_take()
        else:
            self.action_cancel()

    def on_input_submitted(self) -> None:
        """Enter in a field."""
        self.action_take()

    def action_cancel(self) -> None:
        """Leave the list as it was."""
        self.dismiss(None)

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
        advice = self._advices[self.query_one("#purpose", Cycle).value]
        choice: Choice | None = advice.choice(self.query_one("#filesystem", Cycle).value)
        if choice is None:
            raise BadInput("No filesystem can be made here for this purpose.")
        same = (advice.workload.id, choice.filesystem) == (self._wish.workload.id, self._wish.choice.filesystem)
        size, label, mount = (self.query_one(f"#{name}", Entry).value.strip() for name in ("size", "label", "mount"))
        return replace(
            self._wish,
            # What was asked for beside the advice stays with what it was asked for.
            choice=self._wish.choice if same else choice,
            doubts=self._wish.doubts if same else (),
            workload=advice.workload,
            size_bytes=parse_size(size) if size else None,
            label=label or None,
            mount_point=mount or None,
        )


def _short(size_bytes: int) -> str:
    return format_exact(size_bytes).replace(" ", "").replace("bytes", "")
