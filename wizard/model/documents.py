"""What a run carries out: one of these."""

from wizard.model.bring import Bring
from wizard.model.changes import Changes
from wizard.model.migration import Migration
from wizard.model.move import Move
from wizard.model.plan import Plan

RunDocument = Plan | Changes | Migration | Bring | Move
