"""What a run brings."""

from pathlib import Path

from wizard.apply.run.runs import BRING, read_file
from wizard.layout.bring.document import read_bring
from wizard.model.documents.bring import Bring
from wizard.tools.debuglog import remember


def load_bring(run: Path) -> Bring:
    """As the run's own file has it; raises BadInput where it cannot be read."""
    return remember(read_bring(read_file(run / BRING), str(run / BRING)))
