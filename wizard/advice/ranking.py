"""Rank filesystems for one drive and one workload.

Hard limits come first, then the workload, then the recording technology of the drive.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec.structs import replace

from wizard.advice import zones
from wizard.advice.catalogue import CatalogueOption, OptionKind, OptionSite, blocker, flag_of
from wizard.advice.missing import NO_LIST, obstacles
from wizard.advice.workloads import Profile, RankedChoice, Ranking
from wizard.filesystems.kind import MadeKind
from wizard.filesystems.registry import KINDS, MADE
from wizard.findings.use import NOT_CHECKED, named_field
from wizard.model.advice import Ability, Advice, Choice, Evidence, Option, Rank, Unmade, Withheld
from wizard.model.drive_facts import HOST_MANAGED
from wizard.model.finding import Recorded, Recording
from wizard.model.machine import Drive, Machine
from wizard.model.said import MIB, NO_TEXT, Message, join, t

_ORDER = list(Rank)

TABLE_BYTES = 2 * MIB
"""Space used by a partition table and the aligned start of the first partition."""


def advise(
    machine: Machine, drive: Drive, recording: Recording, profile: Profile, *, size_bytes: int | None = None
) -> Advice:
    """Rank all filesystems for `profile` on `drive`. `size_bytes`: volume size, if smaller than the drive.

    The same facts always give the same result. If no suitable filesystem is possible, none is recommended.
    """
    zoned = drive.zoned == HOST_MANAGED
    host_managed = zoned or recording.management == HOST_MANAGED
    site = site_of(machine, drive, recording, profile, size_bytes)
    published = profile.shingled if site.shingled else profile.usual
    ranked = [_rank_on_drive(one, site, host_managed=host_managed) for one in published.choices]
    blocked = {
        one.filesystem: _obstacles(MADE[one.filesystem], machine, drive, recording, site.size_bytes)
        for one in ranked
    }
    ranked.sort(key=lambda one: (_ORDER.index(one.place), bool(blocked[one.filesystem])))
    # The ranks that the workload defines, in order, for filesystems that are possible and may move up.
    ranks = [one.place for one in ranked if one.place is not Rank.NOT_RECOMMENDED]
    eligible = [
        one.filesystem
        for one in ranked
        if (one.place is not Rank.NOT_RECOMMENDED or one.moves_up) and not blocked[one.filesystem]
    ]
    assigned = dict(zip(eligible, ranks, strict=False))
    choices = [
        _choice(one, assigned.get(one.filesystem, Rank.NOT_RECOMMENDED), site, profile, ranked, blocked)
        for one in ranked
    ]
    notes = _notes(drive, recording, profile)
    choices.sort(key=lambda one: (not one.ranked, _ORDER.index(one.place)))
    doubts = [*_doubts(machine, drive, recording, profile)]
    if not zoned:
        doubts += _unproven(choices, profile, published, site)
    btrfs = next(choice for choice in choices if choice.filesystem == zones.BTRFS.name)
    return Advice(
        drive=drive.path,
        workload=profile.workload,
        choices=tuple(choices),
        doubts=tuple(map(str, doubts)),
        notes=tuple(map(str, notes)),
        zoned=zones.zoned_uses(machine, drive, btrfs.mkfs) if zoned else (),
        unmade=unmade(
            [card for card in published.figures if card.applies(drive.rotational) and not host_managed]
        ),
    )


def site_of(
    machine: Machine, drive: Drive, recording: Recording, profile: Profile, size_bytes: int | None
) -> OptionSite:
    """Return the conditions for options, on a volume of `size_bytes` or all available space."""
    if size_bytes is None and drive.size_bytes is not None:
        size_bytes = max(0, drive.size_bytes - (0 if drive.zoned == HOST_MANAGED else TABLE_BYTES))
    return OptionSite(
        kernel=machine.kernel,
        drive=drive,
        shingled=_is_shingled(recording),
        root=profile.root,
        size_bytes=size_bytes,
        programs=machine.programs,
    )


def _is_shingled(recording: Recording) -> bool:
    """Return True if the drive is definitely or likely shingled, and accepts any write. A wrong guess costs
    little; a shingled drive that is treated as ordinary costs hours."""
    return recording.is_shingled and recording.management != HOST_MANAGED


def _rank_on_drive(standing: RankedChoice, site: OptionSite, *, host_managed: bool) -> RankedChoice:
    """Return a filesystem's ranking on this type of drive. On host-managed drives only Btrfs is possible, if
    the kernel shows the zones. Options and measurements for other drives do not apply."""
    on_zones = site.drive.zoned == HOST_MANAGED and standing.filesystem == zones.BTRFS.name
    if on_zones and standing.moves_up:
        return replace(
            standing,
            place=Rank.RECOMMENDED,
            sentence=t(
                "Of the filesystems diskwright creates, only this one works on such a drive. "
                "Every write goes to a new place, zone after zone. The whole drive is used, "
                "without a partition table. Data has a single copy. Files cannot be exempted "
                "from copy-on-write (nodatacow) or have space reserved (fallocate)."
            ),
            evidence=(),
            results=NO_TEXT,
        )
    if on_zones:
        # A filesystem unsuitable for the workload does not become suitable as the only possible one.
        return replace(standing, place=Rank.NOT_RECOMMENDED, evidence=(), results=NO_TEXT)
    if host_managed:
        sentence = t("Results from other drives do not apply here.")
        return RankedChoice(
            standing.filesystem,
            Rank.NOT_RECOMMENDED,
            sentence,
            ranked=standing.ranked,
            moves_up=standing.moves_up,
        )
    if not standing.evidence:
        return standing
    # With figures, date and hardware if measured on this kind of drive.
    rotational = site.drive.rotational
    first = standing.evidence[0]
    cards = [card for card in standing.evidence if card.rotational == first.rotational]
    measured = dict.fromkeys(
        t("{era}, kernel {kernel}, {hardware}", era=one.era, kernel=one.kernel, hardware=one.hardware)
        for one in cards
    )
    uncertain = t("Uncertain: not measured on such a drive.")
    results = standing.results if first.applies(rotational) else uncertain
    dated = (results, t("Measured: {studies:semicolons}.", studies=tuple(measured)))
    return replace(
        standing,
        sentence=join(standing.sentence, *(dated if standing.results else ())),
        evidence=tuple(card for card in standing.evidence if card.applies(rotational)),
    )


def _obstacles(
    kind: MadeKind, machine: Machine, drive: Drive, recording: Recording, room: int | None
) -> tuple[str, ...]:
    found = obstacles(kind, machine, drive, room)
    if drive.zoned == HOST_MANAGED:
        if kind is zones.BTRFS:
            faults = zones.btrfs_faults(machine, drive)
            return (*found, *(str(said) for ability, said in faults if ability is Ability.CANNOT))
        why = t(
            "This drive is host-managed, and the kernel accepts no partitions on the drive: {why}.",
            why=kind.zones or "",
        )
    elif recording.management == HOST_MANAGED:
        why = t(
            "This model has host-managed zones, but the kernel shows no zones. Writes "
            "out of order may fail. Use a controller that passes zones through, and "
            "check again."
        )
    elif drive.zones is not None and drive.zones.takes_partitions is False:
        why = t(
            "The kernel treats this drive as host-aware and accepts no partitions on it. "
            "From kernel 6.8 on, such drives are ordinary disks. Boot kernel 6.8 or "
            "later, or create the filesystem manually on the whole drive, which accepts "
            "any write."
        )
    else:
        return found
    return (*found, str(why))


def _choice(
    standing: RankedChoice,
    place: Rank,
    site: OptionSite,
    profile: Profile,
    ranked: Sequence[RankedChoice],
    blocked: Mapping[str, tuple[str, ...]],
) -> Choice:
    name = standing.filesystem
    known = [option for option in profile.options if name in option.filesystems]
    # Of several options with the same flag, the first available one is used.
    always = [option for option in known if option.always and blocker(option, site) is None]
    mkfs = _with_always(OptionKind.MKFS, always, standing.mkfs)
    mount = _with_always(OptionKind.MOUNT, always, standing.mount)
    schedulers = _available(_with_always(OptionKind.SCHEDULER, always, standing.schedulers), site)
    named = (*mkfs, *mount, *standing.schedulers)
    # If one of several alternatives for the same flag is offered, do not report the others, for other sizes,
    # as withheld.
    set_already = {flag_of(option) for option in mkfs if blocker(option, site) is None}
    never = (
        option
        for option in known
        if option.never and not option.default and option.kind is not OptionKind.TUNE
    )
    return Choice(
        filesystem=name,
        ranked=standing.ranked or place is not Rank.NOT_RECOMMENDED,
        place=place,
        sentence=_sentence(standing, place, ranked, blocked),
        evidence=standing.evidence,
        mkfs=_available(mkfs, site),
        mount=_available(mount, site),
        scheduler=schedulers[0] if schedulers else None,
        obstacles=blocked[name],
        withheld=tuple(
            Withheld(option.text, option.kind, reason)
            for option in (*named, *never)
            if (reason := blocker(option, site))
            and not (option.kind is OptionKind.MKFS and option in mkfs and flag_of(option) in set_already)
        ),
    )


def _with_always(
    kind: OptionKind, always: Iterable[CatalogueOption], options: Sequence[CatalogueOption]
) -> tuple[CatalogueOption, ...]:
    """Return the options of this kind that always apply, then the workload's whose flag is not yet set."""
    first: dict[str, CatalogueOption] = {}
    for option in always:
        if option.kind is kind:
            first.setdefault(flag_of(option), option)
    return (*first.values(), *(option for option in options if flag_of(option) not in first))


