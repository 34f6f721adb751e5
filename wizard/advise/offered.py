"""What can be asked for beside what is advised: the catalogue's options for one choice, and what stands
against each."""

from collections.abc import Mapping
from dataclasses import dataclass

from wizard.advise.asked import NOT_WRITTEN, exclude, refuse
from wizard.advise.catalogue import CatalogueOption, Site
from wizard.model.advice import Choice
from wizard.model.errors import DiskwrightError


@dataclass(frozen=True, slots=True)
class Offered:
    """An option for one choice. `refusal` says why it cannot be had here, empty where it can; `excludes` are
    the texts of those that it cannot stand beside."""

    option: CatalogueOption
    advised: bool
    refusal: str
    excludes: tuple[str, ...]

    @property
    def rank(self) -> int:
        """The lower, the sooner it is shown: the advised first, what cannot be had last."""
        if self.advised:
            return 0
        if self.refusal:
            return 4
        if self.option.danger:
            return 3
        return 2 if self.option.never else 1


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
