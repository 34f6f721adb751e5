#!/bin/sh
# The guest's first script: this machine's root over 9p, read-only, below a layer with the guest's modules and
# udev, below memory.
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t devtmpfs dev /dev
load() { for module in "$1"/*; do insmod "$module" || echo "lab: $module cannot be loaded"; done; }
load /modules
shared="trans=virtio,version=9p2000.L,msize=1048576"
mount -t 9p -o "$shared,cache=none" lab /lab || echo "lab: no shared folder"
# The drives' drivers come only when the lab is done with the drives.
echo >/lab/here
while [ -e /lab/hold ]; do sleep 0.05; done
load /drivers
mount -t 9p -o "$shared,ro,cache=loose" root /low || echo "lab: no root"
mount -t 9p -o "$shared,ro,cache=loose" layer /layer || echo "lab: no layer"
mount -t tmpfs -o size=60%,mode=755 memory /rw
mkdir /rw/upper /rw/work
mount -t overlay -o lowerdir=/layer:/low,upperdir=/rw/upper,workdir=/rw/work root /new ||
    echo "lab: no overlay"
mkdir -p /new/lab
mount -o move /lab /new/lab
mount -t tmpfs -o mode=755 run /new/run
for folder in proc sys dev; do mount -o move "/$folder" "/new/$folder"; done
exec switch_root /new /bin/sh /lab/start.sh
