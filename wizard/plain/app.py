"""The conversation from the first question to the end."""

import os
import sys
from collections.abc import Callable

from wizard.apply.plan.steps_told import exit_code_of
from wizard.model.errors import ExitCode
from wizard.model.names import printable
from wizard.plain.desk import Desk
from wizard.plain.questions import NOTHING_WRITTEN
from wizard.plain.steps.advice import choose_filesystem
from wizard.plain.steps.applying import follow_run, tell_result
from wizard.plain.steps.benchmark import offer_benchmark
from wizard.plain.steps.confirm import confirm
from wizard.plain.steps.drives import choose_drive
from wizard.plain.steps.layout import choose_layout
from wizard.plain.steps.moved import follow_migration, settle_migration
from wizard.plain.steps.moving import choose_way, confirm_migration, show_migration
from wizard.plain.steps.preview import show_plan
from wizard.plain.steps.purpose import choose_purpose
from wizard.plain.talk import Ended, Talk, columns_of, speaks_utf8
from wizard.services.contract import Services
from wizard.services.session import Back, Gone, Moved, Session

STEPS: tuple[Callable[[Desk, Session], Moved], ...] = (
    choose_drive,
    choose_purpose,
    choose_filesystem,
    choose_layout,
    show_plan,
    offer_benchmark,
    confirm,
    follow_run,
    tell_result,
)
MOVING_STEPS: tuple[Callable[[Desk, Session], Moved], ...] = (
    choose_drive,
    choose_way,
    show_migration,
    confirm_migration,
    follow_migration,
    settle_migration,
)
INTRO = (
    "diskwright sets up a drive, question by question. Answer by a number and Enter; ? explains a question.",
    "Nothing is written before you have heard the plan and typed the drive's own token.",
)


def run_plain(services: Services, hint: str = "") -> ExitCode:
    """Talk on the standard streams until the wizard ends; the exit code of the program. A run that is still
    at work goes on without it."""
    talk = Talk(
        sys.stdin.buffer,
        sys.stdout,
        width=columns_of(sys.stdout) - 1,
        ascii_only=not (speaks_utf8(os.environ) and sys.stdout.encoding.lower() == "utf-8"),
        echo=not sys.stdin.isatty(),
    )
    return converse(Desk(talk, services), hint)


def converse(desk: Desk, hint: str = "") -> ExitCode:
    """All steps, forth and back."""
    walk = Walk(desk)
    try:
        for sentence in filter(None, (hint, *INTRO)):
            desk.talk.say(sentence)
        if obstacle := desk.services.apply_obstacle:
            desk.talk.say(obstacle)
        elif desk.services.asks_for_root:
            desk.talk.say(
                "You are not root: drives may be readable only in part. Root's rights are asked for before "
                "anything is written."
            )
        walk.through()
    except Ended as end:
        if walk.session.run is None:
            desk.talk.say(f"Ended. {str(end) or NOTHING_WRITTEN}")
    except KeyboardInterrupt:
        desk.talk.say()
        desk.talk.say(f"Ended by you. {NOTHING_WRITTEN}" if walk.session.run is None else "Ended by you.")
    run = walk.session.run
    return ExitCode.ENDED_BY_USER if run is None else exit_code_of(desk.services.state(run))


class Walk:
    """Where the conversation is. `session` is what it has gathered."""

    def __init__(self, desk: Desk) -> None:
        self.desk = desk
        self.session = Session()

    def through(self) -> None:
        """Until the last step is done. Raises Ended where the person ends the wizard."""
        index = 0
        while index < len(steps := MOVING_STEPS if self.session.moving is not None else STEPS):
            if self._has_gone():
                index, steps = 0, STEPS
            outcome = steps[index](self.desk, self.session)
            self.session = outcome.session
            match outcome:
                case Back():
                    index = max(0, index - 1)
                case Gone():
                    index = 0
                case _:
                    index += 1

    def _has_gone(self) -> bool:
        """Whether a drive that was taken is not attached any more, which leads back to the list; another
        drive at its node is not it."""
        drive = next(
            (drive for drive in self.session.drives if not self.desk.services.is_attached(drive)), None
        )
        if drive is None or self.session.run is not None:
            return False
        name = f"{drive.path} ({printable(drive.model, 40)})" if drive.model else drive.path
        self.desk.talk.say(f"{name} is not attached any more, so it cannot be set up now.")
        self.session = Session(workload=self.session.workload)
        return True
