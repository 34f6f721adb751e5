"""The job that a document of a run is."""

from wizard.desk.jobs.job import Job
from wizard.desk.jobs.of_changes import ChangesJob
from wizard.model.documents.bring import Bring
from wizard.model.documents.changes import Changes
from wizard.model.documents.migration import Migration
from wizard.model.documents.move import Moves
from wizard.model.documents.of_run import RunDocument
from wizard.model.plan import Plan


def job_of(document: RunDocument) -> Job:
    """As Review and Work see it."""
    match document:
        case Plan():
            from wizard.desk.jobs.of_plan import PlanJob

            return PlanJob(document)
        case Changes():
            return ChangesJob(document)
        case Moves():
            from wizard.desk.jobs.of_move import MoveJob

            return MoveJob(document)
        case Migration():
            from wizard.desk.jobs.of_migration import MigrationJob

            return MigrationJob(document)
        case Bring():
            from wizard.desk.jobs.of_bring import BringJob

            return BringJob(document)
