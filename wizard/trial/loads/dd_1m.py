"""One large file as dd writes and reads it, a megabyte at a time."""

from wizard.model.units import MIB
from wizard.trial.loads.dd_1k import by_records
from wizard.trial.loads.load import Load

LOAD = Load("dd-1m", by_records(MIB))
