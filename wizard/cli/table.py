"""All commands: name, summary, function, arguments and examples, by group in the order of the help."""

from dataclasses import replace

from wizard.cli.command import (
    CONFIRM_ONCE,
    DRIVE,
    JOURNAL,
    JSON,
    MACHINE,
    OUTPUT,
    PLAIN,
    WORKLOAD,
    Argument,
    CommandRow,
    plain,
    root,
)
from wizard.cli.rows_changing import CHANGING, RUNS
from wizard.cli.rows_planning import PLANNING
from wizard.model.said import t

WIZARD = CommandRow(
    "",
    t("set up a drive, or work on existing volumes"),
    "open_wizard:open_wizard",
    (
        Argument("device DEVICE?", t("start with this drive or partition, such as /dev/sdb"), default=""),
        MACHINE,
        JOURNAL,
        PLAIN,
    ),
    (root(), plain(), root("/dev/sdX"), plain("--machine recorded.json"), root("--plain")),
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
            replace(DRIVE, spec="devices DEVICE*"),
            JSON,
            Argument("--all", t("include empty loop devices, RAM disks, layers and empty card readers")),
            Argument("--save FILE", t("record the raw facts in FILE, for a bug report"), group="from"),
            replace(MACHINE, group="from"),
        ),
        (
            plain("inspect"),
            root("inspect /dev/sdb --json | jq .drives[].findings"),
            plain("inspect --machine mine.json"),
        ),
        (t("Never writes to a drive. Without root, unreadable facts are listed with the reason."),),
        probes=True,
    ),
    CommandRow(
        "advise",
        t("recommend a filesystem and options for a drive and a workload"),
        "inspect:advise_drive",
        (DRIVE, WORKLOAD, JSON, MACHINE),
        (
            plain("advise /dev/sdX --workload large-media"),
            plain("advise /dev/sdX --workload small-files --json | jq .choices[0]"),
        ),
        probes=True,
    ),
    CommandRow(
        "workloads",
        t("list workloads"),
        "lists:workloads",
        (JSON,),
        (plain("workloads"), plain("workloads --json | jq -r .workloads[].id")),
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
            JSON,
            MACHINE,
        ),
        (plain("options ext4"), plain("options btrfs --danger --json")),
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
        (Argument("term TERM*", t("a term, in any spelling (default: all)")), JSON),
        (plain("glossary 512e"), plain("glossary stripe width")),
        (
            t(
                "Add your own as TOML files in the folder glossary of /etc/diskwright or "
                "~/.config/diskwright. In the wizard, press F2."
            ),
        ),
    ),
)

SECONDS = Argument(
    "--seconds N", t("time limit in seconds (30; with --shingled 1800)"), convert="builtins:float"
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
            CONFIRM_ONCE,
            Argument("--shingled", t("with --scratch: look for the write cliff of a shingled drive")),
            Argument("--quick", t("with --shingled: one-minute test, unconfirmed on real drives")),
            SECONDS,
            MOST_BYTES,
            Argument("--assume-physical BYTES", t("assume this physical block size")),
            JSON,
            OUTPUT,
        ),
        (
            root("bench /dev/sdX"),
            root("bench /dev/sdX1"),
            root("bench /dev/sdX --assume-physical 4096"),
            root("bench /dev/sdX --scratch --confirm SERIAL -o verdict.json"),
            root("bench /dev/sdX --scratch --shingled --quick --confirm SERIAL"),
        ),
        (t("No byte changes, even with --shingled, but a shingled drive is slow for a while afterwards."),),
        probes=True,
    ),
    CommandRow(
        "trial",
        t("compare filesystems in a drive's free space"),
        "measure:trial",
        (
            DRIVE,
            WORKLOAD,
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
            CONFIRM_ONCE,
            JSON,
            OUTPUT,
        ),
        (
            root("trial /dev/sdX --workload small-files"),
            root("trial /dev/sdX --workload small-files --with xfs,btrfs --aged --confirm SERIAL"),
            root("trial /dev/sdX --workload small-files --misaligned --confirm SERIAL"),
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
        (root("install mkfs.exfat"), root("install cryptsetup lvm2 --yes")),
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
            replace(PLAIN, group="way"),
            Argument("--by-itself", t("run the whole demo without asking"), group="way"),
        ),
        (root("demo"), root("demo --plain"), root("demo --by-itself")),
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
