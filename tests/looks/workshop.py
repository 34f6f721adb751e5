"""An artificial workshop machine as raw facts: five drives with findings. No data comes from a real
machine."""

from msgspec.structs import replace

from tests.unit.probe.gptimage import Image
from tests.unit.probe.rawfacts import SYSFS, chunk, chunks_of, graph, machine, mark, page, partition
from wizard.probe.facts import RawBlock, RawContent, RawDrive, RawError, RawMachine

SECTOR = 512
TB = 1000**4
GB = 1000**3


class Sparse(Image):
    """A sparse image."""

    def __init__(self, size_bytes: int, block_bytes: int = SECTOR) -> None:
        super().__init__(0, block_bytes)
        self.whole, self.parts = size_bytes // block_bytes * block_bytes, dict[int, bytes]()

    @property
    def size_bytes(self) -> int:
        return self.whole

    def put(self, offset_bytes: int, data: bytes) -> None:
        self.parts[offset_bytes] = bytes(data)

    def read(self, offset_bytes: int, size_bytes: int) -> bytes:
        found = bytearray(size_bytes)
        for start, data in self.parts.items():
            low, high = max(start, offset_bytes), min(start + len(data), offset_bytes + size_bytes)
            if low < high:
                found[low - offset_bytes : high - offset_bytes] = data[low - start : high - start]
        return bytes(found)


