"""What is known of a filesystem: every other room asks here, and knows none of them by name."""

from collections.abc import Callable
from dataclasses import dataclass

from wizard.filesystems.holding import LINUX, Holds
from wizard.filesystems.partitions import LINUX_GPT_TYPE, LINUX_MBR_TYPE
from wizard.model.geometry import Geometry
from wizard.model.machine import Extent, Striping
from wizard.model.operations.make_filesystem import MakeFilesystem
from wizard.model.said import Said

Argv = tuple[str, ...]


def _no_fault(_label: str) -> None:
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Relabelling:
    """How a filesystem that exists gets another label: `command` takes its node, where it is mounted and the
    label, each empty where there is none.

    `mounted` tells whether that can be done in use. `fault` is what its program cannot take, as the end of a
    sentence. A label otherwise follows the rules of the filesystem `rules`, where that is another.
    """

    command: Callable[[str, str, str], Argv]
    mounted: bool = False
    fault: Callable[[str], Said | None] = _no_fault
    rules: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Growing:
    """How a filesystem comes to fill its partition: `commands` take its node, or where it is `mounted` for
    it, with these options, its place. `check` changes nothing and ends with 0 for a clean one that is not
    mounted, with the node behind it. `programs` show it on a stand-in beforehand. `smaller` are the commands
    that have it end within so many bytes; None for one that is not made smaller. `whole_pages`: a stand-in
    shows it only in those. The remarks are what is good to know before.

    `in_use` is the command for one that a person has mounted, by its node, place and member number; None for
    one that only grows unmounted. `shrinks_in_use` takes that back, with a size in bytes behind them.
    """

    commands: Callable[[str], tuple[Argv, ...]]
    check: Argv
    programs: Argv
    mounted: bool = False
    mount_options: Argv = ()
    grown_remarks: tuple[Said, ...] = ()
    shrunk_remarks: tuple[Said, ...] = ()
    in_use: Callable[[str, str, int], Argv] | None = None
    shrinks_in_use: Callable[[str, str, int, int], Argv] | None = None
    smaller: Callable[[str, int], tuple[Argv, ...]] | None = None
    whole_pages: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class FilesystemKind:
    """A filesystem that a drive can hold. `name` is libblkid's TYPE.

    `kernel_names` are the names in /proc/filesystems of the drivers that mount it, the one to be asked for
    first; empty where Linux has none of its own. `order` is its place in lists, where those that have the
    same go by name. One that is only recognised says in sentences `why_not` it is made, and the `way_off` it;
    others have neither. Without `relabelling` it keeps its label, without `growing` its size; of what
    `never_shrinks` no program makes one smaller. `holds` is what a copy to it keeps beside the content.
    """

    name: str
    title: str
    kernel_names: tuple[str, ...]
    order: int = 9
    why_not: Said | None = None
    way_off: Said | None = None
    relabelling: Relabelling | None = None
    growing: Growing | None = None
    never_shrinks: bool = False
    holds: Holds = LINUX

    @property
    def made(self) -> bool:
        """Whether diskwright makes it."""
        return False


@dataclass(frozen=True, slots=True, kw_only=True)
class RecognisedKind(FilesystemKind):
    """A filesystem that is told by name, and not made."""


def _as_it_is(text: str) -> str:
    return text


def _as_given(options: Argv) -> Argv:
    return options


def _nothing(_geometry: Geometry, _place: Extent, options: Argv) -> Argv:
    return options


def with_suboptions(options: Argv, flag: str, extra: str) -> Argv:
    """The options with one more sub-option behind a flag that takes a list of them, such as mke2fs's -E: of
    two such flags only the last would count.
    """
    if flag not in options:
        return (*options, flag, extra)
    at = options.index(flag) + 1
    return (*options[:at], f"{options[at]},{extra}", *options[at + 1 :])


