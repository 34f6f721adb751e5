"""Build the stacks of layers.py in a guest with the usual tools, and remove them."""

import os
from dataclasses import dataclass, field
from pathlib import Path

from tests.lab.drives.fleet import Fleet
from tests.lab.drives.layers import Luks, Lvm, Made, Md, Stack, Step, placed
from tests.lab.guest.inside import SLOW, tool
from wizard.model.errors import partition_path
from wizard.process.program import run

PASSPHRASE = b"a passphrase of the lab"
FAST = ("--pbkdf", "pbkdf2", "--pbkdf-force-iterations", "1000")
"""A key of this kind is worth nothing, and made in no time."""
ALONE = ("env", "DM_DISABLE_UDEV=1", "MDADM_NO_UDEV=1")
"""Without udev the tools make the nodes themselves, if they are told so."""


@dataclass(slots=True)
class Built:
    """A complete stack: partitions by the lab's drive names, and all nodes from the bottom, with links
    resolved."""

    stack: Stack
    number: int
    bases: list[tuple[str, str]]
    nodes: list[str] = field(default_factory=list)
    tops: list[str] = field(default_factory=list)
    undo: list[tuple[str, ...]] = field(default_factory=list)

    @property
    def partitions(self) -> list[str]:
        """Nodes of the partitions."""
        return [path for _, path in self.bases]


def kernels_node(path: str) -> str:
    """Return the kernel's node, such as /dev/dm-0: without udev, other names are not links."""
    number = Path(path).stat().st_rdev
    return f"/dev/{Path(f'/sys/dev/block/{os.major(number)}:{os.minor(number)}').resolve().name}"


def lay_out(fleet: Fleet, paths: dict[str, str], stacks: tuple[Stack, ...]) -> list[Built]:
    """Write the tables of all drives with the partitions of all stacks. Returns the stacks with empty
    partitions."""
    scripts: dict[str, list[str]] = {name: ["label: gpt"] for name in paths}
    built = []
    for number, (stack, parts) in enumerate(placed(fleet, stacks)):
        for part in parts:
            block = fleet[part.drive].logical_block_bytes
            scripts[part.drive].append(f"start={part.start_bytes // block}, size={part.size_bytes // block}")
        built.append(
            Built(
                stack,
                number,
                [(part.drive, partition_path(paths[part.drive], part.number)) for part in parts],
            )
        )
    for name, script in scripts.items():
        run(["sfdisk", "-q", "--wipe", "always", paths[name]], seconds=SLOW, stdin="\n".join(script).encode())
    return built


def build(built: Built) -> None:
    """Run all steps of a stack."""
    built.tops = [path for _, path in built.bases]
    for step in built.stack.steps:
        _build(built, step)
        built.nodes += [kernels_node(path) for path in built.tops if not isinstance(step, Made)]


def _build(built: Built, step: Step) -> None:
    match step:
        case Md():
            _array(built, step)
        case Luks():
            _encryption(built, step)
        case Lvm():
            _volumes(built, step)
        case Made():
            if step.kind == "xfs":
                tool(
                    "mkfs.xfs", "-q", "-f", "-K", *(("-d", step.stripes) if step.stripes else ()), *built.tops
                )
            else:
                tool("mkfs.ext4", "-q", "-F", "-E", f"nodiscard,{step.stripes}".rstrip(","), *built.tops)


def _array(built: Built, step: Md) -> None:
    node = f"/dev/md{100 + built.number}"
    chosen = [f"--level={step.level}", f"--raid-devices={len(built.tops)}", f"--metadata={step.metadata}"]
    chosen += [f"--chunk={step.chunk_kib}"] if step.chunk_kib else []
    chosen += [f"--data-offset={step.data_offset_sectors}s"] if step.data_offset_sectors else []
    chosen += ["--bitmap=none"] if step.level in (1, 5) else []
    tool(*ALONE, "mdadm", "--create", node, "--run", "--assume-clean", "--quiet", *chosen, *built.tops)
    built.undo.insert(0, (*ALONE, "mdadm", "--stop", "--quiet", node))
    built.tops = [node]


def _encryption(built: Built, step: Luks) -> None:
    name, (below,) = f"open-{built.stack.name}", built.tops
    place = ("--offset", str(step.offset_sectors)) if step.offset_sectors else ()
    made = [
        "cryptsetup",
        "luksFormat",
        "-q",
        "--type",
        f"luks{step.version}",
        *(FAST if step.version == 2 else FAST[2:]),
        *place,
    ]
    run([*made, "--key-file", "-", below], seconds=SLOW, stdin=PASSPHRASE)
    run([*ALONE, "cryptsetup", "open", "--key-file", "-", below, name], seconds=SLOW, stdin=PASSPHRASE)
    built.undo.insert(0, (*ALONE, "cryptsetup", "close", name))
    built.tops = [f"/dev/mapper/{name}"]


def _volumes(built: Built, step: Lvm) -> None:
    group = "vg_" + built.stack.name.replace("-", "_")
    only = ("--devices", ",".join(built.tops))
    tool(*ALONE, "pvcreate", "-q", "-y", "-ff", *only, *step.pvcreate, *built.tops)
    tool(*ALONE, "vgcreate", "-q", "-y", *only, group, *built.tops)
    tool(
        *ALONE,
        "lvcreate",
        "-q",
        "-y",
        "-Zn",
        "-Wn",
        *only,
        *step.lvcreate,
        "-l",
        "80%FREE",
        "-n",
        "data",
        group,
    )
    built.undo.insert(0, (*ALONE, "vgchange", "-q", "-an", *only, group))
    built.tops = [f"/dev/mapper/{group}-data"]


def take_down(built: Built) -> None:
    """Close and stop everything. The data stays."""
    for command in built.undo:
        tool(*command)
