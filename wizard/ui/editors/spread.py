"""Select drives and layout of a volume, the partition table and the volume group."""

from collections.abc import Callable, Sequence
from functools import partial

from msgspec.structs import replace

from wizard.model.errors import DiskwrightError, why_not
from wizard.model.layout import Stripe
from wizard.model.machine import Drive
from wizard.model.said import Message, format_capacity, t
from wizard.plan.raid.striping import mirror_note
from wizard.plan.refusals import unread_content
from wizard.plan.request.roles import TableKind
from wizard.plan.text import danger_of
from wizard.ui import draft, messages
from wizard.ui import view as ui
from wizard.ui.components.drive_rows import held_on, serial_of
from wizard.ui.components.run_rows import blocker
from wizard.ui.desk import Desk, Screen
from wizard.ui.dialogs.asking import Dialog, question
from wizard.ui.session import Session

DRIVES, HOW = "drives", "how"
"""Row keys of the two headings."""

WAYS: dict[str, tuple[Message, Stripe | None]] = {
    "alone": (t("On this drive only"), None),
    "mirror-btrfs": (
        t("Mirrored by Btrfs: two copies, survives the loss of one drive"),
        Stripe("btrfs", level="raid1"),
    ),
    "mirror-md": (
        t("Mirrored by md (RAID1): a copy on each, survives all but one"),
        Stripe("md", level="raid1"),
    ),
    "stripe-btrfs": (t("Striped by Btrfs (RAID0): fast, lost with any one drive"), Stripe("btrfs")),
    "stripe-md": (t("Striped by md (RAID0): fast, lost with any one drive"), Stripe("md")),
}
"""Redundant layouts come first."""


class Spread(Screen):
    """Selection of additional drives and a layout. If data would be lost, the user is asked first."""

    place = "spread"
    many = True
    title = t("Drives for this volume")
    help = (
        t(
            "A mirror stores every file on more than one drive, so a drive may fail. Capacity is half or "
            "less. A mirror does not replace backups: deleted files disappear from all drives."
        ),
        t(
            "A stripe splits each file across all drives, with their combined capacity and speed. If any "
            "drive fails, everything is lost."
        ),
        t("Each drive is used whole and contributes as much as the smallest. No data is written here."),
    )

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        self.about = self.session.drive.path
        self._taken = [drive.path for drive in self.session.others]
        self._look()
        self.row = next(iter((*self._drives, *WAYS)))

    def _look(self) -> None:
        here, services = self.session.drive.path, self.services
        others = (drive for drive in self.session.machine.drives if drive.path != here)
        self._drives = {drive.path: drive for drive in others if services.is_attached(drive)}
        refused = {path: blocker(self.desk.runs, drive) for path, drive in self._drives.items()}
        self._taken = [path for path in self._taken if refused.get(path) == ""]
        self._tried: dict[str, Session] = {}
        for name, (_, stripe) in WAYS.items():
            try:
                taken = [self._drives[path] for path in self._taken]
                self._tried[name] = draft.spread(self.session, stripe, taken)
            except DiskwrightError as error:
                refused[name] = str(error)
        self._refused = refused

    @property
    def _is_able(self) -> bool:
        """True if the selected row is a drive that can be added."""
        return self.row in self._drives and self._refused[self.row] == ""

    def _above(self) -> ui.Blocks:
        if not self._drives:
            yield ui.warning(t("No other drive found."))

    def _rows(self) -> ui.Listed:
        yield ui.row(DRIVES, ui.strong(t("Drives besides {drive}", drive=self.about)))
        for drive in self._drives.values():
            said = t(
                "{drive}, {model}, {size}, {serial}: {held}",
                drive=drive.path,
                model=drive.model or messages.NO_NAME,
                size=format_capacity(drive.size_bytes) if drive.size_bytes else messages.UNKNOWN_SIZE,
                serial=serial_of(drive),
                held=messages.NOT_READ if unread_content(drive) else held_on(drive).text,
            )
            yield self._row(drive.path, said, drive.path in self._taken)
        yield ui.row(HOW, ui.strong(t("Layout")))
        now = self.session.arrangement.stripe
        yield from (self._row(name, title, stripe == now) for name, (title, stripe) in WAYS.items())

    def _row(self, key: str, said: ui.Text, chosen: bool) -> ui.Row:
        return ui.row(key, said, level=1, chosen=chosen, why_not=self._refused.get(key, ""))

    def _actions(self) -> ui.Actions:
        label, why_not = messages.USE, self.against
        if self.row in self._drives:
            label = messages.DROP if self.row in self._taken else messages.ADD
        elif self.row not in WAYS:
            why_not = t("Choose a drive or a layout below.")
        yield ui.Action("take", "enter", label, why_not)
        if self.row in self._drives:
            yield ui.aside("take", "space", label, why_not)

    def _panes(self) -> ui.Panes:
        if self.row in WAYS:
            tried = self._tried.get(self.row)
            blocks = _meaning(tried) if tried else (ui.warning(messages.CANNOT, self.against),)
            yield ui.Pane(messages.EFFECT, tuple(blocks))
        if self._is_able and (loss := _loss((self._drives[self.row],))):
            yield ui.Pane(messages.EFFECT, (ui.alarm(loss),))

    # A drive was plugged in or unplugged, or a run ended.
    drives_changed = runs_changed = _look

    def act_take(self) -> None:
        row = self.row
        if self._is_able:
            taken = [path for path in self._taken if path != row]
            self._taken = taken if row in self._taken else [*taken, row]
            self._look()
        if (found := self._tried.get(row)) is None:
            return
        if found.others and (loss := _loss(found.drives)):
            title = t("Use these entire drives?")
            self.open(question, title, loss, messages.USE, partial(self._done, found))
        else:
            self._done(found)

    def _done(self, found: Session) -> None:
        self.desk.session = found
        self.desk.back()


