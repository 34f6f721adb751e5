"""The page's part on advice: the ranking with its reasons and options, and the published figures behind
it."""

from collections.abc import Iterable, Iterator

from wizard.advise.filesystems import for_files
from wizard.filesystems.registry import KINDS
from wizard.model.advice import Advice, Choice, Evidence, Option, Place, Unmade
from wizard.model.plan import Plan
from wizard.model.said import ProfileText, Said, parts_of, t
from wizard.report.charts import Bar, bars
from wizard.report.markup import (
    Markup,
    Row,
    commands,
    folded,
    join,
    listed,
    pairs,
    paragraphs,
    table,
    tag,
    word,
)

PLACES = {Place.CHOSEN: "recommended", Place.SECOND: "good too", Place.REJECTED: "not recommended"}


def title_of(name: str) -> str:
    """A filesystem's name as people write it; a configuration is called as in the study."""
    return KINDS[name].title if name in KINDS else str(ProfileText(name))


def advice_part(advices: tuple[Advice, ...], plan: Plan | None) -> Markup:
    """Each purpose with its ranking, then every figure that is cited, once, by the study it comes from."""
    cited = list(
        dict.fromkeys(card for advice in advices for choice in advice.choices for card in choice.evidence)
    )
    studies: dict[tuple[Said | str, ...], list[Evidence]] = {}
    for card in cited:
        studies.setdefault((card.source, card.era, card.kernel, card.hardware), []).append(card)
    ordered = [card for cards in studies.values() for card in cards]
    numbers = {card.id: number for number, card in enumerate(ordered, 1)}
    taken = (
        frozenset((volume.workload, volume.filesystem) for volume in plan.volumes) if plan else frozenset()
    )
    figures = (
        tag("h3", t("The figures behind it")),
        _old(),
        *(_study(cards, numbers) for cards in studies.values()),
    )
    return join((*(_advice(advice, numbers, taken) for advice in advices), *(figures if cited else ())))


def _old() -> Markup:
    return paragraphs(
        t("They are published, and old: read the date, the kernel and the hardware with them. Best first.")
    )


def _study(cards: list[Evidence], numbers: dict[str, int]) -> Markup:
    """What dates all figures of a study, and what it says of all of them, once; then its figures."""
    first = cards[0]
    common = [said for said in parts_of(first.note) if all(said in parts_of(card.note) for card in cards)]
    dated = pairs(
        (
            ("Era", first.era),
            ("Kernel", first.kernel),
            ("Hardware", first.hardware),
            ("Note", " ".join(map(str, common))),
        )
    )
    return tag(
        "section", tag("h4", first.source), dated, *(_card(card, numbers[card.id], common) for card in cards)
    )


def _advice(advice: Advice, numbers: dict[str, int], taken: frozenset[tuple[str, str]]) -> Markup:
    none = "" if advice.chosen else t("None of the filesystems that suit this work can be made here.")
    uses = [
        join((f"{use.verdict}. {use.sentence}", commands([command.split(" ") for command in use.commands])))
        for use in advice.zoned
    ]
    told = [choice for choice in advice.choices if (advice.workload.id, choice.filesystem) in taken]
    others = [
        join((tag("strong", title_of(choice.filesystem)), f": {choice.sentence}"))
        for choice in for_files(advice.choices)
        if not choice.ranked and choice not in told
    ]
    return join(
        (
            tag("h3", f"{advice.workload.title}, on {advice.drive}"),
            paragraphs(advice.workload.summary, none),
            *(
                _choice(choice, numbers, taken=choice in told)
                for choice in advice.choices
                if choice.ranked or choice in told
            ),
            _section(t("Also made here, and not ranked for this work"), others),
            _section(t("Known, and not made here"), [_unmade(one, numbers) for one in advice.unmade]),
            _section(t("What could live in its zones"), uses),
            _section(t("In doubt"), advice.doubts),
            _section(t("Good to know"), advice.notes),
        )
    )


def _unmade(one: Unmade, numbers: dict[str, int]) -> Markup:
    """Why a filesystem is never made, the way off it, and those of its figures that are cited."""
    said = join(
        (tag("strong", one.title), ": ", t("{why} The way off: {way}", why=one.why_not, way=one.way_off), " ")
    )
    return join((said, _links((card for card in one.evidence if card.id in numbers), numbers)))


def _links(cards: Iterable[Evidence], numbers: dict[str, int]) -> Markup:
    return join(
        join((tag("a", f"[{numbers[card.id]}]", href=f"#figure-{numbers[card.id]}"), " ")) for card in cards
    )


def _section(title: Said, items: tuple[str, ...] | list[Markup]) -> Markup:
    return join((tag("h4", title), listed(items))) if items else Markup("")


def _choice(choice: Choice, numbers: dict[str, int], *, taken: bool) -> Markup:
    title = title_of(choice.filesystem)
    made = list(_options(choice)) if not choice.obstacles else []
    options = (
        table(t("Options for {filesystem}", filesystem=title), ("Option", "For", "Why", "Risk"), made)
        if made
        else Markup("")
    )
    if choice.place is Place.REJECTED and not taken and made:
        options = folded(t("Options for {filesystem}, if it were taken", filesystem=title), options)
    withheld = [(held.text, held.kind, held.reason) for held in choice.withheld]
    return tag(
        "section",
        tag(
            "h4",
            word(choice.place.value, PLACES[choice.place]),
            title,
            t(", taken in the plan") if taken else "",
        ),
        paragraphs(
            *(t("Not made here: {why}", why=obstacle) for obstacle in choice.obstacles), choice.sentence
        ),
        options,
        folded(
            t(
                "Thought of for {filesystem}, and not offered ({options})",
                filesystem=title,
                options=len(withheld),
            ),
            table(
                t("Not offered for {filesystem}", filesystem=title), ("Option", "For", "Why not"), withheld
            ),
        )
        if withheld
        else "",
        paragraphs(join(("Figures: ", _links(choice.evidence, numbers)))) if choice.evidence else "",
    )


def _options(choice: Choice) -> Iterator[Row]:
    for kind, options in (
        ("mkfs", choice.mkfs),
        ("mount", choice.mount),
        ("scheduler", (choice.scheduler,) if choice.scheduler else ()),
    ):
        yield from (_option(kind, option) for option in options)


def _option(kind: str, option: Option) -> Row:
    return (tag("code", option.text), kind, option.why, option.risk)


def _card(card: Evidence, number: int, common: list[Said | str]) -> Markup:
    """One measurement: a chart, the same numbers as a table, and what is said of it alone."""
    better = t("lower is better") if card.lower_is_better else t("higher is better")
    ordered = sorted(card.figures, key=lambda figure: figure[1], reverse=not card.lower_is_better)
    rows = [Bar(title_of(name), value, f"{value:,}") for name, value in ordered]
    said = f"{card.unit}, {better}: " + "; ".join(f"{row.name} {row.shown}" for row in rows) + "."
    chart = bars(f"figure-{number}-chart", card.title, said, rows) if rows else ""
    return tag(
        "figure",
        tag("figcaption", tag("strong", f"[{number}] {card.title}"), f": {card.unit}, {better}; {card.era}"),
        chart,
        paragraphs(" ".join(str(said) for said in parts_of(card.note) if said not in common), class_="quiet"),
        folded(
            t("The same as a table"),
            table(card.title, ("Of", card.unit), ((row.name, row.shown) for row in rows), numbers=(1,)),
        ),
        id=f"figure-{number}",
    )
