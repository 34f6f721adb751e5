"""All commands: name, summary, function, arguments and examples, by group in the order of the help."""

from msgspec.structs import replace

from wizard.cli import command
from wizard.cli.command import Argument, CommandRow
from wizard.cli.rows_changing import CHANGING, RUNS
from wizard.cli.rows_planning import PLANNING
from wizard.model.said import t

WIZARD = CommandRow(
    "",
    t("set up a drive, or work on existing volumes"),
    "open_wizard:open_wizard",
    (
        Argument("device DEVICE?", t("start with this drive or partition, such as /dev/sdb"), default=""),
        command.MACHINE,
        command.JOURNAL,
        command.PLAIN,
    ),
    (
        "sudo diskwright",
        "diskwright",
        "sudo diskwright /dev/sdX",
        "diskwright --machine recorded.json",
        "sudo diskwright --plain",
    ),
    (
        t(
            "Five screens: drives, purpose, plan, review, work. Press ? or F1 for help, F2 for the "
            "glossary, Esc to go back."
        ),
    ),
    probes=True,
)

_LOOKING = (
    CommandRow(
        "inspect",
        t("list drives and findings"),
        "inspect:inspect",
        (
            replace(command.DRIVE, spec="devices DEVICE*"),
            command.JSON,
            Argument("--all", t("include empty loop devices, RAM disks, layers and empty card readers")),
            Argument("--save FILE", t("record the raw facts in FILE, for a bug report"), group="from"),
            replace(command.MACHINE, group="from"),
        ),
        (
            "diskwright inspect",
            "sudo diskwright inspect /dev/sdb --json | jq .drives[].findings",
            "diskwright inspect --machine mine.json",
        ),
        (t("Never writes to a drive. Without root, unreadable facts are listed with the reason."),),
        probes=True,
    ),
    CommandRow(
        "advise",
        t("recommend a filesystem and options for a drive and a workload"),
        "inspect:advise_drive",
        (command.DRIVE, command.WORKLOAD, command.JSON, command.MACHINE),
        (
            "diskwright advise /dev/sdX --workload large-media",
            "diskwright advise /dev/sdX --workload small-files --json | jq .choices[0]",
        ),
        probes=True,
    ),
    CommandRow(
        "workloads",
        t("list workloads"),
        "lists:workloads",
        (command.JSON,),
        ("diskwright workloads", "diskwright workloads --json | jq -r .workloads[].id"),
        (
            t(
                "Add your own as TOML files in the folder workloads of /etc/diskwright or "
                "~/.config/diskwright. A workload with an existing id replaces that workload."
            ),
        ),
    ),
    CommandRow(
        "options",
        t("list options of mkfs, mount and tune2fs with effect, danger and kernels"),
        "lists:options",
        (
            Argument("filesystem FILESYSTEM?", t("list only this filesystem's options, such as ext4")),
            Argument("--danger", t("list only options that endanger data")),
            command.JSON,
            command.MACHINE,
        ),
        ("diskwright options ext4", "diskwright options btrfs --danger --json"),
        (
            t(
                "Pass the name in brackets to `diskwright plan --option`. Options of tune are for existing "
                "filesystems, and listed for reference only."
            ),
            t("Add your own as TOML files in the folder options of /etc/diskwright or ~/.config/diskwright."),
        ),
    ),
    CommandRow(
        "glossary",
        t("explain a word, such as 512e, SMR or stripe width"),
        "lists:glossary",
        (Argument("term TERM*", t("a term, in any spelling (default: all)")), command.JSON),
        ("diskwright glossary 512e", "diskwright glossary stripe width"),
        (
            t(
                "Add your own as TOML files in the folder glossary of /etc/diskwright or "
                "~/.config/diskwright. In the wizard, press F2."
            ),
        ),
    ),
)

MOST_BYTES = Argument("--most-bytes SIZE", t("limit of written data, such as 8G (32G)"))

