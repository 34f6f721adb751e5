"""What `diskwright --help` says: the commands, and how to begin."""

from wizard.model.said import Sentence

SAYS = {
    "inspect": Sentence("faces.showing.commands.inspect", "list drives and problems with their use"),
    "advise": Sentence(
        "faces.showing.commands.advise", "recommend a filesystem and options for a drive and a workload"
    ),
    "workloads": Sentence("faces.showing.commands.workloads", "list workloads"),
    "options": Sentence(
        "faces.showing.commands.options",
        "list options of mkfs, mount and tune2fs with effect, danger and kernels",
    ),
    "glossary": Sentence(
        "faces.showing.commands.glossary", "explain a word, such as 512e, SMR or stripe width"
    ),
    "bench": Sentence(
        "faces.showing.commands.bench",
        "measure aligned against misaligned access, or find a shingled drive's write cliff",
    ),
    "trial": Sentence("faces.showing.commands.trial", "compare filesystems in a drive's free space"),
    "plan": Sentence("faces.showing.commands.plan", "plan a layout; writes nothing to the drive"),
    "tune": Sentence("faces.showing.commands.tune", "suggest better settings for an existing filesystem"),
    "migrate": Sentence(
        "faces.showing.commands.migrate",
        "compare conversions from ext2 or ext3 to ext4, or save one as a plan",
    ),
    "show": Sentence("faces.showing.commands.show", "show a plan: before, after, and all commands"),
    "export": Sentence("faces.showing.commands.export", "export a plan for sfdisk or systemd-repart"),
    "apply": Sentence("faces.showing.commands.apply", "apply a plan exactly as shown"),
    "ensure": Sentence(
        "faces.showing.commands.ensure", "make drives match a file; changes only what differs"
    ),
    "move": Sentence("faces.showing.commands.move", "move a misaligned partition in place"),
    "bring": Sentence(
        "faces.showing.commands.bring", "copy a folder or a filesystem to a volume, and compare"
    ),
    "label": Sentence("faces.showing.commands.label", "change the label of a filesystem"),
    "mount": Sentence("faces.showing.commands.mount", "mount a filesystem, now and at every boot"),
    "unmount": Sentence("faces.showing.commands.unmount", "unmount a filesystem"),
    "remount": Sentence("faces.showing.commands.remount", "change mount options"),
    "grow": Sentence("faces.showing.commands.grow", "grow a mounted filesystem into free space"),
    "power-off": Sentence("faces.showing.commands.power-off", "unmount and power off a removable drive"),
    "status": Sentence("faces.showing.commands.status", "list runs, waiting ones first"),
    "look": Sentence("faces.showing.commands.look", "show the result of a waiting run, read-only"),
    "keep": Sentence("faces.showing.commands.keep", "keep the result of a waiting run for good"),
    "undo": Sentence(
        "faces.showing.commands.undo", "restore the old content, bit for bit, unless the run was kept"
    ),
    "resume": Sentence("faces.showing.commands.resume", "continue an interrupted run"),
    "report": Sentence("faces.showing.commands.report", "save a run or a plan as one HTML page or as JSON"),
    "install": Sentence("faces.showing.commands.install", "install missing tools with your package manager"),
    "demo": Sentence("faces.showing.commands.demo", "try the wizard on a disposable drive"),
}
"""By the command's name."""

FOLDERS = {
    "looking": Sentence("faces.showing.commands.looking", "Inspect and advise"),
    "measuring": Sentence("faces.showing.commands.measuring", "Measure"),
    "planning": Sentence("faces.showing.commands.planning", "Plan"),
    "changing": Sentence("faces.showing.commands.changing", "Change drives"),
    "runs": Sentence("faces.showing.commands.runs", "Runs"),
    "itself": Sentence("faces.showing.commands.itself", "This system"),
}
"""By the folder of the commands."""

USAGE = Sentence("faces.showing.commands.usage", "usage: diskwright [COMMAND] [...]")
WIZARD = Sentence(
    "faces.showing.commands.wizard",
    "Without a command, the wizard starts. It writes nothing until you have seen every change and typed the "
    "drive's serial number. With --plain, or on a terminal that only prints, it asks line by line.",
)
FIRST_LOOK = Sentence("faces.showing.commands.first-look", "a first look, without root")
TRY = Sentence("faces.showing.commands.try", "try everything on a disposable drive")
WHOLE = Sentence(
    "faces.showing.commands.whole",
    "plan a whole drive for large media files",
)
SHOW = Sentence("faces.showing.commands.show-plan", "show the drive before and after, and every command")
APPLY = Sentence("faces.showing.commands.apply-plan", "apply it; a drive that had data then waits for you")
KEEP = Sentence("faces.showing.commands.keep-it", "keep the result")
UNDO = Sentence("faces.showing.commands.undo-it", "restore the old content, bit for bit")

OWN_HELP = Sentence(
    "faces.showing.commands.own-help",
    "See `diskwright COMMAND --help` for options and examples.",
)
DEBUG = Sentence(
    "faces.showing.commands.debug",
    "--debug writes a log for bug reports, with any command. Add --with-serials to include serial numbers.",
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
