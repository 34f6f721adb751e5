"""Questions: a numbered list or a line of text, and the words that are understood everywhere."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TypeVar

from wizard.advise.glossary import find_term
from wizard.model.errors import DiskwrightError
from wizard.model.names import printable
from wizard.plain.talk import Ended, Para, Talk

T = TypeVar("T")


class Word(StrEnum):
    """What a person can answer instead of a number."""

    BACK = "b"
    QUIT = "q"
    HELP = "?"
    WHY = "e"
    LIST = "l"
    AGAIN = "r"


_LONG = {
    "back": Word.BACK,
    "quit": Word.QUIT,
    "exit": Word.QUIT,
    "help": Word.HELP,
    "h": Word.HELP,
    "why": Word.WHY,
    "list": Word.LIST,
}

NOTHING_WRITTEN = "Nothing has been written to any drive."

Reasons = Callable[[], Sequence[Para]]


@dataclass(frozen=True, slots=True)
class Item:
    """A numbered answer. `refusal` says why it cannot be given now; `reasons` are what is told by `e` and its
    number."""

    text: str
    more: tuple[str, ...] = ()
    refusal: str = ""
    reasons: Reasons | None = None


@dataclass(frozen=True, slots=True)
class Topic:
    """What is asked, how it is explained, and what is possible besides. `ending` is what quitting here
    means."""

    asks: str
    help: tuple[str, ...]
    back: bool = True
    again: str = ""
    reasons: Reasons | None = None
    ending: str = NOTHING_WRITTEN
    options: Callable[[int], None] | None = None
    """What `o` and a number ask about an answer, by its index; then the question is asked again."""


@dataclass(frozen=True, slots=True)
class Choosing:
    """A question with numbered answers. `default` is the index that an empty line stands for."""

    topic: Topic
    items: tuple[Item, ...]
    default: int | None = None


@dataclass(frozen=True, slots=True)
class Writing:
    """A question answered in words of one's own. `empty` is what an empty line stands for, `means` how that
    is said."""

    topic: Topic
    empty: str
    means: str
    literal: tuple[str, ...] = field(default=())
    """Answers that are always meant as they are, even where they are also one of the words."""


def choose(talk: Talk, question: Choosing) -> int | Word:
    """Ask until there is an answer: the index of an item, BACK, or AGAIN. Raises Ended where the person ends
    the wizard."""
    talk.say()
    talk.say(question.topic.asks)
    _list(talk, question.items)
    while True:
        talk.say(_choosing_legend(question))
        answer = talk.answer("Answer:")
        word, rest = _word(answer)
        if not answer and question.default is not None:
            return question.default
        if (about := _about(answer, question)) is not None:
            _ask_about(talk, question, about)
        elif word is Word.LIST and not rest:
            _list(talk, question.items)
        elif word is Word.WHY:
            _tell_why(talk, question, rest)
        elif word is not None and not rest and _is_offered(word, question.topic):
            return word
        elif word is not None and _handled(talk, word, rest, question):
            talk.say(question.topic.asks)
        elif (index := _index(answer, len(question.items))) is None:
            talk.say(_misunderstood(answer, "? explains the question, l lists the answers."))
            talk.say(question.topic.asks)
        elif refusal := question.items[index].refusal:
            talk.say(f"Number {index + 1} cannot be chosen: {refusal}")
            talk.say(question.topic.asks)
        else:
            return index


def write(talk: Talk, question: Writing, take: Callable[[str], T]) -> T | Word:
    """Ask until `take` makes something of the answer; what it raises is said. BACK where the person wants to
    go back."""
    talk.say()
    talk.say(question.topic.asks)
    while True:
        talk.say(_writing_legend(question))
        answer = talk.answer("Answer:")
        word, rest = _word(answer)
        if answer in question.literal:
            word = None
        if word is not None and not rest and _is_offered(word, question.topic):
            return word
        if word is not None and _handled(talk, word, rest, question):
            talk.say(question.topic.asks)
            continue
        if word is not None and not rest:
            talk.say(f"There is nothing more to tell here. Where {answer} itself is meant, type ={answer}.")
            continue
        try:
            return take(answer.removeprefix("=") if answer else question.empty)
        except DiskwrightError as error:
            talk.say(str(error))
            talk.say(question.topic.asks)


def agreed(talk: Talk, asks: str, no: str, yes: str) -> bool:
    """Whether a question is answered by yes; no is what an empty line means. Without an answer the wizard
    ends."""
    talk.say()
    talk.say(asks)
    _list(talk, (Item(no), Item(yes)))
    while True:
        talk.say("Type 1 or 2. An empty line means 1.")
        answer = talk.answer("Answer:").lower().rstrip(".")
        if answer in ("", "1", "n", "no", "b"):
            return False
        if answer in ("2", "y", "yes", "q"):
            return True
        talk.say(_misunderstood(answer, ""))


def _is_offered(word: Word, topic: Topic) -> bool:
    return (word is Word.BACK and topic.back) or (word is Word.AGAIN and bool(topic.again))


def _handled(talk: Talk, word: Word, rest: str, question: Choosing | Writing) -> bool:
    """Do what a word asks for; false where it means nothing here. Raises Ended where the person ends the
    wizard."""
    topic = question.topic
    match word:
        case Word.QUIT if not rest:
            if agreed(talk, f"End the wizard? {topic.ending}", "No, go on.", "Yes, end."):
                raise Ended
        case Word.HELP if rest:
            talk.say_all(_meaning(rest))
        case Word.HELP:
            talk.say_all(_help(question))
        case Word.WHY if not rest and topic.reasons is not None:
            talk.say_all(topic.reasons())
        case Word.BACK if not rest:
            talk.say("There is no earlier question.")
        case _:
            return False
    return True


def _tell_why(talk: Talk, question: Choosing, rest: str) -> None:
    """The reasons for one item; without a number for the question as a whole, else for the one that an empty
    line would take."""
    index = _index(rest, len(question.items)) if rest else question.default
    if rest and index is None:
        talk.say(_misunderstood(rest, f"After e comes a number from 1 to {len(question.items)}."))
        return
    reasons = question.topic.reasons if not rest and question.topic.reasons else None
    if reasons is None and index is not None:
        reasons = question.items[index].reasons
    if reasons is None:
        told = any(item.reasons for item in question.items)
        talk.say(
            "Type e and a number, such as e 1."
            if told
            else "There is nothing more to tell about this question."
        )
        return
    talk.say_all(reasons())


OPTIONS = "o"


def _about(answer: str, question: Choosing) -> str | None:
    """What follows `o` where a question has something to ask about its answers; None for any other answer."""
    first, _, rest = answer.partition(" ")
    return rest.strip() if question.topic.options is not None and first.lower() == OPTIONS else None


def _ask_about(talk: Talk, question: Choosing, rest: str) -> None:
    """The options of the item with this number, or of the one that an empty line would take."""
    index = _index(rest, len(question.items)) if rest else question.default
    if index is None or question.topic.options is None:
        talk.say(_misunderstood(rest, f"After o comes a number from 1 to {len(question.items)}."))
    elif refusal := question.items[index].refusal:
        talk.say(f"Number {index + 1} cannot be chosen: {refusal}")
    else:
        question.topic.options(index)
    talk.say()
    talk.say(question.topic.asks)


def _help(question: Choosing | Writing) -> list[Para]:
    """The question's own explanation, and what can be answered besides."""
    topic = question.topic
    choosing = isinstance(question, Choosing)
    words = [
        "b: back to the question before." if topic.back else "",
        f"r: {topic.again}." if topic.again else "",
        "l: the list of answers once more." if choosing else "",
        "e: the reasons and the evidence behind what was said here; e 2 for number 2."
        if _tells_why(question)
        else "",
        "o: further options, to be taken beside what is advised; o 2 for number 2." if topic.options else "",
        "q: end the wizard, after a question.",
        "? and a word: what the word means, such as ? 512e.",
        "" if choosing else "= before an answer: it is meant as it is, and is none of these words.",
        "Ctrl+S holds the output where it scrolls too fast, and Ctrl+Q lets it go on.",
    ]
    return [
        Para(),
        *(Para(text) for text in topic.help),
        *(Para(text, 2, 3) for text in words if text),
        Para(),
    ]


