#!/usr/bin/python
# SPDX-License-Identifier: GPL-3.0-or-later
"""Have drives be as they are wanted: a thin layer over `diskwright ensure --json`, which decides all."""

DOCUMENTATION = r"""
---
module: drives
short_description: Have drives be as they are wanted
description:
  - Partitions, filesystems, lines of fstab and mounts of whole drives, by C(diskwright ensure) on the target.
  - A blank drive is set up. What is missing of a mount is added. What is so stays as it is.
  - A drive that holds anything else is refused, and so are all others of the same task. Nothing is destroyed
    unless C(drives) names that drive and what it holds in C(replace).
options:
  drives:
    description:
      - The drives, with the keys of a C([[drive]]) in a file for C(diskwright ensure), which reads them and
        names what it does not know. All values are texts or lists of texts, but for C(lvm) and C(also).
    type: list
    elements: dict
  src:
    description: A file for C(diskwright ensure) that lies on the target, instead of C(drives).
    type: path
  executable:
    description: The program, by its path or by its name in the search path.
    type: str
    default: diskwright
  journal:
    description: The folder for runs, instead of C(/var/lib/diskwright/runs).
    type: path
  fstab:
    description: Another file of mounts at boot.
    type: path
attributes:
  check_mode:
    support: full
    description: Changes nothing, and says what would change.
  diff_mode:
    support: full
    description: Shows each drive before and after.
requirements:
  - diskwright on the target, and root there (become)
author:
  - The diskwright project
"""

EXAMPLES = r"""
- name: The 4 TB drive holds media
  become: true
  diskwright.storage.drives:
    drives:
      - name: media
        match: {model: "WDC WD40*", bus: sata}
        volume:
          - workload: large-media
            label: media
            mount: /srv/media
            writable: "group:family"

- name: Two drives hold the photos together, each file twice
  become: true
  diskwright.storage.drives:
    drives:
      - name: photos
        match: {serial: WD-A1}
        also: [{serial: WD-B2}]
        mirror: btrfs
        volume:
          - workload: nas
            mount: /srv/photos
"""

RETURN = r"""
drives:
  description: What came of each drive, as C(drives) of a C(diskwright.ensured/1) document.
  returned: always, where drives were looked at
  type: list
  elements: dict
"""

import json  # noqa: E402 - Ansible wants its documentation before
from pathlib import Path  # noqa: E402

from ansible.module_utils.basic import AnsibleModule  # noqa: E402


def toml(value: object) -> str:
    """A value of YAML as TOML writes it; strings of JSON are strings of TOML but for DEL."""
    if isinstance(value, dict):
        pairs = [f"{json.dumps(str(key))} = {toml(value[key])}" for key in value]
        return f"{{ {', '.join(pairs)} }}"
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(toml(one) for one in value)}]"
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def wanted_file(module: AnsibleModule) -> str:
    """The path of the file for `diskwright ensure`."""
    if module.params["src"]:
        return module.params["src"]
    path = Path(module.tmpdir, "wanted.toml")
    path.write_text(
        f'schema = "diskwright.wanted/1"\ndrive = {toml(module.params["drives"])}\n', encoding="utf-8"
    )
    return str(path)


def differences(drive: dict) -> list:
    """Before and after of a drive, and of those that hold its volume together with it, as --diff shows
    it."""
    return [difference(drive["name"], one) for one in (drive, *drive["also"])]


def difference(name: str, drive: dict) -> dict:
    """Before and after of one drive."""
    header = f"{name} ({drive['path']})"
    shown = {side: json.dumps(drive[side], indent=2) + "\n" for side in ("before", "after")}
    return dict(shown, before_header=header, after_header=header)


def main() -> None:
    """Run the command, and tell what it says."""
    module = AnsibleModule(
        argument_spec={
            "drives": {"type": "list", "elements": "dict"},
            "src": {"type": "path"},
            "executable": {"type": "str", "default": "diskwright"},
            "journal": {"type": "path"},
            "fstab": {"type": "path"},
        },
        required_one_of=[("drives", "src")],
        mutually_exclusive=[("drives", "src")],
        supports_check_mode=True,
    )
    program = module.get_bin_path(module.params["executable"], required=True)
    command = [program, "ensure", wanted_file(module), "--json"]
    command += ["--check"] if module.check_mode else []
    for option in ("journal", "fstab"):
        command += ["--" + option, module.params[option]] if module.params[option] else []
    code, stdout, stderr = module.run_command(command)
    try:
        said = json.loads(stdout)
    except ValueError:
        # Whoever is killed says nothing, and a run that it began goes on without it.
        was_killed = code < 0 or code > 128
        said = {"changed": was_killed and not module.check_mode, "drives": []}
    drives = said["drives"]
    result = {"changed": said["changed"], "drives": drives, "stderr": stderr}
    shown = [one for one in drives if one["state"] in ("changed", "would-change")]
    result["diff"] = [each for one in shown for each in differences(one)]
    if code != 0 or not drives:
        bad = [one for one in drives if one["state"] in ("refused", "failed")]
        told = [f"{one['name']}: {says['text']}" for one in bad for says in one["differences"]]
        last = stderr.strip().splitlines()[-1:] or [f"exit code {code}"]
        module.fail_json(msg="; ".join(told or last), rc=code, **result)
    module.exit_json(**result)


if __name__ == "__main__":
    main()
