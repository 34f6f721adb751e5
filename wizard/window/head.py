"""The first line: the program, its five steps and the drive."""

from __future__ import annotations

from rich.cells import cell_len
from textual.strip import Strip

from wizard.model.said import Sentence, t
from wizard.ui.view import ScreenStep, View
from wizard.window.look import Look
from wizard.window.text import cut, ends, joined, line, shown

OF_FIVE = t("of 5")

STEPS = {
    "drives": Sentence("Drives"),
    "purpose": Sentence("Purpose"),
    "plan": Sentence("Plan"),
    "review": Sentence("Review"),
    "work": Sentence("Work"),
}


def head_line(view: View, width: int, look: Look) -> Strip:
    """Return the header. Drops the names of other steps if the drive's would be cut."""
    ground = look.style("head")
    about = shown(view.about)
    left = _steps(view, look, named=width >= 70)
    if width >= 70 and left.cell_length + cell_len(about) + 2 > width:
        left = _steps(view, look, named=False)
    about = cut(about, width - left.cell_length - 2, look.sign("more"))
    return ends(left, line((f"{about} ", ground)), width, ground)


def _steps(view: View, look: Look, *, named: bool) -> Strip:
    ground = look.style("head")
    parts = [line((" diskwright ", look.style("name")), (" ", ground))]
    steps = list(ScreenStep)
    now = steps.index(view.step)
    for number, step in enumerate(steps):
        label = str(STEPS[step.value]())
        if number == now:
            mark = ("<", ">") if look.colourless else (" ", " ")
            parts.append(line((f"{mark[0]}{number + 1} {label}{mark[1]}", look.style("step"))))
        elif named:
            sign = look.sign("tick") if number < now else str(number + 1)
            parts.append(line((f" {sign} {label} ", ground)))
    if not named:
        parts.append(line((f" {OF_FIVE}", ground)))
    return joined(*parts)
