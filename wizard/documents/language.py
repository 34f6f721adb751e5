"""Which language is spoken: that of LANGUAGE, LC_ALL, LC_MESSAGES or LANG, as gettext has them.

Every command asks, also those that say nothing, so nothing is imported before a catalogue is there.
"""

import os
from collections.abc import Iterator, Mapping

PROFILES = f"{__file__.rpartition('/documents/')[0]}/profiles"
CATALOGUES = f"{PROFILES}/locale"
_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@.-")


def speak(environment: Mapping[str, str] = os.environ) -> None:
    """Say every sentence in the person's language from now on: the first that there is a catalogue for.
    English needs none, and is spoken where a catalogue cannot be read."""
    for name in wanted(environment):
        if name == "en":
            return
        path = f"{CATALOGUES}/{name}/LC_MESSAGES/diskwright.mo"
        if os.path.exists(path):  # noqa: PTH110 - pathlib alone takes longer than all the rest
            _speak(path)
            return


def _speak(path: str) -> None:
    import struct
    from gettext import GNUTranslations

    from wizard.model.said import Language

    try:
        with open(path, "rb") as file:  # noqa: PTH123
            spoken = GNUTranslations(file)
    except (OSError, ValueError, struct.error):
        return
    Language.one, Language.many, Language.of_profiles = spoken.gettext, spoken.ngettext, spoken.pgettext


def wanted(environment: Mapping[str, str]) -> Iterator[str]:
    """The catalogues to look for, the best first: `de_AT`, then `de`. LANGUAGE counts only where the locale
    is one of a language (gettext(3))."""
    locale = environment.get("LC_ALL") or environment.get("LC_MESSAGES") or environment.get("LANG") or "C"
    if locale.partition(".")[0] in ("C", "POSIX"):
        return
    for one in (*environment.get("LANGUAGE", "").split(":"), locale):
        if one and _PLAIN.issuperset(one) and not one.startswith("."):
            place, _, variant = one.partition("@")
            place = place.partition(".")[0]
            for name in dict.fromkeys((place, place.partition("_")[0])):
                yield from (f"{name}@{variant}", name) if variant else (name,)