def _meaning(tried: Session) -> ui.Blocks:
    yield ui.para(t("On {drives}.", drives=tried.spread))
    if tried.plan and (danger := danger_of(tried.plan)):
        yield ui.alarm(danger)
    if tried.plan and (note := mirror_note(tried.plan)):
        yield ui.para(note)
    if tried.others and (loss := _loss(tried.drives)):
        yield ui.alarm(loss)


def _loss(drives: Sequence[Drive]) -> ui.Text:
    """Describe the data lost by using these drives entirely. Empty if they are."""
    paths = tuple(drive.path for drive in drives if not drive.is_empty)
    if not paths:
        return ""
    return t("All data on {drives:and} will be lost when you keep the plan's result.", drives=paths)


ARRANGEMENTS = (
    ui.para(t("GPT has checksums, a backup table, partition names and up to 128 partitions.")),
    ui.para(
        t("MBR is the old table of four partitions, for firmware without GPT support. The limit is 2 TiB.")
    ),
    ui.para(
        t(
            "An LVM volume group puts all volumes into one partition, where each can be "
            "grown later. Volumes with a role need a separate partition."
        )
    ),
)


def arrange(desk: Desk) -> None:
    """Ask for the partition table and the volume group, with the planner's reasons against each."""
    session = desk.session
    now, plans = session.arrangement, not why_not(draft.planned, session)

    def changed(table: TableKind, grouped: bool) -> Session:
        found = replace(session, arrangement=replace(now, table=table, grouped=grouped))
        # Without a plan, the planner objects to something else.
        return draft.planned(found) if plans else found

    def read(values: ui.Values) -> Callable[[], None]:
        table: TableKind = "mbr" if values["table"] == "mbr" else "gpt"
        desk.session = changed(table, bool(values["group"]))
        return lambda: None

    tables = (
        ui.Offer("gpt", t("GPT (usual)"), why_not(changed, "gpt", now.grouped)),
        ui.Offer("mbr", t("MBR, for old firmware"), why_not(changed, "mbr", now.grouped)),
    )
    groups = (
        ui.Offer("", t("none: a partition each"), why_not(changed, now.table, False)),
        ui.Offer("lvm", t("LVM: all in one"), why_not(changed, now.table, True)),
    )
    fields = (
        ui.Field("table", messages.FIRST(what=t("table")), now.table, offers=tables),
        ui.Field("group", t("Volume group"), "lvm" if now.grouped else "", offers=groups),
    )
    desk.go(Dialog(desk, t("Table and volume group"), ARRANGEMENTS, fields, read, messages.USE))
