"""Add options requested by id to the recommended ones.

Refuses options that are unavailable or conflict. Dangerous options require a confirmation phrase.
"""

from collections.abc import Iterable, Mapping, Sequence

from msgspec.structs import replace

from wizard.advice import workloads as words
from wizard.advice.catalogue import (
    UNKNOWN_OPTION,
    CatalogueOption,
    OptionKind,
    OptionSite,
    default_reason,
    flag_of,
    limits,
)
from wizard.model.advice import Choice, Option
from wizard.model.errors import BadInput, FrozenStruct, Refused, why_not
from wizard.model.said import Message, Sentence, join, t

LISTS = {
    "ext4": frozenset({"-E", "-O"}),
    "xfs": frozenset({"-b", "-d", "-i", "-l", "-m", "-n", "-s"}),
    "btrfs": frozenset({"-O", "-R"}),
}
"""mkfs flags with a list as value. Programs use only the last one if repeated (mke2fs), so `mkfs_words`
merges them."""

REQUESTED = (OptionKind.MKFS, OptionKind.MOUNT)
"""Kinds of options that create or mount a filesystem."""


ON_SYSTEM = Sentence("{option} puts data at risk and is not allowed on a system volume.")


class Taken(FrozenStruct):
    """A choice with requested options added, and sentences on dangerous or discouraged ones.

    `names`: requested ids. `phrases`: confirmations typed.
    """

    choice: Choice
    doubts: tuple[Message | str, ...] = ()
    names: tuple[str, ...] = ()
    phrases: tuple[str, ...] = ()


def take_options(
    choice: Choice,
    names: Sequence[str],
    phrases: Sequence[str],
    site: OptionSite,
    catalogue: Mapping[str, CatalogueOption],
    purpose: str,
) -> Taken:
    """Add the options with these ids to `choice`, replacing recommended options that conflict.

    `phrases`: confirmations typed. `purpose`: name of the volume in messages. Raises BadInput for options
    that cannot be requested, and Refused for those that kernel, drive or a system volume do not allow, or
    without confirmation.
    """
    asked = [_find_option(name, choice.filesystem, catalogue) for name in dict.fromkeys(names)]
    for option in asked:
        refuse(option, site)
        if option.phrase and not any(is_danger(option, phrase) for phrase in phrases):
            message = t(
                '{option} puts data at risk. {why} To use {option} anyway, add exactly: --danger "{phrase}"',
                option=option.text,
                why=option.never,
                phrase=option.phrase,
            )
            raise Refused(message)
    for number, option in enumerate(asked):
        for other in asked[:number]:
            if exclude(option, other, choice.filesystem):
                raise BadInput(words.TOGETHER(one=other.id, other=option.id))
    available = [
        option
        for option in catalogue.values()
        if choice.filesystem in option.filesystems and limits(option, site) is None
    ]
    mkfs = _combined(choice.mkfs, asked, OptionKind.MKFS, choice.filesystem, available)
    mount = _combined(choice.mount, asked, OptionKind.MOUNT, choice.filesystem, available)
    doubts = tuple(
        (
            Sentence("The volume for {purpose} uses {option}; you confirmed the danger. {why}")
            if option.danger
            else Sentence("The volume for {purpose} uses {option}, as requested but not recommended. {why}")
        )(purpose=purpose, option=option.text, why=option.never)
        for option in asked
        if option.never
    )
    return Taken(
        replace(choice, mkfs=mkfs, mount=mount), doubts, tuple(option.id for option in asked), tuple(phrases)
    )


def check_phrases(
    phrases: Sequence[str], names: Iterable[str], catalogue: Mapping[str, CatalogueOption]
) -> None:
    """Raises BadInput for a phrase that belongs to no requested option."""
    wanted = [catalogue[name] for name in names if name in catalogue]
    for phrase in phrases:
        if not any(is_danger(option, phrase) for option in wanted):
            raise BadInput(
                t(
                    "None of the requested options has the danger {phrase}. Copy the phrase "
                    "exactly from the refusal.",
                    phrase=repr(phrase),
                )
            )


def _find_option(name: str, filesystem: str, catalogue: Mapping[str, CatalogueOption]) -> CatalogueOption:
    option = catalogue.get(name)
    if option is None:
        raise BadInput(UNKNOWN_OPTION(option=repr(name), filesystem=filesystem))
    if option.kind not in REQUESTED:
        only = Sentence(
            "Cannot use {option} ({kind}: {text}) here. Only mkfs and mount options can be requested."
        )
        raise BadInput(only(option=option.id, text=option.text, kind=option.kind))
    if filesystem not in option.filesystems:
        fault = words.OTHER_FILESYSTEM(
            option=option.id, filesystems=option.filesystems, filesystem=filesystem
        )
        raise BadInput(fault)
    return option


