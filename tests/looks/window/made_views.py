"""Artificial views for the window, independent of any drive."""

from wizard.ui.view import (
    GAP,
    Action,
    Banner,
    Bar,
    Column,
    Command,
    Fate,
    Field,
    Figures,
    Offer,
    Pane,
    Piece,
    Progress,
    Row,
    Rows,
    ScreenStep,
    Stretch,
    Tone,
    View,
    muted,
    para,
    strong,
)

GB = 1000**3
HOSTILE = "a\x1b[31m\u202e\u0301\ufe0f漢字" + "x" * 150 + " \n\t☃" + "Ω" * 40

QUIT = Action("quit", "q", "quit")
HELP = Action("help", "?", "help")

DRIVES = View(
    "drives",
    ScreenStep.DRIVES,
    "Drives",
    (
        Action("actions", "enter", "actions"),
        Action("set-up", "s", "set up anew"),
        Action("why", "w", "why"),
        Action("open", "right", "partitions"),
        Action("fix", "f", "fix in place, 85 s", aside=True),
        Action("test", "p", "test it, 40 s", aside=True),
        Action("keep", "K", "keep", ends=True, aside=True),
        HELP,
        QUIT,
    ),
    "4 drives, as root",
    above=(para(strong("sdc1 photos"), "was converted to ext4. Keep it?", key="keep"),),
    rows=Rows(
        (
            Row(
                "nvme0n1",
                (
                    Piece("nvme0n1"),
                    Piece("Samsung 990 PRO"),
                    Piece("2.0 TB"),
                    Piece("SSD"),
                    muted("in use: this system"),
                ),
            ),
            Row(
                "sda",
                (
                    Piece("sda"),
                    Piece("Seagate BarraCuda 2.5"),
                    Piece("1.0 TB"),
                    Piece("HDD"),
                    Piece("2 misaligned, SMR likely", Tone.DANGER),
                ),
            ),
            Row(
                "sda1",
                (
                    Piece("sda1"),
                    Piece("films"),
                    Piece("1.1 GB"),
                    Piece("ext3"),
                    Piece("misaligned", Tone.WARN),
                ),
                level=1,
            ),
            Row(
                "sdb",
                (
                    Piece("sdb"),
                    Piece("HGST Ultrastar He"),
                    Piece("4.0 TB"),
                    Piece("HDD"),
                    Piece("new and empty", Tone.GOOD),
                ),
            ),
            Row(
                "sdc",
                (
                    Piece("sdc"),
                    Piece("WD Elements"),
                    Piece("2.0 TB"),
                    Piece("HDD"),
                    Piece("waits: keep or undo?", Tone.WARN),
                ),
            ),
        ),
        "sda",
        (Column(), Column(least=70), Column(right=True), Column(), Column()),
    ),
    panes=(
        Pane(
            "sda  Seagate BarraCuda 2.5  1.0 TB  serial WDE4XYZ0",
            (
                Bar(
                    (
                        Stretch("films", 11 * GB // 10, "ext3"),
                        Stretch("backup", 11 * GB // 10, "ext3"),
                        Stretch("free", 998 * GB, fate=Fate.FREE),
                    )
                ),
                GAP,
                para(Piece("films and backup are misaligned", Tone.DANGER), key="fix"),
                para("Small writes are 2 to 8 times slower. A fix keeps your files.", indent=2),
                para(Piece("Probably shingled (SMR)", Tone.WARN), key="test"),
                para("Good for archives, slow when files are rewritten.", indent=2),
            ),
        ),
    ),
)

MENU = View(
    "actions",
    ScreenStep.DRIVES,
    "films  sda1  ext3  1.1 GB",
    (
        Action("do", "enter", "fix alignment"),
        Action("back", "escape", "back"),
        Action("format", "F", "format", ends=True, aside=True),
    ),
    rows=Rows(
        (
            Row(
                "fix",
                (
                    Piece("f", Tone.ACCENT),
                    strong("Fix alignment"),
                    Piece("moves it by less than 1 MiB, 40 s, files stay"),
                ),
            ),
            Row(
                "convert",
                (
                    Piece("m", Tone.ACCENT),
                    strong("Convert to ext4"),
                    Piece("10 s, files stay, can be undone"),
                ),
            ),
            Row("rename", (Piece("r", Tone.ACCENT), strong("Rename"), Piece("now: films"))),
            Row("grow", (Piece(""), Piece("Grow")), why_not="no free space follows it"),
            Row(
                "format",
                (Piece("F", Tone.ACCENT), Piece("Format", Tone.DANGER), Piece("deletes all files on films")),
            ),
        ),
        "fix",
    ),
    over=True,
)

NOW = (
    Stretch("films", 11 * GB // 10, "ext3", Fate.LOST),
    Stretch("backup", 11 * GB // 10, "ext3", Fate.LOST),
    Stretch("free", 998 * GB, fate=Fate.FREE),
)
THEN = (Stretch("media", 700 * GB, "ext4", Fate.NEW), Stretch("photos", 300 * GB, "btrfs", Fate.NEW))

PLAN = View(
    "plan",
    ScreenStep.PLAN,
    "Volumes",
    (
        Action("review", "enter", "review"),
        Action("edit", "e", "edit"),
        Action("filesystem", "f", "filesystem"),
        Action("add", "+", "add"),
        Action("remove", "-", "remove"),
        Action("options", "o", "options"),
        Action("try", "t", "try them", "It is a recorded machine."),
        Action("commands", "v", "commands"),
        Action("why", "w", "why"),
        Action("back", "escape", "back"),
        HELP,
        QUIT,
    ),
    "sda  1.0 TB  HDD",
    above=(
        Bar(NOW, "Now"),
        Bar(THEN, "Then"),
        GAP,
        para(
            Piece("Lost", Tone.DANGER),
            strong("films"),
            "and",
            strong("backup,"),
            "1.1 GB each. Back up what you need first.",
        ),
    ),
    rows=Rows(
        (
            Row(
                "media", (Piece("media"), Piece("ext4"), Piece("700 GB"), Piece("/srv/media"), Piece("anna"))
            ),
            Row(
                "photos",
                (
                    Piece("photos"),
                    Piece("Btrfs"),
                    Piece("300 GB"),
                    Piece("/srv/photos"),
                    Piece("group family"),
                ),
            ),
        ),
        "media",
        (
            Column("Name"),
            Column("Filesystem"),
            Column("Size", right=True),
            Column("Mounted at", least=70),
            Column("Who may write"),
        ),
    ),
    panes=(
        Pane(
            "media: ext4",
            (
                para(strong("ext4"), Piece("recommended", Tone.GOOD)),
                para("Keeps metadata together: good for SMR.", indent=4),
                GAP,
                para(muted("Options"), "noatime, lazytime, no reserved blocks"),
                para(muted("Undo"), "Until you use it. 260 MB are kept for that."),
            ),
        ),
        Pane(
            "What will be done",
            (
                para("1", strong("Save"), "what makes films and backup recognisable, 260 MB"),
                para("2", strong("Write"), "a new GPT with 2 partitions, all aligned"),
                para("3", strong("Make"), "ext4 media, 700 GB"),
                para("4", strong("Make"), "Btrfs photos, 300 GB"),
                Command(("mkfs.ext4", "-L", "my media", "-E", "packed_meta_blocks=1", "/dev/sda1")),
            ),
        ),
    ),
)

REVIEW = View(
    "review",
    ScreenStep.REVIEW,
    "Is this the right drive?",
    (
        Action("apply", "enter", "delete and set up"),
        Action("commands", "f3", "all commands"),
        Action("save", "f4", "save the plan"),
        Action("back", "escape", "back"),
        Action("details", "d", "details"),
        HELP,
    ),
    "sda  1.0 TB  HDD",
    above=(
        Banner("films and backup WILL BE DELETED", ("2 partitions, 2.2 GB, 1,204 files.",), Tone.DANGER),
        para("1", strong("Save"), "what makes both filesystems recognisable"),
        para("2", strong("Write"), "a new GPT with two partitions"),
    ),
    fields=(Field("token", "Last 4 of the serial number", hint="It is printed on the drive."),),
    said=Piece("That is not this drive's serial number.", Tone.WARN),
)

FORM = View(
    "volume",
    ScreenStep.PLAN,
    "A volume",
    (Action("take", "enter", "take it"), Action("back", "escape", "cancel"), Action("delete", "d", "delete")),
    fields=(
        Field("label", "Label", "media"),
        Field(
            "filesystem",
            "Filesystem",
            "ext4",
            offers=(Offer("ext4", "ext4, recommended"), Offer("xfs", "XFS", "xfsprogs is missing.")),
        ),
        Field("size", "Size", hint="all that is left"),
        Field("secret", "Passphrase", secret=True),
    ),
    over=True,
)

WORK = View(
    "work",
    ScreenStep.WORK,
    "Setting up sda",
    (
        Action("leave", "b", "leave running"),
        Action("stop", "S", "stop after this step", ends=True),
        Action("commands", "v", "commands"),
        HELP,
    ),
    "sda  1.0 TB  HDD",
    above=(Progress(0.62, "about 9 s left", tuple(90e6 + 20e6 * (n % 7) for n in range(60))),),
    panes=(
        Pane(
            "If the power goes now",
            (para(strong("sda is half done."), "Start diskwright again: finish it or undo it."),),
        ),
        Pane(
            "Steps",
            tuple(
                para(Piece("done", Tone.GOOD), f"Step number {n}", key="commands" if n == 2 else "")
                for n in range(30)
            ),
        ),
        Pane(
            "Speed",
            (
                Figures(
                    "MB/s, longer is better",
                    (("ext4", 103.0), ("Btrfs", 93.0), ("XFS", 79.0)),
                    ("103 MB/s", "93 MB/s", "79 MB/s"),
                ),
            ),
        ),
    ),
    busy=True,
)

DONE = View(
    "done",
    ScreenStep.WORK,
    "Done",
    (Action("another", "n", "another drive"), Action("report", "r", "report"), QUIT),
    above=(Banner("1.0 TB ready at /srv/media", ("anna can write to it.",)), Bar(THEN)),
)