def _meaning(word: str) -> list[Para]:
    """What the glossary says of a word; what comes nearest where it does not know it."""
    try:
        term = find_term(word)
    except DiskwrightError as error:
        return [Para(), Para(str(error)), Para()]
    return [Para(), Para(f"{term.term}: {term.text}"), Para(f"Source: {term.source}", 2, 2), Para()]


def _tells_why(question: Choosing | Writing) -> bool:
    """Whether there are reasons to tell."""
    of_items = isinstance(question, Choosing) and any(item.reasons for item in question.items)
    return of_items or question.topic.reasons is not None


def _list(talk: Talk, items: Sequence[Item]) -> None:
    for number, item in enumerate(items, 1):
        talk.say(f"{number:>2}. {item.text}", hang=4)
        for text in item.more:
            talk.say(text, indent=4)
        if item.refusal:
            talk.say(f"Cannot be chosen: {item.refusal}", indent=4, hang=2)


def _choosing_legend(question: Choosing) -> str:
    count = len(question.items)
    number = (
        "Type 1."
        if count == 1
        else f"Type a number from 1 to {count}."
        if count
        else "There is nothing to choose."
    )
    empty = f" An empty line means {question.default + 1}." if question.default is not None else ""
    return f"{number}{empty} {_words_of(question)}"


def _writing_legend(question: Writing) -> str:
    return f"An empty line means {question.means}. {_words_of(question)}"


def _words_of(question: Choosing | Writing) -> str:
    topic = question.topic
    offered = ["b back"] if topic.back else []
    offered += [f"r {topic.again}"] if topic.again else []
    offered += ["e why"] if _tells_why(question) else []
    offered += ["o options"] if topic.options else []
    return f"Or: {', '.join([*offered, 'q quit', '? help'])}."


def _word(answer: str) -> tuple[Word | None, str]:
    """The word that an answer begins with, and what follows it: `e 2`, `? 512e`."""
    if answer.startswith("?"):
        return Word.HELP, answer[1:].strip()
    first, _, rest = answer.partition(" ")
    first = first.lower()
    if first in _LONG:
        return _LONG[first], rest.strip()
    try:
        return Word(first), rest.strip()
    except ValueError:
        return None, ""


def _index(answer: str, count: int) -> int | None:
    """The index of a number from 1 to `count`."""
    digits = answer.strip().rstrip(".")
    if not (digits.isascii() and digits.isdecimal() and len(digits) < 6):
        return None
    number = int(digits)
    return number - 1 if 1 <= number <= count else None


def _misunderstood(answer: str, then: str) -> str:
    said = f'"{printable(answer, 40)}" is no answer here.' if answer else "There must be an answer here."
    return f"{said} {then}".rstrip()
