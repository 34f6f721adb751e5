"""`python -m tests.translation [--check]`: renew or check profiles/locale/diskwright.pot, the template for
translations, and report errors in existing ones.

Also a pseudo language for tests: accented letters, a third longer, with intact fields.
"""

import sys
import textwrap
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from string import Formatter

from babel.messages.catalog import Catalog, Message
from babel.messages.extract import extract_from_dir
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

from tests.profiletexts import written_in
from wizard.model.said import PROFILES, fields_of

REPO = Path(__file__).resolve().parent.parent
LOCALE = REPO / "profiles/locale"
TEMPLATE = LOCALE / "diskwright.pot"
FORMATS = {
    "size": "a size, such as 1.0 TB",
    "exact": "a size without rounding, such as 17 KiB",
    "round": "a size: without rounding where it is whole MiB, else as on a drive's box",
    "time": "such as: about 3 min",
    "latency": "such as 85 us",
    "moment": "date and time",
    "and": "such as: a, b and c",
    "list": "such as: a, b, c",
    "row": "whole sentences",
    "First": "begins with a capital letter",
}
KEYWORDS = {"t": None, "Sentence": None, "tn": (1, 2), "Sentences": (1, 2)}
Texts = str | tuple[str, ...]
HEAD = """# What diskwright says. A translation is this file with the right sides filled in:
# profiles/locale/LANGUAGE/LC_MESSAGES/diskwright.po. CONTRIBUTING.md says how to make one.
# Names in braces, such as {drive} or {size:size}, are replaced by values; they stay as they are.
# What has the context "profiles" comes from the files in profiles/, and names no values."""
ACCENTED = str.maketrans("aeiouyncsAEIOUYNCS", "áéíöûýñçšÁÉÍÖÛÝÑÇŠ")


def template() -> Catalog:
    """Return every message of the program as Babel finds it, then the texts of the profiles."""
    catalog = Catalog(project="diskwright", header_comment=HEAD, charset="utf-8", fuzzy=False)
    found = extract_from_dir(str(REPO / "wizard"), [("**.py", "python")], keywords=KEYWORDS)
    for text, notes in sorted({text: _notes_on(text) for _, _, text, _, _ in found}.items(), key=_by_text):
        catalog.add(text, auto_comments=notes)
    for written in written_in():
        where = f"{written.file}: {written.key}"
        catalog.add(written.text, context=PROFILES, auto_comments=(where,))
    for message in catalog:
        message.flags.discard("python-format")  # `25 % of it` is none
    return catalog


def _by_text(one: tuple[Texts, tuple[str, ...]]) -> tuple[str, ...]:
    return (one[0],) if isinstance(one[0], str) else one[0]


def _notes_on(text: Texts) -> tuple[str, ...]:
    return tuple(_notes(text if isinstance(text, str) else text[0]))


def _notes(english: str) -> Iterator[str]:
    for _, name, form, _ in Formatter().parse(english):
        if form in FORMATS:
            yield f"{name}: {FORMATS[form]}"


def as_po(catalog: Catalog) -> str:
    """Return the catalogue as a .po file without dates, so that equal messages give equal files."""
    written = BytesIO()
    write_po(written, catalog, width=110, omit_header=True)
    header = 'msgid ""\nmsgstr ""\n"MIME-Version: 1.0\\n"\n"Content-Type: text/plain; charset=utf-8\\n"\n'
    return f"{HEAD}\n{header}\n{written.getvalue().decode()}"


def faults(po: Path) -> Iterator[str]:
    """Yield the errors of a translation: unknown or missing fields."""
    with po.open("rb") as file:
        catalog = read_po(file, ignore_obsolete=True)
    for message in catalog:
        if message.id and message.string and (fault := fault_of(message)):
            yield f"{po.relative_to(REPO)}: {message.id}: {fault}"


def fault_of(message: Message) -> str:
    """Return the error of one translated message; empty if correct."""
    english = (message.id,) if isinstance(message.id, str) else tuple(message.id)
    translated = (message.string,) if isinstance(message.string, str) else tuple(message.string or ())
    if message.context == PROFILES:
        return ""  # it names no values, and a brace is a brace
    allowed = frozenset[str]().union(*map(fields_of, english))
    for text in filter(None, translated):
        try:
            given = fields_of(text)
        except ValueError as error:
            return f"{error}: {text}"
        # A plural may do without the number itself: `one drive`.
        if given - allowed or allowed - given - {"count"}:
            return f"the fields are {sorted(allowed)}, not {sorted(given)}"
    return ""


def _padding(text: str) -> str:
    """Return as much longer as translations get, in words that fit on a line."""
    return " ".join(textwrap.wrap("~" * (len(text) // 3), 20))


def pseudo(text: str, *, named: bool = True) -> str:
    """Return the text in the pseudo language: `{drive} is mounted.` as `⟦{drive} íš möûñtéd. ~~~⟧`.

    Unless `named`, braces are plain text.
    """
    if not named:
        return f"⟦{text.translate(ACCENTED)}{_padding(text)}⟧"
    pieces = [
        (said.translate(ACCENTED).replace("{", "{{").replace("}", "}}"), name, form)
        for said, name, form, _ in Formatter().parse(text)
    ]
    accented = "".join(
        said if name is None else f"{said}{{{name}{f':{form}' if form else ''}}}"
        for said, name, form in pieces
    )
    return f"⟦{accented}{_padding(text)}⟧"


def write_pseudo(catalogues: Path, language: str = "eo") -> None:
    """Write a compiled catalogue of the pseudo language in place of Esperanto."""
    catalog = template()
    catalog.locale = language
    for message in catalog:
        if message.id:
            if isinstance(message.id, tuple | list):
                message.string = tuple(map(pseudo, message.id))
            else:
                message.string = pseudo(message.id, named=message.context != PROFILES)
    where = catalogues / language / "LC_MESSAGES/diskwright.mo"
    where.parent.mkdir(parents=True)
    with where.open("wb") as file:
        write_mo(file, catalog)


def main() -> None:
    """Renew the template, or with --check compare it. Exits with all errors."""
    made = as_po(template())
    wrong = [fault for po in sorted(LOCALE.glob("*/LC_MESSAGES/*.po")) for fault in faults(po)]
    if "--check" in sys.argv:
        if not TEMPLATE.exists() or TEMPLATE.read_text(encoding="utf-8") != made:
            wrong.append(f"{TEMPLATE.relative_to(REPO)} is out of date: run python -m tests.translation")
    else:
        LOCALE.mkdir(exist_ok=True)
        TEMPLATE.write_text(made, encoding="utf-8")
    if wrong:
        raise SystemExit("\n".join(wrong))


if __name__ == "__main__":
    main()
