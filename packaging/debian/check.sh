#!/bin/sh
# Build the Debian package in a new root of Debian sid, and test it there:
#
#   sudo packaging/debian/check.sh OUTPUT
#
# The package and its sources go to OUTPUT. This checks lintian's errors and warnings, the autopkgtests in
# packaging/debian/tests (commands, manual pages, a whole run on a disposable drive), the polkit action with a
# real pkexec, and that removing the package leaves no files. mmdebstrap uses the mirror of this system's apt.
# About four minutes.
set -eu
[ $# = 1 ] || {
    sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//;p}' "$0" >&2
    exit 2
}
here=$(dirname -- "$(readlink -f -- "$0")")

# Mounts made from here on are seen by nobody else, and every process ends with this one.
if [ -z "${DISKWRIGHT_APART:-}" ]; then
    [ "$(id -u)" = 0 ] || {
        echo "packaging/debian/check.sh needs root." >&2
        exit 3
    }
    DISKWRIGHT_APART=1 exec unshare --mount --pid --fork --kill-child --propagation private "$0" "$@"
fi

mkdir -p "$1"
output=$(readlink -f -- "$1")
work=$(mktemp -d /var/tmp/diskwright-debian.XXXXXX)
root=$work/root
leave() {
    for place in run dev sys proc; do umount -l "$root/$place" 2>/dev/null || :; done
    rm -rf --one-file-system -- "$work"
}
trap leave EXIT
trap 'exit 130' INT TERM HUP

say() { printf '== %s\n' "$*"; }
inside() {
    chroot "$root" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 TERM=dumb \
        DEBIAN_FRONTEND=noninteractive "$@"
}

"$here/../source.sh" "$work/sources"

say "a root of Debian sid"
# shellcheck disable=SC2016 # apt's own fields
mirror=$(apt-get indextargets --format '$(CREATED_BY) $(ORIGIN) $(REPO_URI)' |
    awk '$1 == "Packages" && $2 == "Debian" { print $3; exit }')
needs=$(sed -n '/^Build-Depends:/,/^[A-Z].*-Version/p' "$here/control" |
    sed -e 's/^Build-Depends://; /^[A-Z]/d; s/([^)]*)//g; s/<[^>]*>//g' | tr -d ' \n')
needs=$(echo "$needs" | sed 's/debhelper-compat/debhelper/; s/dh-sequence-python3/dh-python/')
# A mirror may be a copy that is kept: its lists are signed, and may be older than they are valid.
mmdebstrap --quiet --variant=buildd --aptopt='Acquire::Check-Valid-Until "false"' \
    --include="$needs,lintian,mandoc,e2fsprogs,parted,smartmontools,pkexec,polkitd,dbus" sid "$root" "$mirror"
mount -t proc proc "$root/proc"
mount --rbind /sys "$root/sys"
mount --rbind /dev "$root/dev"
mount -t tmpfs tmpfs "$root/run"
cp -L /etc/resolv.conf "$root/etc/resolv.conf"

say "the package"
mkdir "$root/build"
cp -R "$work/sources" "$root/build/sources"
tar -C "$root/build" --strip-components=1 -xf "$work"/sources/diskwright-*.tar.gz
inside SOURCES=/build/sources /build/packaging/debian/build.sh /build/output >"$work/build.log" 2>&1 || {
    tail -n 40 "$work/build.log"
    exit 1
}
cp "$root"/build/output/* "$output/"

say "lintian"
inside sh -c 'lintian --allow-root --fail-on error,warning /build/output/*.changes'

say "installed"
inside apt-get update -q >/dev/null
inside sh -c 'apt-get install -q -y --no-install-recommends /build/output/diskwright_*.deb' \
    >"$work/install.log" 2>&1 || {
    tail -n 40 "$work/install.log"
    exit 1
}
for test in commands demo; do
    say "autopkgtest: $test"
    inside /build/packaging/debian/tests/$test
done

say "polkit's action"
inside sh -s <<'INSIDE'
set -eu
useradd tester
mkdir -p /run/dbus
cat >/etc/polkit-1/rules.d/00-test.rules <<'RULES'
polkit.addRule(function (action, subject) {
    return action.id == "diskwright.as-root" ? polkit.Result.YES : polkit.Result.NO;
});
RULES
dbus-daemon --system --fork --nopidfile
/usr/lib/polkit-1/polkitd --no-debug >/dev/null 2>&1 &
for _ in 1 2 3 4 5 6 7 8 9 10; do
    ! pkaction --action-id diskwright.as-root >/dev/null 2>&1 || break
    sleep 1
done
as_tester() { setpriv --reuid=tester --regid=tester --init-groups "$@"; }
# What it starts is found by its path, as the wizard of a plain user finds it.
program=$(as_tester env PYTHONPATH=/usr/lib/diskwright \
    python3 -c 'from wizard.apply.privilege.ask import relay_argv; print(*relay_argv())')
[ "$program" = /usr/lib/diskwright/as-root ]
echo | as_tester pkexec "$program" | grep -q '"say": "root"'
# By another program the action is not given.
! as_tester pkexec /usr/bin/id 2>/dev/null
kill $!
INSIDE

say "removed"
inside apt-get purge -q -y diskwright >/dev/null 2>&1
left=$(inside find /usr/lib/diskwright /usr/bin/diskwright /usr/share/diskwright 2>/dev/null || :)
[ -z "$left" ] || {
    echo "these stay behind: $left"
    exit 1
}
say "all of it holds: $(cd "$output" && echo diskwright_*.deb)"