def _sysfs(size_bytes: int, **changes: str) -> dict[str, str]:
    named = {key.replace("__", "/"): value for key, value in changes.items()}
    return {**SYSFS, "size": str(size_bytes // SECTOR), **named}


def _drive(name: str, where: str, sysfs: dict[str, str], serial: str) -> RawDrive:
    return RawDrive(
        name=name,
        path=f"/dev/{name}",
        sysfs_path=f"/sys/devices/pci0000:00/{where}/block/{name}",
        sysfs=sysfs,
        vpd={"80": page(serial.rjust(16).encode())},
        table_kind="",
        contents={name: RawContent()},
    )


def system() -> RawDrive:
    """The running system's drive."""
    image = Sparse(500 * GB)
    image.protective()
    image.gpt((2048, 1050623, "EFI"), (1050624, image.last_lba - 2048, "root"))
    sysfs = _sysfs(
        image.size_bytes,
        queue__physical_block_size="512",
        queue__minimum_io_size="512",
        queue__rotational="0",
        queue__discard_granularity="512",
        queue__discard_max_hw_bytes=str(2**41 - 512),
        queue__scheduler="[none] mq-deadline",
        device__model="Example NVMe SSD 500GB",
        device__serial="NV500X1",
        device__vendor="0x1234",
        dev="259:0",
    )
    sysfs.pop("device/wwid")
    ends = (2048, 1048576), (1050624, image.last_lba - 2048 - 1050624 + 1)
    return replace(
        _drive("nvme0n1", "0000:01:00.0/nvme/nvme0/nvme0n1", sysfs, "NV500X1"),
        vpd={},
        table_kind="gpt",
        chunks=chunks_of(image),
        partitions={f"nvme0n1p{number}": partition(number, *bounds) for number, bounds in enumerate(ends, 1)},
        contents={
            "nvme0n1": RawContent(),
            "nvme0n1p1": mark("vfat", 54, uuid="7A1B-22C3"),
            "nvme0n1p2": mark("ext4", label="root", uuid="6f1d1c0a-4c7e-4c8e-9d0a-0a1b2c3d4e5f"),
        },
        claimable={"nvme0n1": False, "nvme0n1p2": False},
    )


def archive() -> RawDrive:
    """A shingled drive of 8 TB with an old table: ext3 at sector 34, another at 63 modulo 64, then free
    space."""
    image = Sparse(8 * TB)
    first, second, end = 34, 4_000_000_063, 8_000_000_062
    image.protective()
    image.gpt((first, second - 1, "films"), (second, end, "backup"))
    sysfs = _sysfs(
        image.size_bytes,
        device__model="ST8000DM004-2CX188",
        device__rev="0001",
        device__wwid="naa.5000c500a1b2c3d4",
        sata_spd="6.0 Gbps",
    )
    return replace(
        _drive("sda", "0000:00:17.0/ata3/host2/target2:0:0/2:0:0:0", sysfs, "ZCT0A1B2"),
        table_kind="gpt",
        chunks=chunks_of(image),
        partitions={
            "sda1": partition(1, first, second - first),
            "sda2": partition(2, second, end - second + 1),
        },
        contents={
            "sda": RawContent(),
            "sda1": mark("ext3", label="films", uuid="0b9d9b0e-5a5c-4f0c-8a51-3f4f6b1c2d01"),
            "sda2": mark("ext3", label="backup", uuid="0b9d9b0e-5a5c-4f0c-8a51-3f4f6b1c2d02"),
        },
        smart=(
            '{"smart_status": {"passed": true}, "model_family": "Seagate BarraCuda 3.5 (SMR)", '
            '"rotation_rate": 5425}'
        ),
    )


def native() -> RawDrive:
    """An empty drive with blocks of 4096 bytes."""
    sysfs = _sysfs(
        4 * TB,
        dev="8:16",
        queue__logical_block_size="4096",
        device__model="Example Native 4TB",
        device__wwid="naa.5000c500a1b2c3d5",
        sata_spd="6.0 Gbps",
        diskseq="8",
    )
    plain = _drive("sdb", "0000:00:17.0/ata4/host3/target3:0:0/3:0:0:0", sysfs, "4KN00042")
    return replace(plain, chunks=(chunk(0, bytes(34 * 4096)), chunk(4 * TB - 34 * 4096, bytes(34 * 4096))))


def stick() -> RawDrive:
    """A stick with a label that could harm a careless program."""
    sysfs = _sysfs(
        32 * GB,
        dev="8:32",
        queue__physical_block_size="512",
        queue__minimum_io_size="512",
        removable="1",
        speed="480",
        device__vendor="Example ",
        device__model="Stick \u5ba2\u00e9 ..",
        device__wwid="",
        diskseq="9",
    )
    plain = _drive("sdc", "0000:00:14.0/usb1/1-2/1-2:1.0/host6/target6:0:0/6:0:0:0", sysfs, "STICK1")
    label = mark("vfat", 54, uuid="0000-0001", label="\x1b[31m$(reboot)[bold]")
    return replace(
        plain,
        contents={"sdc": label},
        chunks=(chunk(0, bytes(34 * SECTOR)), chunk(32 * GB - 34 * SECTOR, bytes(34 * SECTOR))),
    )


def silent() -> RawDrive:
    """A drive that did not answer."""
    return RawDrive(
        name="sdd",
        path="/dev/sdd",
        sysfs_path="/sys/devices/pci0000:00/0000:00:17.0/ata5/host4/target4:0:0/4:0:0:0/block/sdd",
        errors=(RawError("drive", "it did not answer within 10 s"),),
    )


def workshop() -> RawMachine:
    """All five drives on a machine with root privileges and every tool."""
    names = ("mkfs.ext4", "mkfs.xfs", "mkfs.btrfs", "mount", "parted", "wipefs", "blkid", "smartctl")
    return machine(
        system(),
        archive(),
        native(),
        stick(),
        silent(),
        modules=("xfs", "btrfs"),
        tools={name: f"/usr/sbin/{name}" for name in names},
        links={"sda": ("/dev/disk/by-id/ata-ST8000DM004-2CX188_ZCT0A1B2",)},
        graph=graph(
            "30 1 259:2 / / rw,relatime shared:1 - ext4 /dev/nvme0n1p2 rw\n",
            numbers={"/dev/nvme0n1p2": "259:2"},
            sda=RawBlock("8:0"),
            sda1=RawBlock("8:1", disk="sda"),
            sda2=RawBlock("8:2", disk="sda"),
            sdb=RawBlock("8:16"),
            sdc=RawBlock("8:32"),
            sdd=RawBlock("8:48"),
            nvme0n1=RawBlock("259:0"),
            nvme0n1p1=RawBlock("259:1", disk="nvme0n1"),
            nvme0n1p2=RawBlock("259:2", disk="nvme0n1"),
        ),
    )
