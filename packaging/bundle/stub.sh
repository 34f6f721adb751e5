#!/bin/sh
# diskwright in one file: this script, a small archive with unsquashfs, and a squashfs with the program.
# Root mounts the squashfs, which uses no memory. Other users unpack it once, into a folder of their own.
#
#   FILE [COMMAND ...]            start diskwright
#   FILE --verify                 check the file for damage
#   sudo FILE --install           copy the file to /usr/local/bin/diskwright
#   sudo FILE --uninstall         remove that copy
#
# TMPDIR=FOLDER unpacks the program to another folder.
set -eu
# Under sudo, pkexec or doas, the PATH may be the caller's. Search the system's folders first.
case ${SUDO_UID:-}${PKEXEC_UID:-}${DOAS_USER:-} in
    ?*) PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:$PATH ;;
esac
me=$(readlink -f "$0") user=$(id -u) sum=@SUM@ reason=
tools_at=@TOOLS_AT@ tools_size=@TOOLS_SIZE@ rest_at=@REST_AT@ rest_size=@REST_SIZE@
digest=$(printf %.12s "$sum") mounts=/run/diskwright
installed=${DISKWRIGHT_PREFIX:-/usr/local}/bin/diskwright
umask 022

say() { echo "diskwright: $*" >&2; }
stop() { # CODE WORD...
    code=$1
    shift
    say "$*"
    exit "$code"
}

start() { # TREE WORD...
    tree=$1 DISKWRIGHT_CALLED=$me
    export DISKWRIGHT_CALLED
    shift
    exec "$tree/bin/diskwright" "$@"
}

# --- Damage -------------------------------------------------------------------------------------------------

can_verify() { command -v sha256sum >/dev/null; }
is_intact() { [ "$(tail -c "+$((tools_at + 1))" "$me" | sha256sum)" = "$sum  -" ]; }

verify() {
    can_verify || stop 1 "Cannot verify $me: sha256sum is missing."
    is_intact || stop 1 "$me is damaged or incomplete. Download it again."
    echo "$me is undamaged."
}

# --- Mounting, as root --------------------------------------------------------------------------------------

mount_tree() { # TREE
    mkdir -p "$1" 2>/dev/null || return 1
    mount -t squashfs -o "ro,nosuid,nodev,loop,offset=$rest_at,sizelimit=$rest_size" "$me" "$1" 2>/dev/null &&
        return 0
    # The mount of busybox has no offset.
    loop=$(losetup -f 2>/dev/null) && losetup -r -o "$rest_at" "$loop" "$me" 2>/dev/null || return 1
    status=0
    mount -t squashfs -o ro,nosuid,nodev "$loop" "$1" 2>/dev/null || status=1
    # The kernel detaches a mounted loop device when it is unmounted.
    losetup -d "$loop" 2>/dev/null || :
    return $status
}

# Unmount other versions. The kernel refuses if one is in use. New volumes are mounted there too.
unmount_except() { # DIGEST
    [ -r /proc/mounts ] || return 0
    while read -r _ place kind _; do
        case $kind:$place in
            "squashfs:$mounts/$1") ;;
            "squashfs:$mounts/"*) if umount "$place" 2>/dev/null; then rmdir "$place" || :; fi ;;
        esac
    done </proc/mounts
}

# --- Unpacking ----------------------------------------------------------------------------------------------

# Another user must not have created the folder, or be able to write to it.
is_own() { [ -d "$1" ] && [ ! -L "$1" ] && [ -O "$1" ] && [ -z "$(find "$1" -prune -perm /022)" ]; }

# The brackets keep grep from finding its own command line.
is_used() { # TREE
    name=${1##*/} rest=${1##*/?}
    grep -qs "/[${name%"$rest"}]$rest/" /proc/[0-9]*/cmdline
}

# Remove interrupted starts, and other versions that no process uses.
remove_except() { # FOLDER DIGEST
    find "$1"/*.* -prune -mmin +60 -exec rm -rf {} + 2>/dev/null || :
    for old in "$1"/*; do
        case ${old##*/} in "$2" | *.*) continue ;; esac
        is_used "$old" || rm -rf "$old"
    done
}

unpack() { # FOLDER
    tail -c "+$((tools_at + 1))" "$me" 2>/dev/null | head -c "$tools_size" 2>/dev/null |
        tar -xzf - -C "$1" || return 1
    [ -x "$1/unsquashfs" ] || {
        echo "Programs cannot run there, because it is mounted with noexec."
        return 1
    }
    "$1/ld-linux-x86-64.so.2" --inhibit-cache --library-path "$1" "$1/unsquashfs" \
        -q -n -o "$rest_at" -d "$1/tree" "$me"
}