def refuse(option: CatalogueOption, site: OptionSite) -> None:
    """Raises BadInput for options that are already the default, and Refused for those not possible at `site`
    even with confirmation."""
    if why := default_reason(option, site):
        raise BadInput(t("{option} is not needed. {why}", option=option.text, why=why))
    reason = option.never if option.refused else limits(option, site)
    if option.refused or reason:
        raise Refused(t("{option}: {why}", option=option.text, why=reason or ""))
    if option.danger and site.root:
        raise Refused(join(ON_SYSTEM(option=option.text), option.never))


def is_danger(option: CatalogueOption, typed: str) -> bool:
    """Return True if this is the option's confirmation phrase, in the user's language or English."""
    return typed in (str(option.phrase), option.phrase.english)


def exclude(one: CatalogueOption, other: CatalogueOption, filesystem: str) -> bool:
    """Return True if two options exclude each other, explicitly or by setting the same thing."""
    if one.id in other.conflicts or other.id in one.conflicts:
        return True
    if one.kind is not other.kind or flag_of(one) != flag_of(other):
        return False
    return not _can_merge(one.kind, one.text, other.text, filesystem)


def _can_merge(kind: OptionKind, text: str, other: str, filesystem: str) -> bool:
    """Return True if two options have the same flag and can be merged into one list."""
    flag = text.split(" ")[0]
    if kind is not OptionKind.MKFS or flag not in LISTS.get(filesystem, ()) or other.split(" ")[0] != flag:
        return False
    return not _keys(text) & _keys(other)


def _keys(text: str) -> set[str]:
    """Return the names that an mkfs option sets: `size`, or a feature with or without the `^` that disables
    it."""
    return {part.partition("=")[0].lstrip("^") for part in text.partition(" ")[2].split(",")}


def _combined(
    current: tuple[Option, ...],
    asked: Sequence[CatalogueOption],
    kind: OptionKind,
    filesystem: str,
    catalogue: Sequence[CatalogueOption],
) -> tuple[Option, ...]:
    """Return the recommended options without conflicts, followed by the requested ones. Raises BadInput if a
    required option conflicts."""
    entries = {entry.text: entry for entry in catalogue if entry.kind is kind}
    kept = []
    for option in current:
        entry = entries.get(option.text)
        conflicts = (one for one in asked if one.text != option.text)
        conflict = next((one for one in conflicts if entry and exclude(one, entry, filesystem)), None)
        if conflict is None:
            kept.append(option)
        elif entry and entry.always:
            needed = Sentence("{option} conflicts with {advised}, which the drive needs.")
            raise BadInput(needed(option=conflict.id, advised=option.text))
    for wanted in asked:
        if wanted.kind is kind and all(option.text != wanted.text for option in kept):
            kept.append(Option(wanted.text, wanted.why, wanted.risk))
    return tuple(kept)


def mkfs_words(choice: Choice) -> tuple[str, ...]:
    """Return the arguments for mkfs, with lists merged."""
    words: list[str] = []
    for option in choice.mkfs:
        flag, _, value = option.text.partition(" ")
        if flag in words and flag in LISTS.get(choice.filesystem, ()):
            words[words.index(flag) + 1] += f",{value}"
        else:
            words += option.text.split()
    return tuple(words)


class Offered(FrozenStruct):
    """An option as offered for one choice. `refusal`: why it is not possible here, or empty. `excludes`:
    texts of conflicting options."""

    option: CatalogueOption
    advised: bool
    refusal: str
    excludes: tuple[str, ...]

    @property
    def rank(self) -> int:
        """Position in lists: recommended options first, impossible ones last."""
        if self.advised:
            return 0
        if self.refusal:
            return 4
        if self.option.danger:
            return 3
        return 2 if self.option.never else 1


def offered(
    choice: Choice, site: OptionSite, catalogue: Mapping[str, CatalogueOption]
) -> tuple[Offered, ...]:
    """Return all mkfs and mount options for the filesystem of `choice`, recommended ones first, impossible
    ones last."""
    options = [
        option
        for option in catalogue.values()
        if choice.filesystem in option.filesystems
        and option.kind in REQUESTED
        and default_reason(option, site) is None
    ]
    advised = {option.text for option in (*choice.mkfs, *choice.mount)}
    found = []
    for option in options:
        others = (other for other in options if other.id != option.id)
        excluded = dict.fromkeys(one.text for one in others if exclude(option, one, choice.filesystem))
        is_advised, refusal = option.text in advised, why_not(refuse, option, site)
        found.append(Offered(option, is_advised, refusal, tuple(excluded)))
    return tuple(sorted(found, key=lambda one: one.rank))
