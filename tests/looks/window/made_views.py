"""Artificial views for the window, independent of any drive."""

from wizard.ui import view as ui

GB = 1000**3
HOSTILE = "a\x1b[31m\u202e\u0301\ufe0f漢字" + "x" * 150 + " \n\t☃" + "Ω" * 40

QUIT = ui.Action("quit", "q", "quit")
HELP = ui.Action("help", "?", "help")

DRIVES = ui.View(
    "drives",
    ui.ScreenStep.DRIVES,
    "Drives",
    (
        ui.Action("actions", "enter", "actions"),
        ui.Action("set-up", "s", "set up anew"),
        ui.Action("why", "w", "why"),
        ui.Action("open", "right", "partitions"),
        ui.Action("fix", "f", "fix in place, 85 s", aside=True),
        ui.Action("test", "p", "test it, 40 s", aside=True),
        ui.Action("keep", "K", "keep", ends=True, aside=True),
        HELP,
        QUIT,
    ),
    "4 drives, as root",
    above=(ui.para(ui.strong("sdc1 photos"), "was converted to ext4. Keep it?", key="keep"),),
    rows=ui.Rows(
        (
            ui.Row(
                "nvme0n1",
                (
                    ui.Piece("nvme0n1"),
                    ui.Piece("Samsung 990 PRO"),
                    ui.Piece("2.0 TB"),
                    ui.Piece("SSD"),
                    ui.muted("in use: this system"),
                ),
            ),
            ui.Row(
                "sda",
                (
                    ui.Piece("sda"),
                    ui.Piece("Seagate BarraCuda 2.5"),
                    ui.Piece("1.0 TB"),
                    ui.Piece("HDD"),
                    ui.Piece("2 misaligned, SMR likely", ui.Tone.DANGER),
                ),
            ),
            ui.Row(
                "sda1",
                (
                    ui.Piece("sda1"),
                    ui.Piece("films"),
                    ui.Piece("1.1 GB"),
                    ui.Piece("ext3"),
                    ui.Piece("misaligned", ui.Tone.WARN),
                ),
                level=1,
            ),
            ui.Row(
                "sdb",
                (
                    ui.Piece("sdb"),
                    ui.Piece("HGST Ultrastar He"),
                    ui.Piece("4.0 TB"),
                    ui.Piece("HDD"),
                    ui.Piece("new and empty", ui.Tone.GOOD),
                ),
            ),
            ui.Row(
                "sdc",
                (
                    ui.Piece("sdc"),
                    ui.Piece("WD Elements"),
                    ui.Piece("2.0 TB"),
                    ui.Piece("HDD"),
                    ui.Piece("waits: keep or undo?", ui.Tone.WARN),
                ),
            ),
        ),
        "sda",
        (ui.Column(), ui.Column(least=70), ui.Column(right=True), ui.Column(), ui.Column()),
    ),
    panes=(
        ui.Pane(
            "sda  Seagate BarraCuda 2.5  1.0 TB  serial WDE4XYZ0",
            (
                ui.Bar(
                    (
                        ui.Stretch("films", 11 * GB // 10, "ext3"),
                        ui.Stretch("backup", 11 * GB // 10, "ext3"),
                        ui.Stretch("free", 998 * GB, fate=ui.Fate.FREE),
                    )
                ),
                ui.GAP,
                ui.para(ui.Piece("films and backup are misaligned", ui.Tone.DANGER), key="fix"),
                ui.para("Small writes are 2 to 8 times slower. A fix keeps your files.", indent=2),
                ui.para(ui.Piece("Probably shingled (SMR)", ui.Tone.WARN), key="test"),
                ui.para("Good for archives, slow when files are rewritten.", indent=2),
            ),
        ),
    ),
)

MENU = ui.View(
    "actions",
    ui.ScreenStep.DRIVES,
    "films  sda1  ext3  1.1 GB",
    (
        ui.Action("do", "enter", "fix alignment"),
        ui.Action("back", "escape", "back"),
        ui.Action("format", "F", "format", ends=True, aside=True),
    ),
    rows=ui.Rows(
        (
            ui.Row(
                "fix",
                (
                    ui.Piece("f", ui.Tone.ACCENT),
                    ui.strong("Fix alignment"),
                    ui.Piece("moves it by less than 1 MiB, 40 s, files stay"),
                ),
            ),
            ui.Row(
                "convert",
                (
                    ui.Piece("m", ui.Tone.ACCENT),
                    ui.strong("Convert to ext4"),
                    ui.Piece("10 s, files stay, can be undone"),
                ),
            ),
            ui.Row("rename", (ui.Piece("r", ui.Tone.ACCENT), ui.strong("Rename"), ui.Piece("now: films"))),
            ui.Row("grow", (ui.Piece(""), ui.Piece("Grow")), why_not="no free space follows it"),
            ui.Row(
                "format",
                (
                    ui.Piece("F", ui.Tone.ACCENT),
                    ui.Piece("Format", ui.Tone.DANGER),
                    ui.Piece("deletes all files on films"),
                ),
            ),
        ),
        "fix",
    ),
    over=True,
)

NOW = (
    ui.Stretch("films", 11 * GB // 10, "ext3", ui.Fate.LOST),
    ui.Stretch("backup", 11 * GB // 10, "ext3", ui.Fate.LOST),
    ui.Stretch("free", 998 * GB, fate=ui.Fate.FREE),
)
THEN = (
    ui.Stretch("media", 700 * GB, "ext4", ui.Fate.NEW),
    ui.Stretch("photos", 300 * GB, "btrfs", ui.Fate.NEW),
)

PLAN = ui.View(
    "plan",
    ui.ScreenStep.PLAN,
    "Volumes",
    (
        ui.Action("review", "enter", "review"),
        ui.Action("edit", "e", "edit"),
        ui.Action("filesystem", "f", "filesystem"),
        ui.Action("add", "+", "add"),
        ui.Action("remove", "-", "remove"),
        ui.Action("options", "o", "options"),
        ui.Action("try", "t", "try them", "It is a recorded machine."),
        ui.Action("commands", "v", "commands"),
        ui.Action("why", "w", "why"),
        ui.Action("back", "escape", "back"),
        HELP,
        QUIT,
    ),
    "sda  1.0 TB  HDD",
    above=(
        ui.Bar(NOW, "Now"),
        ui.Bar(THEN, "Then"),
        ui.GAP,
        ui.para(
            ui.Piece("Lost", ui.Tone.DANGER),
            ui.strong("films"),
            "and",
            ui.strong("backup,"),
            "1.1 GB each. Back up what you need first.",
        ),
    ),
    rows=ui.Rows(
        (
            ui.Row(
                "media",
                (
                    ui.Piece("media"),
                    ui.Piece("ext4"),
                    ui.Piece("700 GB"),
                    ui.Piece("/srv/media"),
                    ui.Piece("anna"),
                ),
            ),
            ui.Row(
                "photos",
                (
                    ui.Piece("photos"),
                    ui.Piece("Btrfs"),
                    ui.Piece("300 GB"),
                    ui.Piece("/srv/photos"),
                    ui.Piece("group family"),
                ),
            ),
        ),
        "media",
        (
            ui.Column("Name"),
            ui.Column("Filesystem"),
            ui.Column("Size", right=True),
            ui.Column("Mounted at", least=70),
            ui.Column("Who may write"),
        ),
    ),
    panes=(
        ui.Pane(
            "media: ext4",
            (
                ui.para(ui.strong("ext4"), ui.Piece("recommended", ui.Tone.GOOD)),
                ui.para("Keeps metadata together: good for SMR.", indent=4),
                ui.GAP,
                ui.para(ui.muted("Options"), "noatime, lazytime, no reserved blocks"),
                ui.para(ui.muted("Undo"), "Until you use it. 260 MB are kept for that."),
            ),
        ),
        ui.Pane(
            "What will be done",
            (
                ui.para("1", ui.strong("Save"), "what makes films and backup recognisable, 260 MB"),
                ui.para("2", ui.strong("Write"), "a new GPT with 2 partitions, all aligned"),
                ui.para("3", ui.strong("Make"), "ext4 media, 700 GB"),
                ui.para("4", ui.strong("Make"), "Btrfs photos, 300 GB"),
                ui.Command(("mkfs.ext4", "-L", "my media", "-E", "packed_meta_blocks=1", "/dev/sda1")),
            ),
        ),
    ),
)

REVIEW = ui.View(
    "review",
    ui.ScreenStep.REVIEW,
    "Is this the right drive?",
    (
        ui.Action("apply", "enter", "delete and set up"),
        ui.Action("commands", "f3", "all commands"),
        ui.Action("save", "f4", "save the plan"),
        ui.Action("back", "escape", "back"),
        ui.Action("details", "d", "details"),
        HELP,
    ),
    "sda  1.0 TB  HDD",
    above=(
        ui.Banner(
            "films and backup WILL BE DELETED", ("2 partitions, 2.2 GB, 1,204 files.",), ui.Tone.DANGER
        ),
        ui.para("1", ui.strong("Save"), "what makes both filesystems recognisable"),
        ui.para("2", ui.strong("Write"), "a new GPT with two partitions"),
    ),
    fields=(ui.Field("token", "Last 4 of the serial number", hint="It is printed on the drive."),),
    said=ui.Piece("That is not this drive's serial number.", ui.Tone.WARN),
)

FORM = ui.View(
    "volume",
    ui.ScreenStep.PLAN,
    "A volume",
    (
        ui.Action("take", "enter", "take it"),
        ui.Action("back", "escape", "cancel"),
        ui.Action("delete", "d", "delete"),
    ),
    fields=(
        ui.Field("label", "Label", "media"),
        ui.Field(
            "filesystem",
            "Filesystem",
            "ext4",
            offers=(ui.Offer("ext4", "ext4, recommended"), ui.Offer("xfs", "XFS", "xfsprogs is missing.")),
        ),
        ui.Field("size", "Size", hint="all that is left"),
        ui.Field("secret", "Passphrase", secret=True),
    ),
    over=True,
)

WORK = ui.View(
    "work",
    ui.ScreenStep.WORK,
    "Setting up sda",
    (
        ui.Action("leave", "b", "leave running"),
        ui.Action("stop", "S", "stop after this step", ends=True),
        ui.Action("commands", "v", "commands"),
        HELP,
    ),
    "sda  1.0 TB  HDD",
    above=(ui.Progress(0.62, "about 9 s left", tuple(90e6 + 20e6 * (n % 7) for n in range(60))),),
    panes=(
        ui.Pane(
            "If the power goes now",
            (ui.para(ui.strong("sda is half done."), "Start diskwright again: finish it or undo it."),),
        ),
        ui.Pane(
            "Steps",
            tuple(
                ui.para(ui.Piece("done", ui.Tone.GOOD), f"Step number {n}", key="commands" if n == 2 else "")
                for n in range(30)
            ),
        ),
        ui.Pane(
            "Speed",
            (
                ui.Figures(
                    "MB/s, longer is better",
                    (("ext4", 103.0, "103 MB/s"), ("Btrfs", 93.0, "93 MB/s"), ("XFS", 79.0, "79 MB/s")),
                ),
            ),
        ),
    ),
    busy=True,
)

DONE = ui.View(
    "done",
    ui.ScreenStep.WORK,
    "Done",
    (ui.Action("another", "n", "another drive"), ui.Action("report", "r", "report"), QUIT),
    above=(ui.Banner("1.0 TB ready at /srv/media", ("anna can write to it.",)), ui.Bar(THEN)),
)
