"""What the window itself says."""

from wizard.model.said import Sentence

STEPS = {
    "drives": Sentence("window.drives", "Drives"),
    "purpose": Sentence("window.purpose", "Purpose"),
    "plan": Sentence("window.plan", "Plan"),
    "review": Sentence("window.review", "Review"),
    "work": Sentence("window.work", "Work"),
}
OF_FIVE = Sentence("window.of-five", "of 5")
TOO_SMALL = Sentence(
    "window.too-small",
    "This terminal has {columns} columns and {lines} lines. "
    "diskwright needs {least_columns} and {least_lines}; `diskwright --plain` needs neither. q ends.",
)
BELOW = Sentence("window.below", "{count} more")
RATE = Sentence("window.rate", "{rate:size}/s")
PERCENT = Sentence("window.percent", "{percent} %")
ROOT = Sentence("window.root", "diskwright asks for root's rights; the wizard comes back with the answer.")
KEY_NAMES = {
    "enter": Sentence("window.key-enter", "Enter"),
    "escape": Sentence("window.key-escape", "Esc"),
    "space": Sentence("window.key-space", "Space"),
    "delete": Sentence("window.key-delete", "Del"),
    "tab": Sentence("window.key-tab", "Tab"),
    "backspace": Sentence("window.key-backspace", "Backspace"),
    "pageup": Sentence("window.key-pageup", "PgUp"),
    "pagedown": Sentence("window.key-pagedown", "PgDn"),
}
WITH_ALT = Sentence("window.with-alt", "Alt+{key}")
