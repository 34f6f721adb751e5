"""What can be asked for beside what is advised: the catalogue's options for one choice, and what stands
against each."""

from collections.abc import Mapping
from dataclasses import dataclass

from wizard.advise.asked import NOT_WRITTEN, exclude, refuse
from wizard.advise.catalogue import CatalogueOption, Site
from wizard.advise.words import options as words
from wizard.model.advice import Choice
from wizard.model.errors import DiskwrightError
from wizard.model.said import Sentence


@dataclass(frozen=True, slots=True)
class Offered:
    """An option for one choice. `refusal` says why it cannot be had here, empty where it can; `excludes` are
    the texts of those that it cannot stand beside."""

    option: CatalogueOption
    advised: bool
    refusal: str
    excludes: tuple[str, ...]

    @property
    def standing(self) -> str:
        """`danger`, in a word or a few."""
        return str(self._stands())

    @property
    def rank(self) -> int:
        """The lower, the sooner it is shown: the advised first, what cannot be had last."""
        return _ORDER.index(self._stands)

    @property
    def _stands(self) -> Sentence:
        if self.advised:
            return words.IS_ADVISED
        if self.refusal:
            return words.IS_NOT_HAD
        if self.option.danger:
            return words.IS_DANGER
        return words.IS_NOT_ADVISED if self.option.never else words.IS_FREE

    @property
    def sentences(self) -> tuple[str, ...]:
        """What it does, why, what it costs, and what it cannot stand beside."""
        option = self.option
        said = (
            option.does,
            words.FOR(why=option.why) if option.does else option.why,
            words.RISK(risk=option.risk) if option.risk else "",
            (words.DANGER if option.danger else words.AGAINST)(why=option.never) if option.never else "",
            words.EXCLUDES(options=self.excludes) if self.excludes else "",
            words.REFUSAL(why=self.refusal) if self.refusal else "",
        )
        return tuple(str(part) for part in said if part)


_ORDER = (words.IS_ADVISED, words.IS_FREE, words.IS_NOT_ADVISED, words.IS_DANGER, words.IS_NOT_HAD)


def offered(choice: Choice, site: Site, catalogue: Mapping[str, CatalogueOption]) -> tuple[Offered, ...]:
    """Every option of mkfs and mount for the filesystem of an advised `choice`: the advised first, what
    cannot be had last."""
    options = [
        option
        for option in catalogue.values()
        if choice.filesystem in option.filesystems and option.kind not in NOT_WRITTEN and not option.default
    ]
    advised = {option.text for option in (*choice.mkfs, *choice.mount)}
    found = [
        Offered(
            option,
            option.text in advised,
            _refusal(option, site),
            _excluded(option, options, choice.filesystem),
        )
        for option in options
    ]
    return tuple(sorted(found, key=lambda one: one.rank))


def _refusal(option: CatalogueOption, site: Site) -> str:
    try:
        refuse(option, site)
    except DiskwrightError as error:
        return str(error)
    return ""


def _excluded(option: CatalogueOption, options: list[CatalogueOption], filesystem: str) -> tuple[str, ...]:
    others = (other for other in options if other.id != option.id and exclude(option, other, filesystem))
    return tuple(dict.fromkeys(other.text for other in others))