_MEASURING = (
    CommandRow(
        "bench",
        t("measure aligned against misaligned access, or find a shingled drive's write cliff"),
        "measure:bench",
        (
            Argument("device DEVICE", t("a drive, such as /dev/sdb, or a partition")),
            Argument("--scratch", t("measure writes, in free space only, rewriting the same bytes")),
            command.CONFIRM_ONCE,
            Argument("--shingled", t("with --scratch: look for the write cliff of a shingled drive")),
            Argument("--quick", t("with --shingled: one-minute test, unconfirmed on real drives")),
            Argument(
                "--seconds N", t("time limit in seconds (30; with --shingled 1800)"), convert="builtins:float"
            ),
            MOST_BYTES,
            Argument("--assume-physical BYTES", t("assume this physical block size")),
            command.JSON,
            command.OUTPUT,
        ),
        (
            "sudo diskwright bench /dev/sdX",
            "sudo diskwright bench /dev/sdX1",
            "sudo diskwright bench /dev/sdX --assume-physical 4096",
            "sudo diskwright bench /dev/sdX --scratch --confirm SERIAL -o verdict.json",
            "sudo diskwright bench /dev/sdX --scratch --shingled --quick --confirm SERIAL",
        ),
        (t("No byte changes, even with --shingled, but a shingled drive is slow for a while afterwards."),),
        probes=True,
    ),
    CommandRow(
        "trial",
        t("compare filesystems in a drive's free space"),
        "measure:trial",
        (
            command.DRIVE,
            command.WORKLOAD,
            Argument("--fs FS", t("filesystem to test (default: the recommended one)")),
            Argument(
                "--with FS,...",
                t("filesystems to compare with (default: the next in the ranking)"),
                dest="others",
            ),
            Argument(
                "--misaligned", t("compare with itself on a misaligned partition, starting at sector 34")
            ),
            Argument("--rounds N", t("maximum number of rounds, 6 to 24 (24)"), convert="builtins:int"),
            Argument("--seconds N", t("time limit in seconds (90 per filesystem)"), convert="builtins:float"),
            MOST_BYTES,
            Argument("--aged", t("first fill each volume to 85 % and delete half, three times")),
            command.CONFIRM_ONCE,
            command.JSON,
            command.OUTPUT,
        ),
        (
            "sudo diskwright trial /dev/sdX --workload small-files",
            "sudo diskwright trial /dev/sdX --workload small-files --with xfs,btrfs --aged --confirm SERIAL",
            "sudo diskwright trial /dev/sdX --workload small-files --misaligned --confirm SERIAL",
        ),
        (
            t(
                "Creates each filesystem at the planned position of the volume, and runs the workload "
                "there. Writes only in free space. Deleted files there are lost for good; tables and "
                "partitions do not change."
            ),
        ),
        probes=True,
    ),
)

_ITSELF = (
    CommandRow(
        "install",
        t("install missing tools with your package manager"),
        "install:install_tools",
        (
            Argument("names NAME+", t("a program, such as mkfs.exfat, or a package")),
            Argument("--yes", t("do not ask")),
        ),
        ("sudo diskwright install mkfs.exfat", "sudo diskwright install cryptsetup lvm2 --yes"),
        (
            t(
                "Installs packages and dependencies, after one question that shows the size. Never removes "
                "packages."
            ),
        ),
    ),
    CommandRow(
        "demo",
        t("try the wizard on a disposable drive"),
        "open_wizard:demo",
        (
            replace(command.PLAIN, group="way"),
            Argument("--by-itself", t("run the whole demo without asking"), group="way"),
        ),
        ("sudo diskwright demo", "sudo diskwright demo --plain", "sudo diskwright demo --by-itself"),
        (
            t(
                "The drive is a sparse file on a loop device. No other drive is touched, and no trace "
                "remains, not even in /etc/fstab. Without a terminal, the demo runs unattended, and exits "
                "with 0 only if all checks pass."
            ),
        ),
    ),
)

GROUPS = {
    t("Inspect and advise"): _LOOKING,
    t("Measure"): _MEASURING,
    t("Plan"): PLANNING,
    t("Change drives"): CHANGING,
    t("Runs"): RUNS,
    t("This system"): _ITSELF,
}
"""Commands by heading."""

COMMANDS = {one.name: one for commands in GROUPS.values() for one in commands}
ROWS = {WIZARD.name: WIZARD} | COMMANDS
