"""What stands against a migration in the filesystem itself and in its use."""

from collections.abc import Iterator

from wizard.advise.missing import missing
from wizard.migrate.ext.bar import BAR
from wizard.migrate.obstacles.finding import danger, info, version_text, warning
from wizard.migrate.operations import may_have_blocks
from wizard.migrate.situation import Situation
from wizard.migrate.words import state, use
from wizard.model.finding import Finding
from wizard.model.names import printable
from wizard.model.said import in_a_row

OLDEST_PROGRAMS = (1, 43)
"""With it came undo files for every program, `resize2fs -b`, checksums of metadata, and e2fsck's bmap2extent
(its release notes)."""

BARRED = f"FEATURE_I{BAR.bit_length() - 1}"
"""How the bar of a change that is half on the drive is called as a feature."""

KNOWN = frozenset(
    {
        *(
            "has_journal",
            "ext_attr",
            "resize_inode",
            "dir_index",
            "filetype",
            "needs_recovery",
            "meta_bg",
            "extent",
            "64bit",
            "flex_bg",
        ),
        *(
            "sparse_super",
            "large_file",
            "huge_file",
            "uninit_bg",
            "dir_nlink",
            "extra_isize",
            "quota",
            "project",
            "metadata_csum",
        ),
        *("metadata_csum_seed", "large_dir", "bigalloc", "sparse_super2"),
    }
)
"""Features with which the steps were tried, or which they leave alone."""


def in_use(situation: Situation) -> Iterator[Finding]:
    """Whoever uses it."""
    device = situation.device
    if situation.is_root:
        yield danger(
            "migrate-running-root",
            situation,
            use.RUNNING_ROOT(device=device),
            use.RUNNING_ROOT_WHY(),
            use.RUNNING_ROOT_REMEDY(device=device),
            "/proc/self/mountinfo",
        )
    elif situation.mounts:
        yield danger(
            "migrate-mounted",
            situation,
            use.MOUNTED(device=device, places=tuple(printable(place, 200) for place in situation.mounts)),
            use.MOUNTED_WHY(),
            in_a_row(use.UNMOUNT(device=device), use.UNMOUNT_SEEN(), use.UNMOUNT_CARRIED(device=device)),
            "/proc/*/mountinfo",
        )
    for file in situation.swap_files:
        yield danger(
            "migrate-swap-file",
            situation,
            use.SWAP_FILE(file=printable(file, 200), device=device),
            use.SWAP_FILE_WHY(),
            use.SWAP_FILE_REMEDY(file=printable(file, 200)),
            "/proc/swaps",
        )
    if situation.opened and not situation.mounts and not situation.is_root:
        yield danger(
            "migrate-opened",
            situation,
            use.OPENED(device=device),
            use.OPENED_WHY(),
            use.OPENED_REMEDY(),
            "open(2), O_EXCL",
        )


def its_state(situation: Situation) -> Iterator[Finding]:
    """What is out of order on it."""
    before, device = situation.ext, situation.device
    if 0 < situation.device_bytes < before.size_bytes:
        yield danger(
            "migrate-cut-off",
            situation,
            state.CUT_OFF(device=device, has=situation.device_bytes, needs=before.size_bytes),
            state.CUT_OFF_WHY(),
            state.CUT_OFF_REMEDY(),
            "superblock",
        )
    if not before.counts_fit:
        yield danger(
            "migrate-counts",
            situation,
            state.COUNTS(device=device),
            state.COUNTS_WHY(),
            state.COUNTS_REMEDY(device=device),
            "superblock",
        )
    yield from _errors(situation)
    yield from _not_unmounted(situation)


def _errors(situation: Situation) -> Iterator[Finding]:
    """The gravest error that it has, or had: the first of these says all."""
    before, device = situation.ext, situation.device
    if before.half_done:
        yield danger(
            "migrate-half-done",
            situation,
            state.HALF_DONE(device=device, change=before.half_done),
            state.HALF_DONE_WHY(),
            state.REPAIR(),
            "superblock",
        )
    elif before.has_errors:
        yield danger(
            "migrate-errors",
            situation,
            state.ERRORS(device=device),
            state.ERRORS_WHY(recorded=before.recorded_errors),
            state.REPAIR(),
            "superblock",
        )
    elif situation.damaged:
        yield danger(
            "migrate-damaged",
            situation,
            state.DAMAGED(device=device, found=situation.damaged),
            state.DAMAGED_WHY(),
            state.REPAIR(),
            "e2fsck",
        )
    elif before.recorded_errors:
        yield warning(
            "migrate-recorded-errors",
            situation,
            state.RECORDED(count=before.recorded_errors, device=device),
            state.RECORDED_WHY(),
            state.RECORDED_REMEDY(),
        )


def _not_unmounted(situation: Situation) -> Iterator[Finding]:
    """What was left undone when it was last used."""
    before, device = situation.ext, situation.device
    if before.needs_recovery:
        yield info(
            "migrate-journal-pending",
            situation,
            state.PENDING(device=device),
            state.PENDING_WHY(),
            state.PENDING_REMEDY(),
        )
    elif not before.clean and not before.has_errors and not before.half_done:
        yield info(
            "migrate-not-clean",
            situation,
            state.NOT_CLEAN(device=device),
            state.NOT_CLEAN_WHY(),
            state.NOT_CLEAN_REMEDY(),
        )


def its_kind(situation: Situation) -> Iterator[Finding]:
    """What it is that cannot be converted."""
    before, device = situation.ext, situation.device
    if before.journal_device:
        yield danger(
            "migrate-external-journal",
            situation,
            state.EXTERNAL(device=device),
            state.EXTERNAL_WHY(),
            in_a_row(state.EXTERNAL_REMEDY(device=device), state.EXTERNAL_FREED(), state.EXTERNAL_OTHERS()),
            "superblock",
        )
    if BARRED in before.features:
        yield danger(
            "migrate-barred",
            situation,
            state.BARRED(device=device),
            state.BARRED_WHY(),
            state.BARRED_REMEDY(),
        )
    elif unknown := sorted(before.features - KNOWN):
        yield danger(
            "migrate-unknown-features",
            situation,
            state.UNKNOWN(device=device, features=tuple(unknown)),
            state.UNKNOWN_WHY(),
            state.FRESH(),
            "superblock",
        )
    if before.revision == 0:
        yield danger(
            "migrate-first-revision",
            situation,
            state.FIRST(device=device),
            state.FIRST_WHY(),
            state.FRESH(),
            "superblock",
        )
    if before.kind == "ext4" and may_have_blocks(before):
        said = state.INCOMPLETE if before.unconverted else state.INCOMPLETE_LACKS
        yield info(
            "migrate-incomplete",
            situation,
            said(device=device),
            state.INCOMPLETE_WHY(),
            state.INCOMPLETE_REMEDY(),
        )


def programs(situation: Situation) -> Iterator[Finding]:
    """What does the work."""
    if situation.missing:
        yield warning(
            "migrate-programs-missing",
            situation,
            missing(situation.missing, situation.family).said,
            use.MISSING_WHY(),
            use.MISSING_REMEDY(),
            "PATH",
        )
    elif situation.e2fsprogs < OLDEST_PROGRAMS:
        yield warning(
            "migrate-programs-old",
            situation,
            use.OLD(found=version_text(situation.e2fsprogs), needed=version_text(OLDEST_PROGRAMS)),
            use.OLD_WHY(),
            use.OLD_REMEDY(),
            "e2fsck -V",
        )
