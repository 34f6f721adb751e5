#!/bin/sh
# What every distribution's package is built from, in a folder:
#
#   packaging/source.sh OUTPUT
#
# diskwright-VERSION.tar.gz, the files of the last commit. If SOURCES names a folder in which it was made before,
# it is taken from there.
set -eu
[ $# = 1 ] || {
    sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//;p}' "$0" >&2
    exit 2
}
repo=$(dirname -- "$(dirname -- "$(readlink -f -- "$0")")")
mkdir -p "$1"
output=$(readlink -f -- "$1")
if [ -n "${SOURCES:-}" ]; then
    cp -- "$SOURCES"/*.tar.gz "$output/"
    exit
fi
version=$(sed -n 's/^__version__ = "\(.*\)"$/\1/p' "$repo/wizard/__init__.py")
git -C "$repo" -c "safe.directory=$repo" -c tar.umask=0022 archive --format=tar.gz --prefix="diskwright-$version/" \
    -o "$output/diskwright-$version.tar.gz" HEAD
