#!/bin/sh
# Builds the package for Arch from what is committed: packaging/arch/build.sh OUTPUT [MAKEPKG-OPTION...]
#
# Needs makepkg, another user than root, and what PKGBUILD names. SOURCES names a folder that
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
cp -- "$here/PKGBUILD" "$work/"
"$here/../source.sh" "$work"
cd "$work"
PKGDEST=$output makepkg --clean "$@"
