# shellcheck shell=bash disable=SC2154
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the Apus authors
#
# Sourced by dev/package: the formats, each made of the tree of files. Every archive has sorted names, one owner and the time of
# the commit, and is compressed by one thread, so that equal trees give equal archives.

archive() {
    tar --sort=name --format=gnu --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner --mode=go-w "$@"
}

make_tarball() {
    local name=apus-$version-linux-$architecture
    set -e
    cp LICENSE "$work/LICENSE"
    archive --transform="s,^\./usr,$name,;s,^\./etc,$name/etc,;s,^LICENSE,$name/LICENSE," -cf "$work/$name.tar" \
        -C "$work/tree" ./usr ./etc -C .. LICENSE
    xz --threads=1 -9 --stdout "$work/$name.tar" >"dist/$name.tar.xz"
    archive -cf "$work/debug.tar" --transform="s,^\./usr,$name-debug," -C "$work/debug" ./usr
    xz --threads=1 -9 --stdout "$work/debug.tar" >"dist/$name-debug.tar.xz"
}

# make_deb NAME: builds $work/NAME with its control files into dist/.
make_deb() {
    local directory=$work/$1
    {
        echo "Installed-Size: $(du --apparent-size --summarize --block-size=1024 "$directory" | cut -f 1)"
        cat
    } >"$directory/control.new"
    mkdir -p "$directory/DEBIAN"
    mv "$directory/control.new" "$directory/DEBIAN/control"
    (cd "$directory" && find . -path ./DEBIAN -prune -o -type f -printf '%P\0' | sort --zero-terminated \
        | xargs --null md5sum >DEBIAN/md5sums)
    find "$directory" -exec touch --no-dereference --date="@$SOURCE_DATE_EPOCH" {} +
    dpkg-deb --root-owner-group --threads-max=1 -Zxz -z9 --build "$directory" "dist/$1_${version}_$architecture.deb"
}

make_debs() {
    local depends
    set -e
    cp -a "$work/tree" "$work/apus"
    mkdir -p "$work/apus/DEBIAN" "$work/shlibdeps/debian"
    printf 'Source: apus\n' >"$work/shlibdeps/debian/control"
    depends=$(cd "$work/shlibdeps" && dpkg-shlibdeps -O "$apus_root/$work/tree/usr/bin/apus" | sed -n 's/^shlibs:Depends=//p')
    install -m 755 packaging/postinst packaging/prerm packaging/postrm "$work/apus/DEBIAN/"
    echo /etc/apus/apus.env >"$work/apus/DEBIAN/conffiles"
    make_deb apus <<CONTROL
Package: apus
Version: $version
Architecture: $architecture
Maintainer: $maintainer
Depends: $depends, libsqlite3-0 (>= 3.39), ca-certificates, tzdata
Recommends: systemd
Section: net
Priority: optional
Description: self-hosted push server for Apple devices
 Apus keeps device tokens, and sends notifications and Live Activities through
 APNs. It has an HTTP API, the API of Amazon SNS, campaigns, jobs, and a
 simulator of APNs.
 .
 Commit: ${APUS_COMMIT:-unknown}
CONTROL
    cp -a "$work/debug" "$work/apus-dbgsym"
    make_deb apus-dbgsym <<CONTROL
Package: apus-dbgsym
Version: $version
Architecture: $architecture
Maintainer: $maintainer
Depends: apus (= $version), binutils
Section: debug
Priority: optional
Description: backtraces and debug symbols of apus
 With this package, the log has the addresses of a crash, and apus-symbolize adds
 functions and lines to them.
CONTROL
}

# The image has the executable, the libraries that it loads, certificates, time zones, and a user.
make_image() {
    local root=$work/image layout=$work/oci image="$work/oci:$version" file package
    set -e
    mkdir -p "$root"/{tmp,etc/ssl/certs,usr/bin,usr/lib/apus,usr/share/doc,var/lib/apus}
    cp "$work/tree/usr/bin/apus" "$root/usr/bin/"
    cp "$work/debug/usr/lib/apus/swift-backtrace" "$root/usr/lib/apus/"
    cp -a "$work/tree/usr/share/doc/apus" "$root/usr/share/doc/"
    while read -r file; do
        mkdir -p "$root$(dirname "$file")"
        cp -L "$file" "$root$file"
        package=$(owner "$file")
        mkdir -p "$root/usr/share/doc/$package"
        cp -L "/usr/share/doc/$package/copyright" "$root/usr/share/doc/$package/copyright"
    done < <(libraries "$work/tree/usr/bin/apus")
    cp -L /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/"
    archive -cf - -C /usr/share --exclude=zoneinfo/right --exclude=zoneinfo/posix zoneinfo | tar -xf - -C "$root/usr/share"
    printf 'root:x:0:0:root:/:/nonexistent\napus:x:10001:10001:apus:/var/lib/apus:/nonexistent\n' >"$root/etc/passwd"
    printf 'root:x:0:\napus:x:10001:\n' >"$root/etc/group"
    printf 'hosts: files dns\n' >"$root/etc/nsswitch.conf"
    # Engines mount a file of their own over it; a plain runtime does not.
    printf '127.0.0.1 localhost\n::1 localhost\n' >"$root/etc/hosts"
    chmod -R go=rX "$root"/{etc,usr}
    archive -cf "$work/layer.tar" -C "$root" --exclude=./var/lib/apus --exclude=./tmp .
    archive --append -f "$work/layer.tar" -C "$root" --mode=1777 ./tmp
    archive --append -f "$work/layer.tar" -C "$root" --mode=0700 --owner=10001 --group=10001 ./var/lib/apus

    umoci init --layout "$layout"
    umoci new --image "$image"
    umoci raw add-layer --image "$image" --no-history "$work/layer.tar"
    umoci config --image "$image" --no-history --created "$(date -u -d "@$SOURCE_DATE_EPOCH" +%Y-%m-%dT%H:%M:%SZ)" \
        --architecture "$architecture" --os linux --author "the Apus authors" --config.user 10001:10001 \
        --config.entrypoint /usr/bin/apus --config.cmd serve --config.workingdir /var/lib/apus \
        --config.volume /var/lib/apus --config.exposedports 8080 --config.stopsignal SIGTERM \
        --config.env PATH=/usr/bin --config.env APUS_HOST=0.0.0.0 --config.env APUS_DATA=/var/lib/apus \
        --config.env "$(sed -n 's/^Environment=\(SWIFT_BACKTRACE=.*\)/\1/p' packaging/sandbox.conf)" \
        --config.label "org.opencontainers.image.title=Apus" --config.label "org.opencontainers.image.version=$version" \
        --config.label "org.opencontainers.image.revision=${APUS_COMMIT:-unknown}" \
        --config.label "org.opencontainers.image.licenses=Apache-2.0"
    # Earlier versions of the configuration and the manifest.
    umoci gc --layout "$layout"
    python3 dev/lib/package/image_config.py "$layout" "apus:$version"
    archive -cf "dist/apus_${version}_$architecture.oci.tar" -C "$layout" .
}
