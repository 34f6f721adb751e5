"""Build the image. Boots from disc or USB stick, by BIOS and UEFI, with Secure Boot through Debian's signed
shim and GRUB."""

import shutil
from pathlib import Path

from iso.system import HERE, SUITE, System
from shared.apt import Apt, run, unpack
from shared.modes import set_modes

LABEL = "DISKWRIGHT"
LOADERS = (
    "shim-signed",
    "grub-efi-amd64-signed",
    "grub-efi-amd64-bin",
    "grub-pc-bin",
    "grub-common",
    "xorriso",
)
MAKERS = ("mtools", "dosfstools", "dash", "coreutils")
BIOS_MODULES = ("biosdisk", "iso9660", "part_gpt", "part_msdos", "search", "normal", "configfile")
MENU_MODULES = ("all_video", "serial", "terminal", "test", "linux", "echo", "gfxterm", "font")
ESP_MIB = 8


def write_image(work: Path, system: System, module: Path, output: Path) -> None:
    """Write the bootable image to `output`. Raises NotBuilt."""
    tools = work / "tools"
    unpack(Apt(work / "apt", SUITE).downloaded((*LOADERS, *MAKERS)), tools)
    image = tools / "image"
    (image / "live").mkdir(parents=True)
    (image / ".disk").mkdir()
    # Debian's signed GRUB searches for this file, and reads boot/grub/grub.cfg from the same filesystem.
    (image / ".disk/info").write_text("diskwright\n")
    shutil.copy(system.kernel, image / "live/vmlinuz")
    shutil.copy(system.initrd, image / "live/initrd.img")
    shutil.copy(system.squashfs, image / "live/filesystem.squashfs")
    # Live systems stack every squashfs in this folder, sorted by name.
    shutil.copy(module, image / "live/opt-diskwright.squashfs")
    _put_grub(tools, image)
    _put_esp(tools)
    set_modes(image)
    output.unlink(missing_ok=True)
    run(
        *("chroot", tools, "xorriso", "-as", "mkisofs", "-quiet", "-R", "-J", "-joliet-long", "-V", LABEL),
        *("-partition_offset", "16", "--grub2-mbr", "/usr/lib/grub/i386-pc/boot_hybrid.img"),
        *("--mbr-force-bootable", "-append_partition", "2", "0xEF", "/esp.img", "-appended_part_as_gpt"),
        *("-c", "boot/boot.cat", "-b", "boot/grub/bios.img", "-no-emul-boot", "-boot-load-size", "4"),
        *("-boot-info-table", "--grub2-boot-info", "-eltorito-alt-boot"),
        *("-e", "--interval:appended_partition_2:all::", "-no-emul-boot", "-o", "/image.iso", "/image"),
    )
    shutil.move(tools / "image.iso", output)


def _put_grub(tools: Path, image: Path) -> None:
    """Add the GRUB menu, the BIOS loader, and the modules missing from the signed GRUB, for UEFI without
    Secure Boot."""
    grub = image / "boot/grub"
    grub.mkdir(parents=True)
    shutil.copy(HERE / "grub.cfg", grub)
    for platform in ("i386-pc", "x86_64-efi"):
        shutil.copytree(
            tools / "usr/lib/grub" / platform, grub / platform, ignore=shutil.ignore_patterns("*.img")
        )
    run(
        *("chroot", tools, "grub-mkimage", "-O", "i386-pc-eltorito", "-p", "/boot/grub"),
        *("-o", "/image/boot/grub/bios.img", *BIOS_MODULES, *MENU_MODULES),
    )


def _put_esp(tools: Path) -> None:
    """Create a FAT image with the shim, which UEFI starts, and GRUB, which the shim starts."""
    signed = "/usr/lib/grub/x86_64-efi-signed/gcdx64.efi.signed"
    (tools / "esp.img").write_bytes(bytes(ESP_MIB << 20))
    run("chroot", tools, "mkfs.fat", "-n", "ESP", "/esp.img")
    run("chroot", tools, "mmd", "-i", "/esp.img", "::/EFI", "::/EFI/BOOT")
    for source, name in (
        ("/usr/lib/shim/shimx64.efi.signed", "BOOTX64.EFI"),
        (signed, "grubx64.efi"),
        ("/usr/lib/shim/mmx64.efi.signed", "mmx64.efi"),
    ):
        run("chroot", tools, "mcopy", "-i", "/esp.img", source, f"::/EFI/BOOT/{name}")
