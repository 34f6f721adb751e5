"""ReiserFS (version 3): deprecated in Linux 5.18, removed in 6.13."""

from wizard.filesystems.kind import RecognisedKind
from wizard.model.said import t

KIND = RecognisedKind(
    name="reiserfs",
    title="ReiserFS",
    kernel_names=("reiserfs",),
    why_not=t("Linux dropped it in version 6.13: a new one could not be read by any later kernel."),
    way_off=t(
        "Start a kernel before 6.13 that still has it, from a rescue medium if need "
        "be. Mount it read-only, and copy the files to a new ext4 or XFS while such "
        "kernels are about. It cannot be converted in place."
    ),
)
