"""`python -m tests.studies [--check]`: what diskwright does with all that the studies name.

What is recognised, made and advised, the ways off and the loads come from the program and its profiles. What
the studies name, and what answers a tool of theirs, is written down here.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatch

from tests.readme import renew
from wizard.advice.catalogue import load_catalogue
from wizard.advice.evidence import load_evidence
from wizard.advice.workloads import Profile, RankedChoice, load_workloads
from wizard.benchmark.loads.load import LOADS
from wizard.cli.main import COMMANDS
from wizard.documents.profiles import BUNDLED
from wizard.filesystems.kind import FilesystemKind, MadeKind
from wizard.filesystems.registry import KINDS
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
    """What a study used or advised.

    `does` says what diskwright does with it, and `loads` are those that do its work. `commands` are those of
    diskwright that `does` names; `options` are patterns of ids in the catalogue that it speaks of.
    """

    name: str
    studies: tuple[str, ...]
    does: str
    loads: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()
    options: tuple[str, ...] = ()


TOOLS = (
    Tool(
        "the kernel's sources (or the ports tree) by tar, cp, rm, ls and find",
        (ALIGNMENT, CHOICE, STRIPING),
        "Tries it.",
        ("kernel-tree",),
    ),
    Tool("a million files made, copied and removed", (CHOICE,), "Tries it, with fewer.", ("many-files",)),
    Tool(
        "a large file copied, copied within the volume, and removed",
        (ALIGNMENT, CHOICE, STRIPING),
        "Tries it.",
        ("large-file",),
    ),
    Tool("dd, 1 KB at a time", (CHOICE,), "Tries it.", ("dd-1k",)),
    Tool("dd, 1 MB at a time", (CHOICE,), "Tries it.", ("dd-1m",)),
    Tool("PostMark", (CHOICE,), "Tries it, with PostMark's own sizes.", ("postmark",)),
    Tool(
        "Randomio",
        (CHOICE,),
        "Tries it, through the page cache; and a small database that waits for each write.",
        ("random-io", "random-sync", "fio-random"),
    ),
    Tool(
        "Bonnie++",
        (CHOICE,),
        "Tries its reading and writing in blocks, its seeks, and its making and deleting.",
        ("dd-1m", "random-io", "many-files"),
    ),
    Tool(
        "IOzone",
        (CHOICE, EXT),
        "Tries its random records of 4 KiB to 1 MiB, rewriting, and reading backwards and in strides. fread "
        "and fwrite are left out, since they measure the C library.",
        ("record-sizes", "patterns", "dd-1m"),
    ),
    Tool(
        "FileBench: randomread, randomwrite (no figures)",
        (CHOICE,),
        "Tries both together.",
        ("random-io", "fio-random"),
    ),
    Tool("FileBench: varmail", (CHOICE,), "Tries it.", ("varmail",)),
    Tool("FileBench: webproxy", (CHOICE,), "Tries it.", ("webproxy",)),
    Tool("FileBench: videoserver", (CHOICE,), "Tries it, as fast as it goes.", ("videoserver",)),
    Tool("FileBench: fileserver", (SHINGLED,), "Tries it, within a drive's cache.", ("fileserver",)),
    Tool("Attic", (SHINGLED,), "Tries what it does to a drive.", ("backup",)),
    Tool(
        "rsync",
        (SHINGLED,),
        "Tries what it does to the drive that it copies to, and advises noatime.",
        ("rsync",),
        options=("noatime",),
    ),
    Tool(
        "mkfs",
        STUDIES,
        "Creates with the options of its advice: `plan` and `apply`.",
        commands=("plan", "apply"),
    ),
    Tool(
        "mount and umount",
        STUDIES,
        "Mounts, also at every start: `mount`, `unmount`. A trial times the unmounting, too.",
        commands=("mount", "unmount"),
    ),
    Tool(
        "a misaligned partition, from sector 34 instead of 40",
        (ALIGNMENT,),
        "Recognises it, aligns what it makes, and tries what it costs on the drive: `bench`.",
        commands=("bench",),
    ),
    Tool("LVM", (ALIGNMENT,), "Recognises and creates it, aligned: `plan`.", commands=("plan",)),
    Tool(
        "ccd and vinum (striping, RAID 0)",
        (STRIPING,),
        "Advises nothing of FreeBSD's; creates the same by md, LVM or Btrfs: `plan`.",
        commands=("plan",),
    ),
    Tool(
        "tune2fs, which takes the journal away",
        (CHOICE,),
        "Knows it and advises against it: `options`.",
        commands=("options",),
        options=("ext4-no-journal",),
    ),
    Tool(
        "mount options: barriers off, data=writeback, noatime, nodiratime, notail",
        (CHOICE,),
        "Advises noatime. It knows the others, and says of each why it does not: `options`.",
        commands=("options",),
        options=("noatime", "ext4-data-writeback"),
    ),
    Tool(
        "schedulers: deadline, anticipatory",
        (CHOICE,),
        "Advises those of today, and knows what became of these: `options`, `tune`.",
        commands=("options", "tune"),
        options=("*deadline*", "*anticipatory*"),
    ),
    Tool(
        "e4defrag",
        (EXT,),
        "Names it where it helps: `tune`.",
        commands=("tune",),
        options=("tune-ext4-defragment",),
    ),
    Tool("ext3 to ext4 in place", (EXT,), "Does it, and takes it back: `migrate`.", commands=("migrate",)),
    Tool("resizing a filesystem", (SHINGLED,), "Makes it larger, never smaller: `grow`.", commands=("grow",)),
    Tool(
        "dd of whole filesystems",
        (SHINGLED,),
        "Does not copy filesystems.",
    ),
    Tool("smartctl", (SHINGLED,), "Reads the same and says it in words: `inspect`.", commands=("inspect",)),
    Tool("fsck", (EXT,), "Runs each filesystem's checker after making it: `apply`.", commands=("apply",)),
    Tool("compiling the kernel", (CHOICE,), "Not tried: it measures the processor."),
)


def faults() -> Iterator[str]:
    """Sentences on what would make the page say what is not so."""
    catalogue = set(load_catalogue())
    for tool in TOOLS:
        for load in tool.loads:
            if load not in LOADS:
                yield f"{tool.name}: there is no load {load}."
        for command in tool.commands:
            if command not in COMMANDS or f"`{command}`" not in tool.does:
                yield f"{tool.name}: {command} is no command, or not told."
        for pattern in tool.options:
            if not any(fnmatch(option, pattern) for option in catalogue):
                yield f"{tool.name}: the catalogue has no option {pattern}."
    for load in LOADS:
        if not any(load in tool.loads for tool in TOOLS):
            yield f"The load {load} does the work of no tool here."


def studied() -> dict[str, set[str]]:
    """The filesystems of the studies, by libblkid's names, and which studies name each."""
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
    """The table of filesystems, in the order in which they are listed everywhere."""
    studies = studied()
    lines = [
        "| filesystem | studies | recognises | advises | creates | mounts | tries |",
        "|---|---|---|---|---|---|---|",
    ]
    for kind in (kind for kind in KINDS.values() if kind.name in studies):
        named = ", ".join(study for study in STUDIES if study in studies[kind.name])
        creates = "yes" if kind.made else "no"
        tries = "yes" if isinstance(kind, MadeKind) and kind.mounts else "no"
        told = (named, "yes", _advised(kind, profiles), creates, _mounts(kind), tries)
        lines.append(f"| {kind.title} | {' | '.join(told)} |")
    return "\n".join(lines)


