"""What `diskwright --help` says: the commands, and how to begin."""

from wizard.model.said import Sentence, t

SAYS = {
    "inspect": Sentence("list drives and problems with their use"),
    "advise": Sentence("recommend a filesystem and options for a drive and a workload"),
    "workloads": Sentence("list workloads"),
    "options": Sentence("list options of mkfs, mount and tune2fs with effect, danger and kernels"),
    "glossary": Sentence("explain a word, such as 512e, SMR or stripe width"),
    "bench": Sentence("measure aligned against misaligned access, or find a shingled drive's write cliff"),
    "trial": Sentence("compare filesystems in a drive's free space"),
    "plan": Sentence("plan a layout; writes nothing to the drive"),
    "tune": Sentence("suggest better settings for an existing filesystem"),
    "migrate": Sentence("compare conversions from ext2 or ext3 to ext4, or save one as a plan"),
    "show": Sentence("show a plan: before, after, and all commands"),
    "export": Sentence("export a plan for sfdisk or systemd-repart"),
    "apply": Sentence("apply a plan exactly as shown"),
    "ensure": Sentence("make drives match a file; changes only what differs"),
    "move": Sentence("move a misaligned partition in place"),
    "bring": Sentence("copy a folder or a filesystem to a volume, and compare"),
    "label": Sentence("change the label of a filesystem"),
    "mount": Sentence("mount a filesystem, now and at every boot"),
    "unmount": Sentence("unmount a filesystem"),
    "remount": Sentence("change mount options"),
    "grow": Sentence("grow a mounted filesystem into free space"),
    "power-off": Sentence("unmount and power off a removable drive"),
    "status": Sentence("list runs, waiting ones first"),
    "look": Sentence("show the result of a waiting run, read-only"),
    "keep": Sentence("keep the result of a waiting run for good"),
    "undo": Sentence("restore the old content, bit for bit, unless the run was kept"),
    "resume": Sentence("continue an interrupted run"),
    "report": Sentence("save a run or a plan as one HTML page or as JSON"),
    "install": Sentence("install missing tools with your package manager"),
    "demo": Sentence("try the wizard on a disposable drive"),
}
"""By the command's name."""

FOLDERS = {
    "looking": Sentence("Inspect and advise"),
    "measuring": Sentence("Measure"),
    "planning": Sentence("Plan"),
    "changing": Sentence("Change drives"),
    "runs": Sentence("Runs"),
    "itself": Sentence("This system"),
}
"""By the folder of the commands."""

USAGE = t("usage: diskwright [COMMAND] [...]")
WIZARD = t(
    "Without a command, the wizard starts. It writes nothing until you have seen every change and typed the "
    "drive's serial number. With --plain, or on a terminal that only prints, it asks line by line."
)
FIRST_LOOK = t("a first look, without root")
TRY = t("try everything on a disposable drive")
WHOLE = t("plan a whole drive for large media files")
SHOW = t("show the drive before and after, and every command")
APPLY = t("apply it; a drive that had data then waits for you")
KEEP = t("keep the result")
UNDO = t("restore the old content, bit for bit")

OWN_HELP = t("See `diskwright COMMAND --help` for options and examples.")
DEBUG = t(
    "--debug writes a log for bug reports, with any command. Add --with-serials to include serial numbers."
)
EXIT_CODES = Sentence("Exit codes: {codes:list}.")
CODES = (
    Sentence("0 done"),
    Sentence("1 failed"),
    Sentence("2 wrong usage or unreadable input"),
    Sentence("3 refused for safety (nothing written)"),
    Sentence("4 interrupted"),
    Sentence("5 changed, only with --detailed-exitcode"),
    Sentence("130 ended by you"),
)
