"""The sentences of `diskwright label`, `mount`, `unmount`, `remount`, `grow` and `power-off`."""

from wizard.model.said import t

CONFIRM = t("do it: the drive's serial number")
DRY_RUN = t("check everything; write nothing")
OUTPUT = t("save it for `diskwright apply`")
