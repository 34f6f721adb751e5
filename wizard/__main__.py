"""Entry point of `python -m wizard`."""

import os
import sys

from wizard.cli.main import main

code = main()
sys.stdout.flush()
sys.stderr.flush()
# Taking everything down object by object would cost as much as a drive's whole probe.
os._exit(code)