@dataclass(frozen=True, slots=True, kw_only=True)
class MadeKind(FilesystemKind):
    """A filesystem that diskwright makes.

    `tool` makes it: `commands` gives the argument lists for an operation, in order. They ask
    nothing, and refuse a device that is mounted. `flags` are the options with a value, `bare_flags` those
    without, that advice may hand to it; whatever names a file or a device is not among them.

    `in_general` says in a sentence why most Linux volumes are better off with another one, for work that says
    nothing of this one. `minimum_bytes` (`minimum_why` is a clause) and `maximum_bytes` bound the volume;
    `striped_minimum_bytes` one over several drives. `zones` is why a drive whose zones the host must manage
    cannot take it, None where it can.

    A label has `label_bytes` of UTF-8 at most, is written as `fit_label` makes it, and `label_fault` adds
    what else is wrong with it as the end of a sentence. One that has a serial number instead of a UUID has it
    of `serial_digits` (8 or 16) hexadecimal digits. Where `uuid_follows`, a second program sets it after the
    first has drawn one of its own.

    `for_place` gives its options for a partition at this place of a drive with that geometry: what
    its maker would ask the drive for, and a stand-in does not tell.

    `discards` tells whether its maker tells the drive first that nothing in the volume is needed any more,
    unless an option forbids it.

    `clean_check` changes nothing and ends with 0 for a clean unmounted one, with the device behind it; empty
    where no program checks it. `mounted_check` ends with 0 where a mounted one has met no error, with its
    place behind it. `superblock_reader` tells how it is spread over an array, which `striping_in` reads out
    of its words. `silent_options` are those that hold without being listed as long as nothing else is.
    `fsck_pass` is fstab's last column. `seconds` to make it, roughly: at least, for each TiB on a drive that
    does not turn, and on one that does. `also` are further programs that `commands` or swap take.
    `needs_files` are files that its maker looks into, each with how it is had. `subvolumes` tells whether it
    has any. Where its maker can, `gives_top` adds to its options the uid and gid that the top is to belong
    to. Mounted with `quiet_options` it writes nothing by itself. `for_trial` are its options where it is made
    to be thrown away soon: it discards nothing, and leaves for later what can be left.
    """

    tool: str
    commands: Callable[[MakeFilesystem], tuple[Argv, ...]]
    in_general: Said
    minimum_bytes: int
    minimum_why: Said
    maximum_bytes: int
    zones: Said | None
    label_bytes: int
    fsck_pass: int
    seconds: tuple[float, float, float]
    clean_check: Argv
    striped_minimum_bytes: int = 0
    flags: frozenset[str] = frozenset()
    bare_flags: frozenset[str] = frozenset()
    fit_label: Callable[[str], str] = _as_it_is
    label_fault: Callable[[str], Said | None] = _no_fault
    for_place: Callable[[Geometry, Extent, Argv], Argv] = _nothing
    discards: bool = False
    serial_digits: int = 0
    uuid_follows: bool = False
    noun: str = "filesystem"
    gpt_type: str = LINUX_GPT_TYPE
    mbr_type: str = LINUX_MBR_TYPE
    mounted_check: Argv = ()
    superblock_reader: Argv = ()
    striping_in: Callable[[str], Striping | None] | None = None
    silent_options: frozenset[str] = frozenset()
    also: Argv = ()
    needs_files: tuple[tuple[str, Said], ...] = ()
    subvolumes: bool = False
    for_trial: Callable[[Argv], Argv] = _as_given
    gives_top: Callable[[Argv, int, int], Argv] | None = None
    quiet_options: Argv = ()

    @property
    def made(self) -> bool:
        """Whether diskwright makes it."""
        return True

    @property
    def makers(self) -> Argv:
        """Every program that making it and turning it on takes."""
        return (self.tool, *self.also)

    @property
    def programs(self) -> Argv:
        """Every program that making and checking it runs."""
        checks = [argv[0] for argv in (self.clean_check, self.superblock_reader) if argv]
        return tuple(dict.fromkeys((*self.makers, *checks)))

    @property
    def mounts(self) -> bool:
        """Whether it is mounted somewhere; otherwise it is turned on as swap."""
        return bool(self.kernel_names)

    def discards_with(self, options: Argv) -> bool:
        """Whether it does so with these options."""
        return self.discards and "-K" not in options and not any("nodiscard" in option for option in options)

    def uuid_of(self, drawn: str) -> str:
        """What libblkid will report where `drawn`, a plain lower-case UUID, is given to the maker: for a
        serial number its first digits."""
        serial = drawn.replace("-", "")[: self.serial_digits].upper()
        return drawn if not serial else serial if self.serial_digits == 16 else f"{serial[:4]}-{serial[4:]}"


def serial_of(uuid: str) -> str:
    """A serial number as programs take it: its hexadecimal digits, in lower case."""
    return uuid.replace("-", "").lower()
