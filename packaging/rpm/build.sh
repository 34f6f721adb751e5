#!/bin/sh
# Builds the RPM from what is committed: packaging/rpm/build.sh OUTPUT [RPMBUILD-OPTION...]
#
# Needs rpmbuild and what diskwright.spec names under BuildRequires. SOURCES names a folder that
# packaging/source.sh made before.
set -eu
[ $# -ge 1 ] || {
    sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//;p}' "$0" >&2
    exit 2
}
here=$(dirname -- "$(readlink -f -- "$0")")
mkdir -p "$1"
output=$(readlink -f -- "$1")
shift
work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT
"$here/../source.sh" "$work/SOURCES"
rpmbuild --define "_topdir $work" -ba "$@" "$here/diskwright.spec"
find "$work/RPMS" "$work/SRPMS" -name '*.rpm' -exec cp -- {} "$output/" \;
