"""Build the live system: a kernel, an initial RAM disk and a squashfs of Debian, without parts that disk work
does not need."""

import shutil
from dataclasses import dataclass
from pathlib import Path

from shared.apt import KEYRING, NotBuilt, mirror, run
from shared.modes import set_modes

SUITE = "trixie"
MEDIUM_NEEDS = ("mmdebstrap", "mksquashfs")
"""Programs required on the build machine."""

HERE = Path(__file__).parent
SYSTEM = (
    *("linux-image-amd64", "live-boot", "systemd-sysv", "udev", "kmod", "dbus"),
    *("mount", "procps", "less", "nano", "kbd", "console-setup-linux", "util-linux-extra"),
)
TOOLS = (
    *("e2fsprogs", "xfsprogs", "btrfs-progs", "f2fs-tools", "exfatprogs", "ntfs-3g", "dosfstools"),
    *("jfsutils", "nilfs-tools", "mdadm", "lvm2", "cryptsetup-bin", "parted", "fdisk", "gdisk"),
    *("smartmontools", "nvme-cli", "hdparm", "sg3-utils", "sdparm", "fio", "gddrescue", "zstd", "rsync"),
)
"""Tools that the wizard can use, and tools for rescuing data from broken drives."""

NO_UNITS = (
    *("swap.target", "smartmontools.service", "mdmonitor.service", "lvm2-monitor.service"),
    *("apt-daily.timer", "apt-daily-upgrade.timer", "e2scrub_all.timer", "e2scrub_reap.service"),
    *("fstrim.timer", "dpkg-db-backup.timer", "xfs_scrub_all.timer", "blk-availability.service"),
    *("mdcheck_start.timer", "mdcheck_continue.timer", "mdmonitor-oneshot.timer"),
)
"""Units that would write to drives or monitor drives. The live system never does so unasked."""

NO_MODULES = (
    *("sound", "drivers/media", "drivers/net", "drivers/infiniband", "drivers/isdn", "drivers/staging"),
    *("drivers/iio", "drivers/bluetooth", "drivers/gpu/drm/amd", "drivers/gpu/drm/nouveau"),
    *("drivers/gpu/drm/i915", "drivers/gpu/drm/xe", "drivers/gpu/drm/radeon", "drivers/hwmon"),
    *("net/mac80211", "net/wireless", "net/bluetooth", "net/netfilter", "net/ipv4/netfilter"),
    *("net/ipv6/netfilter", "fs/ceph", "fs/smb", "fs/nfs", "fs/nfsd", "fs/ocfs2", "fs/gfs2", "fs/afs"),
)
"""Kernel modules to remove: sound, graphics and networks. Network drives are not supported here."""

NO_FILES = ("/usr/share/doc/*", "/usr/share/man/*", "/usr/share/locale/*", "/usr/share/info/*")
FINDS_MEDIUM = "usr/lib/live/boot/9990-misc-helpers.sh"
SCANS = "\t# or do the scan of block devices"
COPYRIGHTS = "/usr/share/doc/*/copyright"


@dataclass(frozen=True, slots=True)
class System:
    """Files that the medium boots."""

    kernel: Path
    initrd: Path
    squashfs: Path


def build_system(work: Path, *, quick: bool) -> System:
    """Build the system in the folder `work`. Raises NotBuilt."""
    root = work / "root"
    excluded = [f"--dpkgopt=path-exclude={pattern}" for pattern in NO_FILES]
    run(
        *("mmdebstrap", "--quiet", "--variant=minbase", f"--keyring={KEYRING}"),
        *(*excluded, f"--dpkgopt=path-include={COPYRIGHTS}"),
        *(f"--include={','.join((*SYSTEM, *TOOLS))}", "--aptopt=APT::Install-Recommends false"),
        *(SUITE, root, mirror()),
    )
    _settle(root)
    _leave_drives_alone(root)
    _lean(root)
    boot = root / "boot"
    (kernel,), (initrd,) = boot.glob("vmlinuz-*"), boot.glob("initrd.img-*")
    system = System(work / "vmlinuz", work / "initrd.img", work / "filesystem.squashfs")
    shutil.move(kernel, system.kernel)
    shutil.move(initrd, system.initrd)
    for folder in ("boot", "var/lib/apt/lists", "var/cache/apt"):
        shutil.rmtree(root / folder)
        (root / folder).mkdir()
    packing = ("-comp", "zstd", "-Xcompression-level", "3" if quick else "19", "-b", "1M")
    run("mksquashfs", root, system.squashfs, "-quiet", "-no-progress", *packing, "-noappend")
    return system


def _settle(root: Path) -> None:
    """Set host name and consoles, and disable every unit that touches drives unasked."""
    own = root.parent / "own"
    shutil.copytree(HERE / "root", own, symlinks=True)
    set_modes(own)
    shutil.copytree(own, root, dirs_exist_ok=True, symlinks=True)
    (root / "etc/hostname").write_text("diskwright\n")
    (root / "etc/fstab").write_text("")
    run("chroot", root, "passwd", "--quiet", "--delete", "root")
    units = root / "etc/systemd/system"
    for name in NO_UNITS:
        _link(units / name, "/dev/null")
    _link(root / "etc/systemd/system-generators/systemd-gpt-auto-generator", "/dev/null")
    _link(units / "default.target", "/usr/lib/systemd/system/multi-user.target")
    _link(units / "getty.target.wants/getty@tty2.service", "/usr/lib/systemd/system/getty@.service")
    _link(units / "multi-user.target.wants/diskwright-store.service", "../diskwright-store.service")


def _leave_drives_alone(root: Path) -> None:
    """Make live-boot retry the search by label, instead of mounting every drive to find the medium.

    Even a read-only mount replays the journal of an ext3.
    """
    file = root / FINDS_MEDIUM
    text = file.read_text()
    if text.count(SCANS) != 1:
        raise NotBuilt(f"live-boot looks for its medium in another way now: see {FINDS_MEDIUM}.")
    file.write_text(text.replace(SCANS, "\treturn 1\n" + SCANS))


def _link(place: Path, target: str) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    place.unlink(missing_ok=True)
    place.symlink_to(target)


def _lean(root: Path) -> None:
    (modules,) = (root / "usr/lib/modules").iterdir()
    for name in NO_MODULES:
        shutil.rmtree(modules / "kernel" / name, ignore_errors=True)
    run("chroot", root, "depmod", modules.name)
    run("chroot", root, "update-initramfs", "-u", "-k", "all")
