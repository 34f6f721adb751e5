"""Step 1: which drive. Each row fills in when its probe answers; drives come and go while the list is
shown."""

from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container
from textual.message import Message

from wizard.diagnose.told import recording_word
from wizard.migrate.ext.candidates import Candidate, candidate_words, keeping_words, old_filesystems
from wizard.model.errors import DiskwrightError
from wizard.model.finding import Diagnosis
from wizard.model.machine import Drive, Machine
from wizard.model.names import printable
from wizard.model.units import format_capacity
from wizard.services.session import Moving, Next, Session
from wizard.tui.dialogs.explained import WIDE
from wizard.tui.dialogs.pick import Pick
from wizard.tui.rooting import has_root
from wizard.tui.screens.answers import Answered, Known, Read, Trouble
from wizard.tui.step import StepScreen
from wizard.tui.text.describe import drive_blocks, finding_blocks, severity_text
from wizard.tui.widgets.rows import Column, Row, Rows
from wizard.tui.widgets.words import Block, Prose, Words, gap, para


class DrivesScreen(StepScreen):
    """The list above, what is known and found of the highlighted drive below."""

    NUMBER = 1
    TITLE = "Drives"
    INTRO = (
        "Which drive is to be set up? Nothing is written before you have seen the plan and typed the drive's "
        "own token."
    )
    HELP = """
Each line is a whole drive. It is read without being changed. What is known of the highlighted one, and what
is wrong with how it is used, stands below the list, in a wide terminal in two columns.

Sectors: 512n and 4Kn drives read and write the blocks they really have. 512e drives have blocks of 4096 bytes
and pretend to have 512: a partition that starts within a block makes many writes slow.

Recording: how tracks are laid. Shingled drives overlap their tracks, so that rewriting is slow. "shingled?"
is likely but not proven; "unknown" means that nothing was found either way, or that what was found
contradicts itself.

Findings: the worst that was found. danger: data or the job is at risk. warning: likely harm, or a doubt.
info: good to know. ok: looked at and fine. e lists them, each with its reason, its source, and published
figures where there are any.

Drives that are in use or cannot be written are shown with the reason; they can be looked at, but not set up.

To ext4: an ext2 or ext3 filesystem can become ext4 with all its files kept. m shows the ways there are, each
with what it costs, on drives that hold such a filesystem. Only root can look into it, so root's rights are
asked for then. An incomplete ext4 lacks what every new one has, as one that was an ext3: it can be given what
it lacks.

A drive that is plugged in while this list is open appears in it.

Without root's rights some things cannot be read. u asks for them, by sudo, run0 or pkexec, and reads the
drives again; nothing is written by that, and the wizard itself stays without them.
"""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("r", "again", show=False, id="drives.again"),
        Binding("u", "as_root", show=False, id="drives.as_root"),
        Binding("e", "reasons", show=False, id="drives.reasons"),
        Binding("m", "move", show=False, id="drives.move"),
    ]

    def body(self) -> ComposeResult:
        """The list and the details."""
        yield Rows(
            Column("Drive"),
            Column("Model", flexible=True),
            Column("Size", right=True),
            Column("Bus", only_from=70),
            Column("Sectors", only_from=70),
            Column("Recording"),
            Column("Findings"),
            Column("Serial", only_from=100),
            id="drives",
        )
        yield Prose(classes="rule")
        with Container(id="sides"):
            yield Words(id="details")
            yield Words(id="findings")

    def begin(self) -> None:
        """Show the names at once; then ask the drives."""
        self._found: dict[str, tuple[Drive, Diagnosis] | None] = {}
        self._surroundings: Machine | None = None
        self._asking = self._asked_again = False
        self.query_one(Rows).focus()
        self.action_again()

    def keys(self) -> tuple[tuple[str, str], ...]:
        """Choosing and reading."""
        reading = (("r", "read again"), *((("u", "read as root"),) if self.services.asks_for_root else ()))
        if not self._found:
            return reading
        moving = (("m", "to ext4"),) if self._candidates() else ()
        return (
            ("Up/Down", "choose"),
            ("Enter", "set up this drive"),
            *moving,
            ("e", "reasons"),
            ("Tab", "list or details"),
            *reading,
        )

    def _candidates(self) -> tuple[Candidate, ...]:
        """What on the highlighted drive can become ext4 with its files kept."""
        row = self.query_one(Rows).current
        found = self._found.get(row.key) if row else None
        return old_filesystems(found[0]) if found else ()

    def action_move(self) -> None:
        """Keep the files of a filesystem on the highlighted drive, and have it become ext4."""
        found = self._candidates()
        if len(found) == 1:
            self._move(found[0].device)
        elif found:
            title = "Which filesystem is to become ext4, with its files kept?"
            self.app.push_screen(
                Pick(title, tuple((one.device, candidate_words(one)) for one in found)), self._move
            )

    def _move(self, device: str | None) -> None:
        """On to the ways there are for it, which only root can find out."""
        if device is not None and (taken := self._taken()) is not None and has_root(self):
            before = self.session.moving
            kept = (
                before
                if before is not None and before.device == device and taken.drive == self.session.drive
                else Moving(device)
            )
            self.dismiss(Next(replace(taken, moving=replace(kept, prospect=None, migration=None))))

    def action_reasons(self) -> None:
        """Why each finding matters, where its rule is from, and what others have measured."""
        row = self.query_one(Rows).current
        if found := self._found.get(row.key) if row else None:
            from wizard.tui.text.reasontext import finding_reasons

            self.show_reasons(f"Findings: {found[0].path}", lambda: finding_reasons(found[1]))

    def action_again(self) -> None:
        """Read every drive once more; what was known of a drive stays until it is known better."""
        try:
            paths = self.services.drive_paths()
        except DiskwrightError as error:
            self.say(str(error), "red")
            return
        self._found = {path: self._still_known(path) for path in paths}
        self._draw()
        if self._asking:
            self._asked_again = True
            return
        self._asking, self._asked_again = True, False
        self.in_background(self._ask)

    def action_as_root(self) -> None:
        """Read every drive once more with root's rights, which are asked for."""
        if self.services.asks_for_root and has_root(self):
            self.say("")
            self.action_again()

    def _still_known(self, path: str) -> tuple[Drive, Diagnosis] | None:
        """What is known of the drive at a node; nothing where it is another one by now."""
        found = self._found.get(path)
        return found if found and self.services.is_attached(found[0]) else None

    def action_next(self) -> None:
        """Only a drive that was read and that nothing stands against."""
        row = self.query_one(Rows).current
        found = self._still_known(row.key) if row else None
        if found and (reason := self.services.impediment(found[0])):
            self.say(reason, "yellow")
        elif (taken := self._taken()) is not None:
            self.dismiss(Next(replace(taken, moving=None)))

    def _taken(self) -> Session | None:
        """The session with the highlighted drive; None, after saying why, where it cannot be gone on with
        yet."""
        row = self.query_one(Rows).current
        found = self._still_known(row.key) if row else None
        if found is None:
            self.say("This drive has not answered yet." if row else "There is no drive to set up.")
            return None
        if self._surroundings is None:
            self.say("The kernel and the tools of this machine are still being looked at; a moment.")
            return None
        drive, _ = found
        machine = replace(
            self._surroundings, drives=tuple(found[0] for found in self._found.values() if found)
        )
        session = self.session if self.session.drive == drive else Session(workload=self.session.workload)
        return replace(
            session, machine=machine, drive=drive, diagnosis=self.services.diagnose(machine, drive)
        )

    def _ask(self) -> None:
        """In a thread: what the machine is, then its drives, each as it answers."""
        try:
            around = self.services.surroundings()
            self._post(Known(around))
            machine = self.services.probe(
                lambda drive: self._post(
                    Answered(drive, self.services.diagnose(replace(around, drives=(drive,)), drive))
                )
            )
        except DiskwrightError as error:
            self._post(Trouble(str(error)))
        else:
            self._post(Read(machine))

    def _post(self, message: Message) -> None:
        if self.is_attached:
            self.post_message(message)

    @on(Known)
    def known(self, message: Known) -> None:
        """Keep it for the next steps."""
        self._surroundings = message.machine

    @on(Answered)
    def answered(self, message: Answered) -> None:
        """Fill in its row."""
        if message.drive.path in self._found:
            self._found[message.drive.path] = (message.drive, message.diagnosis)
            self.in_time(self._draw)

    @on(Read)
    def read(self, message: Read) -> None:
        """Findings may depend on the other drives; a reader without a medium is no drive."""
        answers = {
            drive.path: (drive, self.services.diagnose(message.machine, drive))
            for drive in message.machine.drives
        }
        self._found = {path: answers[path] for path in self._found if path in answers}
        self._asked()

    @on(Trouble)
    def trouble(self, message: Trouble) -> None:
        """Say it."""
        self.say(message.sentence, "red")
        self._asked()

    def after_crash(self) -> None:
        """r asks again."""
        self._asking = False

    def _asked(self) -> None:
        self._asking = False
        if self._asked_again:
            self.action_again()
        else:
            self._draw()

    def drives_changed(self) -> None:
        """Take away what has gone, and ask what has come."""
        before = self._found
        self.action_again()
        come, gone = sorted(set(self._found) - set(before)), sorted(set(before) - set(self._found))
        others = [path for path, found in self._found.items() if found is None and before.get(path)]
        said = [
            *(f"{path} was plugged in." for path in come),
            *(f"{path} has gone." for path in gone),
            *(f"{path} is another drive now." for path in others),
        ]
        if said:
            self.say(" ".join(said))

    def on_resize(self) -> None:
        """Findings stand beside what the drive is, or below it."""
        super().on_resize()
        self._describe()

    @on(Rows.Highlighted)
    def highlighted(self) -> None:
        """Show its details."""
        self._describe()
        self.draw_keys()

    def _draw(self) -> None:
        chosen = self.session.drive.path if self.session.drive else None
        rows = self.query_one(Rows)
        select = chosen if not rows.rows else None
        rows.set_rows([self._row(path, found) for path, found in self._found.items()], select)
        if not self._found:
            self.query_one(Words).show([para("No drive was found. Plug one in, or press r to look again.")])
        self.draw_keys()

    def _row(self, path: str, found: tuple[Drive, Diagnosis] | None) -> Row:
        if found is None:
            return Row(path, (Text(path), Text("reading ..")))
        drive, diagnosis = found
        reason = self.services.impediment(drive)
        return Row(
            path,
            (
                Text(path),
                Text(printable(drive.model or "no name", 40)),
                Text(format_capacity(drive.size_bytes) if drive.size_bytes is not None else "?"),
                Text(drive.bus or "?"),
                Text(drive.geometry.sector_format if drive.geometry else "?"),
                Text(recording_word(diagnosis.recording)),
                severity_text(diagnosis.worst),
                Text(printable(drive.serial or "none", 24)),
            ),
            (para(f"not now: {_brief(drive.path, reason)}", indent=2, hang=9),) if reason else (),
        )

    def _describe(self) -> None:
        row = self.query_one(Rows).current
        if row is None:
            return
        found = self._found.get(row.key)
        drive: Sequence[Block] = [para(f"{row.key} is being read. The other drives do not wait for it.")]
        findings: Sequence[Block] = []
        if found:
            drive = drive_blocks(*found, self.services.impediment(found[0]))
            # What is wrong comes first: it must be seen without scrolling.
            findings = [*finding_blocks(found[1].findings), *_moving_blocks(self._candidates())]
        if self.size.width >= WIDE:
            self.query_one("#details", Words).show(drive)
            self.query_one("#findings", Words).show(findings)
        else:
            self.query_one("#details", Words).show([*drive, gap(), *findings])


def _moving_blocks(found: Sequence[Candidate]) -> list[Block]:
    """That files can be kept, where they can."""
    return [gap(), para(Text("m: ", "bold").append(keeping_words(found), "cyan"), hang=3)] if found else []


def _brief(path: str, reason: str) -> str:
    """The first sentence of a reason, without the drive's name, which stands above it."""
    return reason.partition(". ")[0].removeprefix(f"{path} is ").rstrip(".") + "."
