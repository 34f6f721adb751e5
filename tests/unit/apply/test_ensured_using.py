"""Use of existing volumes."""

import pytest

from wizard.apply.ensure.compare_mounts import owner_faults
from wizard.model.errors import Failed
from wizard.plan.request.volume_request import parse_volume


def test_unreadable_mount_point_is_reported_in_a_sentence() -> None:
    with pytest.raises(Failed, match="/nowhere/here cannot be read: No such file"):
        list(owner_faults(parse_volume("workload=nas,writable=root"), "/nowhere/here", "ext4"))
