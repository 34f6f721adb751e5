"""`python -m tests.studies [--check]`: renew or check the tables in docs/studies.md.

The tables of filesystems and loads come from the program and its profiles. The tools of the studies, and what
diskwright offers instead, are listed here.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatch

from tests.readme import renew
from wizard.advice.catalogue import load_catalogue
from wizard.advice.evidence import load_evidence
from wizard.advice.workloads import Profile, Ranking, load_workloads
from wizard.benchmark.loads.load_table import LOADS, PROGRAMS, phases_of
from wizard.cli.table import COMMANDS
from wizard.documents.profiles import BUNDLED
from wizard.filesystems.kind import FilesystemKind, MadeKind
from wizard.filesystems.registry import KINDS, MADE
from wizard.model.advice import Rank

ALIGNMENT, CHOICE, EXT, STRIPING, SHINGLED = STUDIES = ("alignment", "choice", "ext", "striping", "shingled")
"""The studies, by the first word of their measurements' ids."""

NAMED = {
    CHOICE: ("btrfs", "jffs2", "nilfs2", "yaffs2"),
    STRIPING: ("swap",),
    SHINGLED: ("vfat", "ntfs"),
}
"""Filesystems that a study names without a figure of them."""


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool of a study, or an action that it recommends.

    `does`: what diskwright offers instead, with its `commands`. `loads`: loads of a trial that repeat the
    test. `options`: patterns of option ids in the catalogue.
    """

    name: str
    studies: tuple[str, ...]
    does: str
    loads: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()
    options: tuple[str, ...] = ()


TOOLS = (
    Tool(
        "kernel sources or ports tree: tar, cp, rm, ls, find",
        (ALIGNMENT, CHOICE, STRIPING),
        "Trial repeats this test.",
        ("kernel-tree",),
    ),
    Tool(
        "a million files: create, copy, delete",
        (CHOICE,),
        "Trial repeats this test with fewer files.",
        ("many-files",),
    ),
    Tool(
        "a large file: copy, copy within the volume, delete",
        (ALIGNMENT, CHOICE, STRIPING),
        "Trial repeats this test.",
        ("large-file",),
    ),
    Tool("dd, 1 KB at a time", (CHOICE,), "Trial repeats this test.", ("dd-1k",)),
    Tool("dd, 1 MB at a time", (CHOICE,), "Trial repeats this test.", ("dd-1m",)),
    Tool("PostMark", (CHOICE,), "Trial repeats this test with PostMark's default sizes.", ("postmark",)),
    Tool(
        "Randomio",
        (CHOICE,),
        "Trial repeats this test through the page cache, and adds a small database that syncs each write.",
        ("random-io", "random-sync", "fio-random"),
    ),
    Tool(
        "Bonnie++",
        (CHOICE,),
        "Trial repeats block reads and writes, seeks, file creation and deletion.",
        ("dd-1m", "random-io", "many-files"),
    ),
    Tool(
        "IOzone",
        (CHOICE, EXT),
        "Trial repeats random records of 4 KiB to 1 MiB, rewrites, backward and strided reads. fread "
        "and fwrite measure the C library and are not repeated.",
        ("record-sizes", "patterns", "dd-1m"),
    ),
    Tool(
        "FileBench: randomread, randomwrite (no figures)",
        (CHOICE,),
        "Trial repeats both in one load.",
        ("random-io", "fio-random"),
    ),
    Tool("FileBench: varmail", (CHOICE,), "Trial repeats this test.", ("varmail",)),
    Tool("FileBench: webproxy", (CHOICE,), "Trial repeats this test.", ("webproxy",)),
    Tool(
        "FileBench: videoserver", (CHOICE,), "Trial repeats this test without a rate limit.", ("videoserver",)
    ),
    Tool(
        "FileBench: fileserver",
        (SHINGLED,),
        "Trial repeats this test within the drive's cache.",
        ("fileserver",),
    ),
    Tool("Attic", (SHINGLED,), "Trial repeats the writes of a backup.", ("backup",)),
    Tool(
        "rsync",
        (SHINGLED,),
        "Trial repeats the writes to the target drive. Advice: noatime.",
        ("rsync",),
        options=("noatime",),
    ),
    Tool(
        "mkfs",
        STUDIES,
        "Creates filesystems with the recommended options: `plan`, `apply`.",
        commands=("plan", "apply"),
    ),
    Tool(
        "mount and umount",
        STUDIES,
        "Mounts now and at boot: `mount`, `unmount`. Trials include the unmount time.",
        commands=("mount", "unmount"),
    ),
    Tool(
        "a misaligned partition, from sector 34 instead of 40",
        (ALIGNMENT,),
        "Reports misalignment, aligns new partitions, measures the cost: `bench`.",
        commands=("bench",),
    ),
    Tool("LVM", (ALIGNMENT,), "Recognises LVM and creates aligned volumes: `plan`.", commands=("plan",)),
    Tool(
        "ccd and vinum (striping, RAID 0)",
        (STRIPING,),
        "Supports the Linux equivalents: md and Btrfs: `plan`.",
        commands=("plan",),
    ),
    Tool(
        "tune2fs to remove the journal",
        (CHOICE,),
        "Advises against removing the journal: `options`.",
        commands=("options",),
        options=("ext4-no-journal",),
    ),
    Tool(
        "mount options: barriers off, data=writeback, noatime, nodiratime, notail",
        (CHOICE,),
        "Recommends noatime. Explains why the others are not recommended: `options`.",
        commands=("options",),
        options=("noatime", "ext4-data-writeback"),
    ),
    Tool(
        "schedulers: deadline, anticipatory",
        (CHOICE,),
        "Recommends current schedulers, and explains their successors: `options`, `tune`.",
        commands=("options", "tune"),
        options=("*deadline*", "*anticipatory*"),
    ),
    Tool(
        "e4defrag",
        (EXT,),
        "Recommended if it helps: `tune`.",
        commands=("tune",),
        options=("tune-ext4-defragment",),
    ),
    Tool("ext3 to ext4 in place", (EXT,), "Converts, with undo: `migrate`.", commands=("migrate",)),
    Tool(
        "resizing a filesystem",
        (SHINGLED,),
        "Grows in use: `grow`. Growing and shrinking unmounted: `plan`.",
        commands=("grow",),
    ),
    Tool(
        "dd of whole filesystems",
        (SHINGLED,),
        "Not supported: copying whole filesystems.",
    ),
    Tool("smartctl", (SHINGLED,), "Reports the same values in words: `inspect`.", commands=("inspect",)),
    Tool("fsck", (EXT,), "Runs the filesystem's checker after creation: `apply`.", commands=("apply",)),
    Tool("compiling the kernel", (CHOICE,), "Not repeated: measures the processor."),
)


def faults() -> Iterator[str]:
    """Return a sentence for each error in the tables."""
    catalogue = set(load_catalogue())
    for tool in TOOLS:
        for load in tool.loads:
            if load not in LOADS:
                yield f"{tool.name}: there is no load {load}."
        for command in tool.commands:
            if command not in COMMANDS or f"`{command}`" not in tool.does:
                yield f"{tool.name}: {command} is not a command, or missing in the text."
        for pattern in tool.options:
            if not any(fnmatch(option, pattern) for option in catalogue):
                yield f"{tool.name}: the catalogue has no option {pattern}."
    for load in LOADS:
        if not any(load in tool.loads for tool in TOOLS):
            yield f"No tool here lists the load {load}."


def studied() -> dict[str, set[str]]:
    """Return the studies that name each filesystem, by libblkid's name."""
    found: dict[str, set[str]] = {}
    for card in load_evidence().values():
        for configuration, _ in card.figures:
            name = configuration.split()[0]
            if name in KINDS:
                found.setdefault(name, set()).add(card.id.split("-")[0])
    for study, names in NAMED.items():
        for name in names:
            found.setdefault(name, set()).add(study)
    return found


