"""The options of `diskwright plan`, with examples of each."""

from argparse import ArgumentParser

from wizard.faces.showing.command import Command, plain
from wizard.faces.showing.words import plan_options as words
from wizard.faces.words.shared import RECORDED
from wizard.layout.several.striping import FILESYSTEMS, METADATA, MIRRORS
from wizard.layout.wishes.preset import PRESETS
from wizard.layout.wishes.wish import EXAMPLE, KEYS
from wizard.model.plan import NO_PLACE

EXAMPLES = (
    plain("plan", "/dev/sdX", "--workload", "large-media", "-o", "media.json"),
    plain(
        *("plan", "/dev/sdX", "--replace", "--workload", "small-files", "--label", "mail"),
        *("--mount", "/srv/mail", "-o", "mail.json"),
    ),
    plain(
        *("plan", "/dev/sdX", "--use-free", "--volume", EXAMPLE),
        *("--volume", "workload=small-files,fs=ext4,label=photos", "-o", "both.json"),
    ),
    plain("plan", "/dev/sdX", "--replace", "--preset", "desktop", "-o", "desktop.json"),
    plain(
        *("plan", "/dev/sdX", "--replace", "--volume", "role=esp"),
        *("--volume", "role=root,fs=btrfs,size=30%", "--volume", "role=home,size=rest"),
    ),
    plain("plan", "/dev/sdX2", "--workload", "large-media", "--label", "films", "-o", "films.json"),
    plain("plan", "/dev/sdX2", "--delete", "-o", "delete.json"),
    plain("plan", "/dev/sdX2", "--grow", "-o", "grow.json"),
    plain("plan", "/dev/sdX2", "--grow-to", "60G", "-o", "grow.json"),
    plain("plan", "/dev/sdX2", "--shrink", "40G", "-o", "shrink.json"),
    plain("plan", "/dev/sda", "--workload", "desktop-root", "--machine", "saved.json"),
    plain(
        *("plan", "/dev/sdX", "--workload", "large-media", "--fs", "ext4"),
        *("--option", "ext4-no-journal", "--danger", '"PHRASE"'),
    ),
    plain(
        *("plan", "/dev/sdX", "/dev/sdY", "--stripe", "md", "--workload", "large-media"),
        *("--mount", "/srv/media", "-o", "striped.json"),
    ),
    plain(
        *("plan", "/dev/sdX", "/dev/sdY", "--mirror", "btrfs", "--workload", "nas"),
        *("--mount", "/srv/files", "-o", "mirrored.json"),
    ),
)
ABOUT = (
    words.ABOUT_WRITING(),
    words.ABOUT_SIZES(),
    words.ABOUT_PART(),
    words.ABOUT_MOUNTING(),
    words.ABOUT_PRESET(),
    words.ABOUT_ROLES(),
    words.ABOUT_SUBVOLUMES(),
    words.ABOUT_OPTIONS(),
    words.ABOUT_ENCRYPTION(),
    words.ABOUT_TABLE(),
    words.ABOUT_LVM(),
    words.ABOUT_STRIPE(),
    words.ABOUT_MIRROR(),
)


def parser() -> ArgumentParser:
    """`diskwright plan DEVICE... [--stripe KIND] [--replace | --use-free] (--volume ... | --workload ID) [-o
    PLAN.json]`."""
    made = Command("plan", words.SAYS(), EXAMPLES, ABOUT)
    made.add_argument("devices", metavar="DEVICE", nargs="+", help=str(words.DEVICES()))
    mode = made.add_mutually_exclusive_group()
    mode.add_argument(
        "--replace", dest="mode", action="store_const", const="replace", help=str(words.REPLACE())
    )
    mode.add_argument(
        "--use-free", dest="mode", action="store_const", const="use-free", help=str(words.USE_FREE())
    )
    what = made.add_mutually_exclusive_group(required=True)
    what.add_argument("--volume", metavar="KEY=VALUE,...", action="append", help=str(words.VOLUME(keys=KEYS)))
    what.add_argument("--workload", metavar="ID", help=str(words.WORKLOAD()))
    what.add_argument("--preset", choices=PRESETS, help=str(words.PRESET()))
    what.add_argument("--delete", action="store_true", help=str(words.DELETE()))
    what.add_argument("--grow", action="store_true", help=str(words.GROW()))
    what.add_argument("--grow-to", metavar="SIZE", help=str(words.GROW_TO()))
    what.add_argument("--shrink", metavar="SIZE", help=str(words.SHRINK()))
    made.add_argument("--fs", metavar="FS", help=str(words.FS()))
    made.add_argument("--label", metavar="LABEL", help=str(words.LABEL()))
    made.add_argument("--mount", metavar="DIR", help=str(words.MOUNT(nowhere=NO_PLACE)))
    made.add_argument("--writable", metavar="WHO", help=str(words.WRITABLE()))
    made.add_argument("--option", metavar="ID", action="append", help=str(words.OPTION()))
    made.add_argument("--encrypt", action="store_true", help=str(words.ENCRYPT()))
    made.add_argument("--danger", metavar="PHRASE", action="append", default=[], help=str(words.DANGER()))
    made.add_argument("--table", choices=("gpt", "mbr"), help=str(words.TABLE()))
    spread = made.add_mutually_exclusive_group()
    spread.add_argument("--stripe", choices=tuple(FILESYSTEMS), help=str(words.STRIPE()))
    spread.add_argument("--mirror", choices=MIRRORS, help=str(words.MIRROR()))
    spread.add_argument("--lvm", action="store_true", help=str(words.LVM()))
    made.add_argument("--chunk", metavar="SIZE", help=str(words.CHUNK()))
    made.add_argument("--metadata", choices=METADATA, help=str(words.METADATA()))
    made.add_argument("-o", "--output", metavar="PLAN.json", help=str(words.OUTPUT()))
    made.add_argument("--machine", metavar="FILE", help=str(RECORDED()))
    return made
