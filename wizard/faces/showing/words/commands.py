"""What `diskwright --help` says: the commands, and how to begin."""

from wizard.model.said import Sentence

SAYS = {
    "inspect": Sentence(
        "faces.showing.commands.inspect",
        "what the attached drives are, and what is wrong with how they are used",
    ),
    "advise": Sentence(
        "faces.showing.commands.advise", "which filesystem and options suit a drive and a purpose, and why"
    ),
    "workloads": Sentence("faces.showing.commands.workloads", "the purposes that advice knows"),
    "options": Sentence(
        "faces.showing.commands.options",
        "the options of mkfs, mount and tune2fs: what each does, its danger, and its kernels",
    ),
    "glossary": Sentence(
        "faces.showing.commands.glossary", "what a word means, such as 512e, SMR or stripe width"
    ),
    "bench": Sentence(
        "faces.showing.commands.bench",
        "measure aligned against misaligned access, or look for a shingled drive's write cliff",
    ),
    "trial": Sentence(
        "faces.showing.commands.trial", "try filesystems on a drive, by making them in turn in its free space"
    ),
    "plan": Sentence("faces.showing.commands.plan", "work out a layout; nothing is written to the drive"),
    "tune": Sentence(
        "faces.showing.commands.tune", "what would suit an existing filesystem better, as changes for apply"
    ),
    "migrate": Sentence(
        "faces.showing.commands.migrate",
        "bring ext2 or ext3 to ext4, with all files: the ways, or one as a plan",
    ),
    "show": Sentence("faces.showing.commands.show", "a plan as before, after and commands; or changes"),
    "export": Sentence(
        "faces.showing.commands.export", "a plan's layout as a dump for sfdisk, or for systemd-repart"
    ),
    "apply": Sentence("faces.showing.commands.apply", "carry out a plan, or changes, exactly as shown"),
    "ensure": Sentence(
        "faces.showing.commands.ensure", "have drives be as a file says; changes only what is not so"
    ),
    "move": Sentence("faces.showing.commands.move", "move a partition in place, to where it is aligned"),
    "bring": Sentence(
        "faces.showing.commands.bring", "copy a folder or another filesystem to a volume, and compare"
    ),
    "label": Sentence("faces.showing.commands.label", "give a filesystem another label"),
    "mount": Sentence("faces.showing.commands.mount", "mount a filesystem, now and at every boot"),
    "unmount": Sentence("faces.showing.commands.unmount", "unmount a filesystem"),
    "remount": Sentence("faces.showing.commands.remount", "give a filesystem other mount options"),
    "grow": Sentence(
        "faces.showing.commands.grow", "grow a mounted filesystem into the free space behind it"
    ),
    "power-off": Sentence("faces.showing.commands.power-off", "unmount a removable drive and power it off"),
    "status": Sentence("faces.showing.commands.status", "what has been applied, and how it ended"),
    "look": Sentence(
        "faces.showing.commands.look", "look at what a run made and what waits to be kept, read-only"
    ),
    "keep": Sentence("faces.showing.commands.keep", "put to use what a run made, and give up the way back"),
    "undo": Sentence(
        "faces.showing.commands.undo", "put back what a run changed, bit for bit, as long as it was not kept"
    ),
    "resume": Sentence("faces.showing.commands.resume", "go on with an interrupted run"),
    "report": Sentence(
        "faces.showing.commands.report", "everything about a run, or a plan, in one HTML file or as JSON"
    ),
    "install": Sentence(
        "faces.showing.commands.install", "install missing programs, with this distribution's package manager"
    ),
    "demo": Sentence(
        "faces.showing.commands.demo", "the whole wizard on a disposable drive that it makes itself"
    ),
}
"""By the command's name."""

FOLDERS = {
    "looking": Sentence("faces.showing.commands.looking", "Look and advise"),
    "measuring": Sentence("faces.showing.commands.measuring", "Measure"),
    "planning": Sentence("faces.showing.commands.planning", "Plan, and read plans"),
    "changing": Sentence("faces.showing.commands.changing", "Change drives"),
    "runs": Sentence("faces.showing.commands.runs", "What was changed, and back again"),
    "itself": Sentence("faces.showing.commands.itself", "This system"),
}
"""By the folder of the commands."""

USAGE = Sentence("faces.showing.commands.usage", "usage: diskwright [COMMAND] [...]")
WIZARD = Sentence(
    "faces.showing.commands.wizard",
    "Without a command, the wizard starts. It inspects, warns and advises, shows the layout before and "
    "after, measures, and applies what it showed. It writes nothing before you have seen it and typed the "
    "drive's own token. With --plain, and on a terminal that only prints, it asks line by line.",
)
FIRST_LOOK = Sentence("faces.showing.commands.first-look", "a first look, which needs no root")
TRY = Sentence(
    "faces.showing.commands.try", "try everything on a drive that is made for it and deleted afterwards"
)
WHOLE = Sentence(
    "faces.showing.commands.whole",
    "a whole drive for large media files, as a plan to read before it is applied",
)
SHOW = Sentence("faces.showing.commands.show-plan", "the drive before and after, and every command")
APPLY = Sentence("faces.showing.commands.apply-plan", "a drive that held something then waits for your word")
KEEP = Sentence("faces.showing.commands.keep-it", "puts it to use")
UNDO = Sentence("faces.showing.commands.undo-it", "puts back what was there, bit for bit")

OWN_HELP = Sentence(
    "faces.showing.commands.own-help",
    "`diskwright COMMAND --help` has the options and examples of each command.",
)
DEBUG = Sentence(
    "faces.showing.commands.debug",
    "--debug with any command writes a log for a report of a bug, and says where it is. The log has serial "
    "numbers only with --with-serials too.",
)
EXIT_CODES = Sentence("faces.showing.commands.exit-codes", "Exit codes: {codes:list}.")
CODES = (
    Sentence("faces.showing.commands.done", "0 done"),
    Sentence("faces.showing.commands.failed", "1 failed"),
    Sentence("faces.showing.commands.wrong-usage", "2 wrong usage or unreadable input"),
    Sentence("faces.showing.commands.refused", "3 refused for safety (nothing written)"),
    Sentence("faces.showing.commands.interrupted", "4 interrupted"),
    Sentence("faces.showing.commands.changed", "5 changed, only with --detailed-exitcode"),
    Sentence("faces.showing.commands.ended", "130 ended by you"),
)