def filesystems(profiles: Sequence[Profile]) -> str:
    """Return the table of filesystems in the usual order."""
    studies = studied()
    lines = [
        "| filesystem | studies | recognises | recommends | creates | mounts | trial |",
        "|---|---|---|---|---|---|---|",
    ]
    for kind in (kind for kind in KINDS.values() if kind.name in studies):
        named = ", ".join(study for study in STUDIES if study in studies[kind.name])
        creates = "yes" if kind.name in MADE else "no"
        tries = "yes" if isinstance(kind, MadeKind) and kind.mounts else "no"
        told = (named, "yes", _advised(kind, profiles), creates, _mounts(kind), tries)
        lines.append(f"| {kind.title} | {' | '.join(told)} |")
    return "\n".join(lines)


def _advised(kind: FilesystemKind, profiles: Sequence[Profile]) -> str:
    """Return the workloads for which a filesystem is first or second choice."""
    said = []
    for place, word in ((Rank.RECOMMENDED, "first for"), (Rank.ALTERNATIVE, "second for")):
        usual = _purposes(kind, place, [(one, one.usual) for one in profiles])
        shingled = _purposes(kind, place, [(one, one.shingled) for one in profiles])
        said += [f"{word} {', '.join(f'`{name}`' for name in usual)}"] if usual else []
        if more := [name for name in shingled if name not in usual]:
            said.append(f"on shingled drives {word} {', '.join(f'`{name}`' for name in more)}")
    return "; ".join(said) or "no"