def _advised(kind: FilesystemKind, profiles: Sequence[Profile]) -> str:
    """For which purposes it is chosen, or second, on any drive."""
    said = []
    for place, word in ((Rank.CHOSEN, "first for"), (Rank.SECOND, "second for")):
        usual = _purposes(kind, profiles, place, lambda one: one.usual)
        shingled = _purposes(kind, profiles, place, lambda one: one.shingled)
        said += [f"{word} {', '.join(f'`{name}`' for name in usual)}"] if usual else []
        if more := [name for name in shingled if name not in usual]:
            said.append(f"on shingled drives {word} {', '.join(f'`{name}`' for name in more)}")
    return "; ".join(said) or "no"


def _purposes(
    kind: FilesystemKind, profiles: Sequence[Profile], place: Rank, standing: Callable[..., RankedChoice]
) -> list[str]:
    return [
        profile.workload.id
        for profile in profiles
        for one in profile.candidates
        if one.filesystem == kind.name and standing(one).place is place
    ]


def _mounts(kind: FilesystemKind) -> str:
    if isinstance(kind, MadeKind):
        return "yes" if kind.mounts else "turns it on"
    return "where the kernel has it"


def ways_off() -> str:
    """Those of the studies that are not made: why, and where their files can go."""
    lines = ["| filesystem | why it is not made | the way off |", "|---|---|---|"]
    lines += [
        f"| {kind.title} | {kind.why_not} | {kind.way_off} |"
        for kind in KINDS.values()
        if kind.name in studied() and not kind.made
    ]
    return "\n".join(lines)


def tools() -> str:
    """The table of tools."""
    lines = ["| tool | studies | what diskwright does | loads |", "|---|---|---|---|"]
    for tool in TOOLS:
        loads = ", ".join(f"`{load}`" for load in tool.loads)
        named = "all" if tool.studies == STUDIES else ", ".join(tool.studies)
        lines.append(f"| {tool.name} | {named} | {tool.does} | {loads} |")
    return "\n".join(lines)


def loads() -> str:
    """Every load with its phases."""
    lines = ["| load | phases | counted in | needs |", "|---|---|---|---|"]
    for load in LOADS.values():
        phases = load.phases(0.01, 1)
        names = ", ".join(phase.name for phase in phases)
        units = ", ".join(dict.fromkeys(str(phase.unit) for phase in phases))
        lines.append(f"| `{load.id}` | {names} | {units} | {', '.join(load.programs) or 'nothing'} |")
    return "\n".join(lines)


def main() -> None:
    """Renew the page's tables, or check them."""
    profiles = load_workloads()
    if any(not profile.workload.origin.startswith(str(BUNDLED)) for profile in profiles):
        raise SystemExit("there are workloads of your own here; docs/studies.md tells of the bundled ones")
    if wrong := list(faults()):
        raise SystemExit("\n".join(wrong))
    parts = {
        "studied-filesystems": filesystems(profiles),
        "ways-off": ways_off(),
        "studied-tools": tools(),
        "trial-loads": loads(),
    }
    for mark, text in parts.items():
        renew(mark, text, "python -m tests.studies")


if __name__ == "__main__":
    main()