# Also false for a tree from which no program can run: -x checks that.
unpacked() { # TREE
    [ ! -x "$1/bin/diskwright" ] || return 0
    new=$1.$$
    reason=$(mkdir "$new" 2>&1) || return 1
    trap 'rm -rf "$new"' EXIT
    trap 'exit 130' INT TERM HUP
    # Another start may have been faster.
    if reason=$(unpack "$new" 2>&1); then mv -T "$new/tree" "$1" 2>/dev/null || :; fi
    rm -rf "$new"
    trap - EXIT INT TERM HUP
    [ -x "$1/bin/diskwright" ]
}

try() { # FOLDER
    own=$1/diskwright-$user
    [ -d "$own" ] || reason=$(mkdir -m 700 "$own" 2>&1) || return 1
    reason="Another user owns $own or can write to it."
    is_own "$own" || return 1
    remove_except "$own" "$digest"
    unpacked "$own/$digest"
}

# --- A copy that only root can change -----------------------------------------------------------------------

# Print the first of a file and the folders above it that another user than root can change or replace.
open_place() { # FILE
    place=$1
    until [ -n "$(find "$place" -prune \( ! -user 0 -o -perm /022 ! -perm -1000 \) 2>/dev/null)" ]; do
        [ "$place" != / ] || return 1
        place=${place%/*} place=${place:-/}
    done
    echo "$place"
}

needs_root() { [ "$user" = 0 ] || stop 3 "$1 needs root. Run: sudo '$me' $2"; }

install_copy() {
    needs_root Installing --install
    [ "$me" != "$installed" ] || stop 0 "This is the installed copy."
    mkdir -p "${installed%/*}"
    rm -f "$installed.new"
    cp "$me" "$installed.new"
    chmod 755 "$installed.new"
    mv -f "$installed.new" "$installed"
    say "Installed as $installed. To remove it: sudo diskwright --uninstall"
}

remove_copy() {
    needs_root Removing --uninstall
    if [ -L "$installed" ] || ! head -n 2 "$installed" 2>/dev/null | grep -q "^# diskwright in one file"; then
        stop 0 "$installed is not a copy of this file. Nothing was removed."
    fi
    rm -f "$installed"
    unmount_except ''
    say "Removed: $installed. Runs stay in ${DISKWRIGHT_STATE:-/var/lib/diskwright}."
}

# --- Start --------------------------------------------------------------------------------------------------

case ${1:-} in
    --verify)
        verify
        exit
        ;;
    --install)
        install_copy
        exit
        ;;
    --uninstall)
        remove_copy
        exit
        ;;
esac
machine=$(uname -sm)
[ "$machine" = "Linux x86_64" ] ||
    stop 1 "This file runs on x86-64 Linux only, not on $machine. Use the source archive there."

temporary=${TMPDIR:-}
if [ "$user" = 0 ]; then
    if open=$(open_place "$me"); then
        say "Other users can change $open, and root is running a program from there." \
            "Install a copy that only root can change: sudo '$me' --install"
    fi
    tree=$mounts/$digest
    if [ -x "$tree/bin/diskwright" ] || mount_tree "$tree"; then
        unmount_except "$digest"
        start "$tree" "$@"
    fi
    # The caller of sudo could replace folders in their own home.
    if [ -n "$temporary" ] && open_place "$(readlink -f "$temporary")" >/dev/null; then temporary=; fi
    first=/run second=/root/.cache
else
    first=${XDG_CACHE_HOME:-${HOME:+$HOME/.cache}} second=${XDG_RUNTIME_DIR:-/run/user/$user}
    [ -z "${HOME:-}" ] || mkdir -p "$HOME/.cache" 2>/dev/null || :
fi
reasons='' line='
'
for folder in "$temporary" "$first" "$second" /var/tmp /tmp; do
    [ -n "$folder" ] || continue
    if try "$folder"; then start "$own/$digest" "$@"; fi
    reasons="$reasons$line    $folder: ${reason%%"$line"*}"
done
if can_verify && ! is_intact; then stop 1 "$me is damaged or incomplete. Download it again."; fi
stop 1 "Cannot unpack the program, which needs 80 MB. Name another folder, as in" \
    "TMPDIR=/mnt '$me'. These were tried:$reasons"
