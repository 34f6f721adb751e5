"""What the window itself says."""

from wizard.model.said import Sentence

STEPS = {
    "drives": Sentence("Drives"),
    "purpose": Sentence("Purpose"),
    "plan": Sentence("Plan"),
    "review": Sentence("Review"),
    "work": Sentence("Work"),
}
KEY_NAMES = {
    "enter": Sentence("Enter"),
    "escape": Sentence("Esc"),
    "space": Sentence("Space"),
    "delete": Sentence("Del"),
    "tab": Sentence("Tab"),
    "backspace": Sentence("Backspace"),
    "pageup": Sentence("PgUp"),
    "pagedown": Sentence("PgDn"),
}
