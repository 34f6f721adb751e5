#!/bin/sh
# The first root of a system that GRUB starts: it finds the root by its UUID, as Debian's does, and goes on
# there.
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t devtmpfs dev /dev
for module in /modules/*; do insmod "$module"; done
for word in $(cat /proc/cmdline); do
    case $word in root=UUID=*) uuid=${word#root=} ;; esac
done
tries=0
while ! node=$(findfs "$uuid") && [ $tries -lt 100 ]; do sleep 0.1; tries=$((tries + 1)); done
mount "$node" /new || echo "first root: no $uuid"
for folder in proc sys dev; do mount -o move "/$folder" "/new/$folder"; done
exec switch_root /new /sbin/init