def _available(options: tuple[CatalogueOption, ...], site: OptionSite) -> tuple[Option, ...]:
    return tuple(
        Option(option.text, option.why, option.risk) for option in options if blocker(option, site) is None
    )


def _sentence(
    standing: RankedChoice,
    place: Rank,
    ranked: Sequence[RankedChoice],
    blocked: Mapping[str, tuple[str, ...]],
) -> Message:
    """Return the sentence of a filesystem. If its rank has changed, state first why."""
    if place is standing.place:
        return standing.sentence
    if blocked[standing.filesystem]:
        title = MADE[standing.filesystem].title
        unusable = t("{title} would suit this workload, but cannot be used here.", title=title)
        return join(unusable, standing.sentence)
    before = [
        other.filesystem
        for other in ranked
        if blocked[other.filesystem] and _ORDER.index(other.place) < _ORDER.index(standing.place)
    ]
    reasons = dict.fromkeys(blocked[name][0] for name in before)
    others = tuple(MADE[name].title for name in before)
    moved = t("Moved up because {others:and} cannot be used here.", others=others)
    return join(moved, *reasons, standing.sentence)


def _doubts(machine: Machine, drive: Drive, recording: Recording, profile: Profile) -> Iterator[Message]:
    if why := drive.why_unread("drive"):
        yield t("Cannot read the drive: {why}", why=why)
    if machine.root and (why := drive.why_unread("signatures")):
        yield t(
            "Cannot read the drive's contents, so the drive may be failing. Save your data first. {why}",
            why=why,
        )
    if drive.zoned == HOST_MANAGED:
        faults = zones.btrfs_faults(machine, drive)
        yield from (said for ability, said in faults if ability is Ability.DOUBT)
    elif recording.verdict is Recorded.LIKELY:
        yield t("The drive is likely shingled, but unconfirmed. The advice assumes a shingled drive.")
        usual, shingled = profile.usual.recommended, profile.shingled.recommended
        if usual != shingled:
            yield t(
                "If not, {usual} would rank before {shingled} for this workload.",
                usual=MADE[usual].title,
                shingled=MADE[shingled].title,
            )
    if not machine.kernel.filesystems:
        yield NO_LIST
    for what, value, follows in (
        ("size_bytes", drive.size_bytes, NOT_CHECKED(what=named_field("size_bytes"))),
        ("geometry", drive.geometry, NOT_CHECKED(what=named_field("geometry"))),
        (
            "rotational",
            drive.rotational,
            t("Unknown whether the drive rotates. Advice depending on rotation was omitted."),
        ),
        ("zoned", drive.zoned, NOT_CHECKED(what=named_field("zones"))),
    ):
        if value is None:
            yield join(follows, *filter(None, [drive.why_unread(what)]))


