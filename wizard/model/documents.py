"""What a run carries out: one of these."""

from wizard.model.bring import Bring
from wizard.model.changes import Changes
from wizard.model.migration import Migration
from wizard.model.move import Move
from wizard.model.plan import Plan

OneTokened = Changes | Migration | Move
"""Those that one token confirms."""

RunDocument = Plan | Changes | Migration | Bring | Move