def _purposes(kind: FilesystemKind, place: Rank, rankings: Sequence[tuple[Profile, Ranking]]) -> list[str]:
    return [
        profile.workload.id
        for profile, ranking in rankings
        for one in ranking.choices
        if one.filesystem == kind.name and one.place is place
    ]


def _mounts(kind: FilesystemKind) -> str:
    if isinstance(kind, MadeKind):
        return "yes" if kind.mounts else "enables swap"
    return "if the kernel supports it"


def not_created() -> str:
    """Return the table of filesystems that diskwright does not create."""
    lines = ["| filesystem | why diskwright does not create it | where to move the files |", "|---|---|---|"]
    lines += [
        f"| {kind.title} | {kind.why_not} | {kind.way_off} |"
        for kind in KINDS.values()
        if kind.name in studied() and kind.name not in MADE
    ]
    return "\n".join(lines)


def tools() -> str:
    """Return the table of tools."""
    lines = ["| tool | studies | what diskwright does | loads |", "|---|---|---|---|"]
    for tool in TOOLS:
        loads = ", ".join(f"`{load}`" for load in tool.loads)
        named = "all" if tool.studies == STUDIES else ", ".join(tool.studies)
        lines.append(f"| {tool.name} | {named} | {tool.does} | {loads} |")
    return "\n".join(lines)


def loads() -> str:
    """Return the table of loads and their phases."""
    lines = ["| load | phases | counted in |", "|---|---|---|"]
    for name in LOADS:
        phases = phases_of(name, 0.01, 1)
        steps = ", ".join(phase.name for phase in phases)
        units = ", ".join(dict.fromkeys(str(phase.unit) for phase in phases))
        program = f" ({PROGRAMS[name]})" if name in PROGRAMS else ""
        lines.append(f"| `{name}`{program} | {steps} | {units} |")
    return "\n".join(lines)


def main() -> None:
    """Renew or check the tables in docs/studies.md."""
    profiles = load_workloads()
    if any(not profile.workload.origin.startswith(str(BUNDLED)) for profile in profiles):
        raise SystemExit("custom workloads found; docs/studies.md describes the bundled ones")
    if wrong := list(faults()):
        raise SystemExit("\n".join(wrong))
    parts = {
        "studied-filesystems": filesystems(profiles),
        "ways-off": not_created(),
        "studied-tools": tools(),
        "trial-loads": loads(),
    }
    for mark, text in parts.items():
        renew(mark, text, "python -m tests.studies")


if __name__ == "__main__":
    main()