def _unproven(
    choices: Sequence[Choice], profile: Profile, published: Ranking, site: OptionSite
) -> Iterator[Message]:
    """Yield a doubt if there are measurements for this workload but none proves the first filesystem faster,
    and how to resolve the doubt."""
    first, second = (
        next((one.filesystem for one in choices if one.place is place), None)
        for place in (Rank.RECOMMENDED, Rank.ALTERNATIVE)
    )
    if first is None or second is None or not profile.trial or not published.figures:
        return
    if published.show(first, second, site.drive.rotational):
        return
    yield t(
        "No study compared {first} and {second} often enough, like for like, to show "
        "{first} faster for this workload. Run a trial to decide: `t` on the plan, "
        "or `diskwright trial`.",
        first=MADE[first].title,
        second=MADE[second].title,
    )
    if site.shingled:
        yield t(
            "A trial of minutes fits into a shingled drive's cache. Use `--seconds` and "
            "`--most-bytes` to run for hours."
        )


def _notes(drive: Drive, recording: Recording, profile: Profile) -> Iterator[Message]:
    if drive.zoned == HOST_MANAGED:
        yield t(
            "The drive accepts writes only in zone order. One filesystem uses the whole "
            "drive, without a partition table."
        )
        yield t("Creating a filesystem empties every zone immediately. The old contents cannot be recovered.")
        if profile.root:
            yield t(
                "The system cannot boot from such a drive. /boot and the boot loader must be on another "
                "drive."
            )
        return
    if profile.solid_state and drive.rotational:
        yield t(
            "This purpose is for non-rotating drives, but this drive rotates. A purpose "
            "named after the contents fits better."
        )
    if _is_shingled(recording):
        yield t(
            "Shingled drives write long runs fast. Once their cache is full, rewriting "
            "in place is slow on any filesystem."
        )
        if profile.root:
            yield t(
                "Avoid shingled drives for a system, which rewrites small blocks all day. "
                "Use another drive if possible."
            )
    if drive.discards and (drive.rotational is False or _is_shingled(recording)):
        yield t(
            "The drive supports discard. Enable fstrim.timer to discard weekly "
            "(systemctl enable --now fstrim.timer). The mount option discard acts at "
            "every deletion and is not recommended. Since kernel 6.2, Btrfs discards in "
            "the background by default."
        )


def unmade(measured: Sequence[Evidence]) -> tuple[Unmade, ...]:
    """Return filesystems that are recognised but never created: why, how to replace them, and measurements
    that include them. Those with measurements come first."""
    found = [
        Unmade(
            kind.name,
            kind.title,
            str(kind.why_not),
            str(kind.way_off),
            # In any configuration (`ufs on two striped disks`).
            tuple(card for card in measured if kind.name in {name.split()[0] for name, _ in card.figures}),
        )
        for kind in KINDS.values()
        if kind.why_not
    ]
    return tuple(sorted(found, key=lambda one: (not one.evidence, one.title.lower())))
