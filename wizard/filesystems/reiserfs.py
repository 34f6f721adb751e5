"""ReiserFS (version 3): deprecated in Linux 5.18, removed in 6.13."""

from wizard.filesystems import words
from wizard.filesystems.kind import RecognisedKind

KIND = RecognisedKind(
    name="reiserfs",
    title="ReiserFS",
    kernel_names=("reiserfs",),
    why_not=words.REISERFS(),
    way_off=words.REISERFS_OFF(),
)
