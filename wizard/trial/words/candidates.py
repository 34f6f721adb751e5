"""The sentences of a trial of filesystems."""

from wizard.model.said import t

# What goes wrong.

# Why there can be none.

# Before it begins.

# What is said of the planned filesystem and another one.

# What limits it.
INTERVALS = t(
    "In brackets: the true factor lies there in 95 of 100 such trials. Single phases are not claims."
)

# Figures.
