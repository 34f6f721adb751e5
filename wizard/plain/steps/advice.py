"""Step 3: which filesystem, with which options, and why."""

from collections.abc import Sequence
from dataclasses import replace

from wizard.advise.asked import Taken
from wizard.advise.filesystems import for_files
from wizard.model.advice import Advice, Choice
from wizard.model.names import printable
from wizard.plain.advicewords import (
    choice_line,
    choice_reasons,
    notes_paragraphs,
    options_paragraphs,
    unmade_sentences,
)
from wizard.plain.desk import Desk
from wizard.plain.questions import Choosing, Item, Topic, Word, choose
from wizard.plain.steps.options import choose_options
from wizard.plain.talk import Para
from wizard.services.session import Back, Moved, Next, Session

HELP = (
    "The filesystems are ranked for this purpose on this drive. Each can be taken, whether it is advised or "
    "not, unless it cannot be made here.",
    "e and a number tells its options, each with reason and risk, and the published figures behind its "
    "place, with when and on what they were measured.",
    "o and a number lists every option of a filesystem, also those that are not advised. One that puts data "
    "at risk is taken only when its danger is typed back.",
)


def choose_filesystem(desk: Desk, session: Session) -> Moved:
    """Any of the ranking that nothing stands against."""
    advice = session.advice
    assert advice is not None
    desk.heading(3, f"Advice for: {printable(advice.workload.title, 70)}")
    desk.talk.say_all(notes_paragraphs(advice))
    if advice.chosen is None:
        desk.talk.say("No filesystem can be made on this drive from here; each line says why.")
    choices = for_files(advice.choices)
    items = tuple(map(choice_item, choices))
    taken = {session.taken.choice.filesystem: session.taken} if session.taken else {}

    def ask_options(index: int) -> None:
        choice = choices[index]
        taken[choice.filesystem] = choose_options(
            desk, session, taken.get(choice.filesystem) or Taken(choice), choice
        )

    topic = Topic("Which filesystem?", (*HELP, *unmade_sentences(advice)), options=ask_options)
    answer = choose(desk.talk, Choosing(topic, items, _default(advice, choices, session.choice)))
    if isinstance(answer, Word):
        return Back(session)
    final = taken.get(choices[answer].filesystem) or Taken(choices[answer])
    desk.talk.say()
    desk.talk.say_all(options_paragraphs(final.choice))
    desk.talk.say_all(Para(f"In doubt: {printable(doubt, 500)}", 0, 2) for doubt in final.doubts)
    if final.choice != session.choice:
        session = replace(session, choice=final.choice, taken=final, wishes=(), plan=None)
    return Next(session)


def choice_item(choice: Choice, *, brief: bool = False) -> Item:
    """A filesystem as an answer; `brief` where it was told before. Of several obstacles the first is told,
    and all of them by e."""
    said = choice_line(choice)
    refusal = choice.obstacles[0] if choice.obstacles else ""
    return Item(
        said.partition(". ")[0] + "." if brief else said,
        refusal=refusal,
        reasons=lambda: choice_reasons(choice),
    )


def _default(advice: Advice, choices: Sequence[Choice], taken: Choice | None) -> int | None:
    """What was taken before, else what is advised."""
    wanted = (advice.choice(taken.filesystem) if taken else None) or advice.chosen
    return choices.index(wanted) if wanted in choices else None
