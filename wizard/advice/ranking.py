"""Rank filesystems for one drive and one workload.

Hard limits come first, then the workload, then the recording technology of the drive.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from wizard.advice.catalogue import CatalogueOption, OptionKind, OptionSite, blocker, flag_of
from wizard.advice.missing import BTRFS, Filesystem, filesystem, obstacles, room_bytes
from wizard.advice.workloads import CandidateProfile, Profile, RankedChoice
from wizard.advice.zones import manages_zones, zone_doubts, zone_notes, zone_obstacles, zoned_uses
from wizard.filesystems.registry import KINDS
from wizard.model.advice import Advice, Choice, Evidence, Option, Rank, Unmade, Withheld
from wizard.model.finding import Recorded, Recording
from wizard.model.machine import Drive, Machine
from wizard.model.said import Message, Sentence, join, t

_ORDER = list(Rank)


def advise(
    machine: Machine, drive: Drive, recording: Recording, profile: Profile, *, size_bytes: int | None = None
) -> Advice:
    """Rank every filesystem for `profile` on `drive`. `size_bytes` is the volume's size where it is not the
    whole drive's.

    The same facts always give the same advice. Where none that suits the work can be made nothing is chosen.
    """
    zoned = manages_zones(drive)
    site = site_of(machine, drive, recording, profile, size_bytes)
    shingled, room = site.shingled, site.size_bytes
    ranked = sorted(
        (
            (candidate, _standing(candidate, shingled=shingled, zoned=zoned))
            for candidate in profile.candidates
        ),
        key=lambda pair: _ORDER.index(pair[1].place),
    )
    barred = {
        candidate.filesystem: _obstacles(filesystem(candidate.filesystem), machine, drive, recording, room)
        for candidate, _ in ranked
    }
    unable = [pair for pair in ranked if barred[pair[0].filesystem]]
    able = [pair for pair in ranked if not barred[pair[0].filesystem]]
    risen = _risen(ranked, able)
    choices = [
        _choice(candidate, standing, place, site, profile, _moved(standing, place, unable, barred))
        for candidate, standing in able
        for place in (risen.get(candidate.filesystem, Rank.REJECTED),)
    ]
    choices += [
        _choice(
            candidate,
            standing,
            Rank.REJECTED,
            site,
            profile,
            _barred_sentence(candidate, standing),
            barred[candidate.filesystem],
        )
        for candidate, standing in unable
    ]
    wanted = {candidate.filesystem: _ORDER.index(standing.place) for candidate, standing in ranked}
    choices.sort(
        key=lambda one: (not one.ranked, _ORDER.index(one.place), wanted[one.filesystem], bool(one.obstacles))
    )
    btrfs = next(choice for choice in choices if choice.filesystem == BTRFS.name)
    return Advice(
        drive=drive.path,
        workload=profile.workload,
        choices=tuple(choices),
        doubts=(
            *_doubts(machine, drive, recording, profile),
            *(() if zoned else _unproven(tuple(choices), profile, shingled=shingled)),
        ),
        notes=zone_notes(root=profile.root) if zoned else _notes(drive, recording, profile),
        zoned=zoned_uses(machine, drive, btrfs.mkfs) if zoned else (),
        unmade=unmade(() if zoned else profile.measured_on(shingled=shingled).figures),
    )


def site_of(
    machine: Machine, drive: Drive, recording: Recording, profile: Profile, size_bytes: int | None
) -> OptionSite:
    """What options are judged by, for a volume of `size_bytes` or of all that the drive has room for."""
    zoned = manages_zones(drive)
    return OptionSite(
        kernel=machine.kernel,
        drive=drive,
        shingled=is_shingled(recording) and not zoned,
        root=profile.root,
        size_bytes=room_bytes(drive, size_bytes, table=not zoned),
    )


def is_shingled(recording: Recording) -> bool:
    """Whether advice treats the drive as shingled: surely or likely so. Being wrong costs little, a surprise
    costs hours."""
    return recording.verdict in (Recorded.YES, Recorded.LIKELY)


def _standing(candidate: CandidateProfile, *, shingled: bool, zoned: bool) -> RankedChoice:
    """A filesystem's standing on such a drive. Where the host manages zones only Btrfs comes into question;
    what was measured on drives that manage themselves says nothing of it."""
    if zoned and candidate.filesystem == BTRFS.name and candidate.moves_up:
        return replace(
            candidate.usual,
            place=Rank.CHOSEN,
            sentence=t(
                "Of the filesystems diskwright creates, only this one works on such a drive. "
                "Every write goes to a new place, zone after zone. The whole drive is used, "
                "without a partition table. Data has a single copy. Files cannot be exempted "
                "from copy-on-write (nodatacow) or have space reserved (fallocate)."
            ),
            evidence=(),
        )
    if zoned:
        # What does not suit the work does not suit it better for being the only one that can be made.
        unfit = candidate.filesystem == BTRFS.name
        sentence = candidate.usual.sentence if unfit else t("Results from other drives do not apply here.")
        return replace(candidate.usual, place=Rank.REJECTED, sentence=sentence, evidence=())
    return candidate.shingled if shingled else candidate.usual


def _obstacles(
    kind: Filesystem, machine: Machine, drive: Drive, recording: Recording, room: int | None
) -> tuple[str, ...]:
    found = obstacles(kind, machine, drive, room)
    if manages_zones(drive):
        return (*found, *zone_obstacles(kind, machine, drive))
    if recording.management == "host-managed":
        return (
            *found,
            str(
                t(
                    "This model has host-managed zones, but the kernel shows no zones. Writes "
                    "out of order may fail. Use a controller that passes zones through, and "
                    "check again."
                )
            ),
        )
    if drive.zones is not None and drive.zones.takes_partitions is False:
        return (
            *found,
            str(
                t(
                    "The kernel treats this drive as host-aware and accepts no partitions on it. "
                    "From kernel 6.8 on, such drives are ordinary disks. Boot kernel 6.8 or "
                    "later, or create the filesystem manually on the whole drive, which accepts "
                    "any write."
                )
            ),
        )
    return found


def _risen(
    ranked: list[tuple[CandidateProfile, RankedChoice]], able: list[tuple[CandidateProfile, RankedChoice]]
) -> dict[str, Rank]:
    """The places above the rejected ones, as many as the workload gives, filled in order by what can be used
    and may move up."""
    given = [standing.place for _, standing in ranked if standing.place is not Rank.REJECTED]
    fit = [
        candidate for candidate, standing in able if standing.place is not Rank.REJECTED or candidate.moves_up
    ]
    return {candidate.filesystem: place for candidate, place in zip(fit, given, strict=False)}


def _choice(
    candidate: CandidateProfile,
    standing: RankedChoice,
    place: Rank,
    site: OptionSite,
    profile: Profile,
    sentence: Message,
    barred: tuple[str, ...] = (),
) -> Choice:
    always = _always(profile.always, candidate.filesystem, site)
    mkfs = (*always[OptionKind.MKFS], *_beside(always, OptionKind.MKFS, standing.mkfs))
    mount = (*always[OptionKind.MOUNT], *_beside(always, OptionKind.MOUNT, standing.mount))
    schedulers = _offered((*always[OptionKind.SCHEDULER], *standing.schedulers), site)
    named = (*mkfs, *mount, *standing.schedulers)
    # Of several that set the same thing, each for its own sizes, the others are no news where one is offered.
    set_already = {flag_of(option) for option in mkfs if blocker(option, site) is None}
    never = (option for option in profile.never if candidate.filesystem in option.filesystems)
    return Choice(
        filesystem=candidate.filesystem,
        ranked=candidate.ranked or place is not Rank.REJECTED,
        place=place,
        sentence=sentence,
        evidence=standing.evidence,
        mkfs=_offered(mkfs, site),
        mount=_offered(mount, site),
        scheduler=schedulers[0] if schedulers else None,
        obstacles=barred,
        withheld=tuple(
            Withheld(option.text, option.kind, reason)
            for option in (*named, *never)
            if (reason := blocker(option, site))
            and not (option.kind is OptionKind.MKFS and option in mkfs and flag_of(option) in set_already)
        ),
    )


def _always(
    options: tuple[CatalogueOption, ...], name: str, site: OptionSite
) -> dict[OptionKind, tuple[CatalogueOption, ...]]:
    """Those that no workload need name, by kind. Of several with the same flag the first that may be offered
    is taken."""
    found: dict[tuple[OptionKind, str], CatalogueOption] = {}
    for option in options:
        if name in option.filesystems and blocker(option, site) is None:
            found.setdefault((option.kind, flag_of(option)), option)
    return {kind: tuple(option for (of, _), option in found.items() if of is kind) for kind in OptionKind}


def _beside(
    always: dict[OptionKind, tuple[CatalogueOption, ...]],
    kind: OptionKind,
    options: tuple[CatalogueOption, ...],
) -> tuple[CatalogueOption, ...]:
    """The options of a workload that can stand beside those that are always there."""
    flags = {flag_of(option) for option in always[kind]}
    return tuple(option for option in options if flag_of(option) not in flags)


def _offered(options: tuple[CatalogueOption, ...], site: OptionSite) -> tuple[Option, ...]:
    return tuple(
        Option(option.text, option.why, option.risk) for option in options if blocker(option, site) is None
    )


def _moved(
    standing: RankedChoice,
    place: Rank,
    unable: list[tuple[CandidateProfile, RankedChoice]],
    barred: dict[str, tuple[str, ...]],
) -> Message:
    """The sentence of a filesystem that can be used; where others before it cannot, it says so first."""
    if place is standing.place:
        return standing.sentence
    before = [
        candidate.filesystem
        for candidate, other in unable
        if _ORDER.index(other.place) < _ORDER.index(standing.place)
    ]
    reasons = dict.fromkeys(barred[name][0] for name in before)
    up = (
        Sentence("Moved up to first place because {others:and} cannot be used here.")
        if place is Rank.CHOSEN
        else Sentence("Moved up to second place because {others:and} cannot be used here.")
    )
    moved = up(others=tuple(filesystem(name).title for name in before))
    return join(moved, *(t("{why}", why=why) for why in reasons), standing.sentence)


def _barred_sentence(candidate: CandidateProfile, standing: RankedChoice) -> Message:
    title = filesystem(candidate.filesystem).title
    if standing.place is Rank.REJECTED:
        return standing.sentence
    kept_from = (
        Sentence("{title} would be recommended for this workload, but cannot be used here.")
        if standing.place is Rank.CHOSEN
        else Sentence("{title} would be a good alternative for this workload, but cannot be used here.")
    )
    return join(kept_from(title=title), standing.sentence)


def _doubts(machine: Machine, drive: Drive, recording: Recording, profile: Profile) -> tuple[str, ...]:
    found = [
        t("Cannot read the drive: {why}", why=unread.why) for unread in drive.unread if unread.what == "drive"
    ]
    silent = next((unread.why for unread in drive.unread if unread.what == "signatures"), None)
    if silent and machine.root:
        found.append(
            t(
                "Cannot read the drive's contents, so the drive may be failing. Save your data first. {why}",
                why=silent,
            )
        )
    if manages_zones(drive):
        found += zone_doubts(machine, drive)
    elif recording.verdict is Recorded.LIKELY:
        found.append(t("The drive is likely shingled, but unconfirmed. The advice assumes a shingled drive."))
        found += _otherwise(profile)
    if not machine.kernel.filesystems:
        found.append(
            t("Cannot read the kernel's list of filesystems. Mounting will show which are supported.")
        )
    for what, value, follows in (
        (
            "size_bytes",
            drive.size_bytes,
            t("Cannot read the drive's size. Size limits were not checked."),
        ),
        (
            "geometry",
            drive.geometry,
            t("Cannot read the drive's block sizes. They were not checked."),
        ),
        (
            "rotational",
            drive.rotational,
            t("Unknown whether the drive rotates. Advice depending on rotation was omitted."),
        ),
        ("zoned", drive.zoned, t("Cannot read whether the drive has host-managed zones.")),
    ):
        if value is None:
            why = [unread.why for unread in drive.unread if unread.what == what]
            found.append(join(follows, *why[:1]))
    return tuple(map(str, found))


def _otherwise(profile: Profile) -> list[Message]:
    usual = next(
        candidate.filesystem for candidate in profile.candidates if candidate.usual.place is Rank.CHOSEN
    )
    shingled = next(
        candidate.filesystem for candidate in profile.candidates if candidate.shingled.place is Rank.CHOSEN
    )
    if usual == shingled:
        return []
    return [
        t(
            "If not, {usual} would rank before {shingled} for this workload.",
            usual=filesystem(usual).title,
            shingled=filesystem(shingled).title,
        )
    ]


def _unproven(choices: tuple[Choice, ...], profile: Profile, *, shingled: bool) -> Iterator[str]:
    """Where there are figures of this work, and none carries that the first one is the faster: that is a
    doubt, and what settles it."""
    measured = profile.measured_on(shingled=shingled)
    first, second = (
        next((one.filesystem for one in choices if one.place is place), None)
        for place in (Rank.CHOSEN, Rank.SECOND)
    )
    if first is None or second is None or not profile.trial or not measured.figures:
        return
    if measured.show(first, second):
        return
    yield str(
        t(
            "No study compared {first} and {second} often enough, like for like, to show "
            "{first} faster for this workload. Run a trial to decide: `t` on the plan, "
            "or `diskwright trial`.",
            first=filesystem(first).title,
            second=filesystem(second).title,
        )
    )
    if shingled:
        yield str(
            t(
                "A trial of minutes fits into a shingled drive's cache. Use `--seconds` and "
                "`--most-bytes` to run for hours."
            )
        )


def _notes(drive: Drive, recording: Recording, profile: Profile) -> tuple[str, ...]:
    found: list[Message] = []
    if profile.solid_state and drive.rotational:
        found.append(
            t(
                "This purpose is for non-rotating drives, but this drive rotates. A purpose "
                "named after the contents fits better."
            )
        )
    discards = drive.discard is not None and drive.discard.maximum_bytes > 0
    if is_shingled(recording):
        found.append(
            t(
                "Shingled drives write long runs fast. Once their cache is full, rewriting "
                "in place is slow on any filesystem."
            )
        )
        if profile.root:
            found.append(
                t(
                    "Avoid shingled drives for a system, which rewrites small blocks all day. "
                    "Use another drive if possible."
                )
            )
    if discards and (drive.rotational is False or is_shingled(recording)):
        found.append(
            t(
                "The drive supports discard. Enable fstrim.timer to discard weekly "
                "(systemctl enable --now fstrim.timer). The mount option discard acts at "
                "every deletion and is not recommended. Since kernel 6.2, Btrfs discards in "
                "the background by default."
            )
        )
    return tuple(map(str, found))


def unmade(measured: Sequence[Evidence]) -> tuple[Unmade, ...]:
    """The filesystems that are recognised and never made, with why not, the way off them, and those of the
    measurements that hold a figure of them; those with figures come first."""
    found = [
        Unmade(
            kind.name,
            kind.title,
            str(kind.why_not),
            str(kind.way_off),
            tuple(card for card in measured if _names(card, kind.name)),
        )
        for kind in KINDS.values()
        if kind.why_not and not kind.made
    ]
    return tuple(sorted(found, key=lambda one: (not one.evidence, one.title.lower())))


def _names(card: Evidence, filesystem: str) -> bool:
    """Whether a figure is of this filesystem, also in some configuration (`ufs on two striped disks`)."""
    return any(name.split()[0] == filesystem for name, _ in card.figures)
