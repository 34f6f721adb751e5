"""What a run carries out: one of these."""

from wizard.model.documents.bring import Bring
from wizard.model.documents.changes import Changes
from wizard.model.documents.migration import Migration
from wizard.model.documents.move import Moves
from wizard.model.plan import Plan

OneTokened = Changes | Migration | Moves | Bring
"""Those that one token confirms."""

RunDocument = Plan | Changes | Migration | Bring | Moves
