"""The sentences of `diskwright report`."""

from wizard.model.said import Sentence

SAYS = Sentence(
    "faces.runs.report.says",
    "Save facts, findings, advice, plan, measurements, steps and checks as one HTML page or as JSON.",
)
PLAN = Sentence("faces.runs.report.plan", "report on a plan that was not applied")
DEVICE = Sentence("faces.runs.report.device", "report on a drive, without a plan")
WORKLOAD = Sentence("faces.runs.report.workload", "with --device or --machine: add advice for this workload")
MACHINE = Sentence(
    "faces.runs.report.machine",
    "with the facts that `inspect --save` recorded, instead of those of the run or of now",
)
VERDICT = Sentence("faces.runs.report.verdict", "add measurements from `bench -o` or `trial -o`")
OUTPUT = Sentence(
    "faces.runs.report.output",
    "write the page to this file, or where its name ends in .json the document",
)
WITHOUT_SERIALS = Sentence(
    "faces.runs.report.without-serials",
    "replace serial numbers, WWNs, UUIDs, by-id paths, labels, mount points and names of people's folders",
)
ABOUT = Sentence(
    "faces.runs.report.about",
    "Without a run, a plan, a recording or a device it is about the newest run. The page needs no "
    "network and runs no script; it can be printed. What a report does not have it names, with the "
    "reason.",
)

# What is refused.
NEEDS_FILE = Sentence(
    "faces.runs.report.needs-file",
    "The report is a page for a browser: name a file for it with -o report.html, or say --json.",
)
RUN_OR_PLAN = Sentence(
    "faces.runs.report.run-or-plan", "A run has its own plan: name either the run or --plan."
)
DEVICE_ALONE = Sentence(
    "faces.runs.report.device-alone",
    "--device is for a report without a plan; a run and a plan name their drives themselves.",
)
WORKLOAD_ALONE = Sentence(
    "faces.runs.report.workload-alone",
    "--workload goes with --device, or with --machine alone; a run and a plan name their purposes "
    "themselves.",
)
NO_VERDICT = Sentence(
    "faces.runs.report.no-verdict",
    "There is no file {file}; `diskwright bench ... -o {file}` would write one.",
)

WRITTEN = Sentence("faces.runs.report.written", "The report is in {file}.")
MISSING = Sentence("faces.runs.report.missing", "Missing or in doubt: {part}.")
RECORDED_IN = Sentence("faces.runs.report.recorded-in", "Recorded in {file}.")
