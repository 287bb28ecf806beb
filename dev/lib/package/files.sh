# shellcheck shell=bash disable=SC2154
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the Apus authors
#
# Sourced by dev/package: the trees of files that all formats carry: $work/tree, and $work/debug with what reads crashes.

# libraries PROGRAM: the paths of the shared libraries that a program loads, one a line.
libraries() {
    ldd "$1" | awk '$2 == "=>" { print $3 } $1 ~ /^\// { print $1 }' | sort -u
}

# owner FILE: the Debian package that a file belongs to. The file system may know the file by another path than dpkg.
owner() {
    local found
    found=$(dpkg-query --search "*/$(basename "$(readlink -f "$1")")" 2>/dev/null | sed -n '1s/:.*//p')
    [ -n "$found" ] || fail "$1 belongs to no Debian package; dev/package needs Debian's libraries"
    printf '%s\n' "$found"
}

make_program() {
    local program=.build-release/release/apus id symbols=$work/debug/usr/lib/debug/.build-id
    id=$(readelf --notes "$program" | awk '/Build ID/ { print $3 }')
    [ -n "$id" ] || { echo "$program has no build ID"; return 1; }
    mkdir -p "$tree/usr/bin" "$symbols/${id:0:2}" "$work/debug/usr/lib/apus" "$work/debug/usr/bin"
    strip --strip-all -o "$tree/usr/bin/apus" "$program"
    objcopy --only-keep-debug "$program" "$symbols/${id:0:2}/${id:2}.debug"
    # Prints the addresses of a crash. It has a Swift runtime of its own.
    strip --strip-all -o "$work/debug/usr/lib/apus/swift-backtrace" "$toolchain/libexec/swift/linux/swift-backtrace-static"
    cp packaging/apus-symbolize.awk "$work/debug/usr/bin/apus-symbolize"
    chmod -R u=rwX,go=rX "$work/debug"
    chmod 644 "$symbols"/*/*.debug
}

make_documents() {
    local share=$tree/usr/share doc=$tree/usr/share/doc/apus components=() library package
    mkdir -p "$share/man/man1" "$doc" "$share/bash-completion/completions" "$share/zsh/vendor-completions" \
        "$share/fish/vendor_completions.d"
    "$tree/usr/bin/apus" --experimental-dump-help \
        | python3 dev/lib/package/manual.py "$share/man/man1" "$version" "$(date -u -d "@$SOURCE_DATE_EPOCH" +%Y-%m-%d)"
    gzip --no-name --best "$share"/man/man1/*.1
    "$tree/usr/bin/apus" --generate-completion-script bash >"$share/bash-completion/completions/apus"
    "$tree/usr/bin/apus" --generate-completion-script zsh >"$share/zsh/vendor-completions/_apus"
    "$tree/usr/bin/apus" --generate-completion-script fish >"$share/fish/vendor_completions.d/apus.fish"
    components=("swift=$(swift --version 2>/dev/null | sed -nE 's/.*Swift version ([0-9.]+).*/\1/p' | head -n 1)")
    while read -r library; do
        package=$(owner "$library")
        components+=("$package=$(dpkg-query --show --showformat='${Version}' "$package:$architecture")")
    done < <(libraries "$tree/usr/bin/apus")
    mapfile -t components < <(printf '%s\n' "${components[@]}" | sort -u)
    printf '%s\n' "$toolchain/share/swift/LICENSE.txt" | python3 dev/lib/package/components.py .build-release Package.resolved \
        "$version" "${APUS_COMMIT:-unknown}" "$SOURCE_DATE_EPOCH" dist/NOTICE dist/apus.spdx.json "${components[@]}"
    cp dist/NOTICE "$doc/NOTICE"
    cp dist/apus.spdx.json packaging/compose.yaml "$doc/"
    cp packaging/compose.yaml dist/compose.yaml
    python3 -B dev/lib/package/documents.py "$doc" dist/INSTALL.md
    cat >"$doc/copyright" <<'COPYRIGHT'
Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: Apus
Comment: NOTICE in this directory has the licences of the packages that the executable contains.

Files: *
Copyright: 2026 the Apus authors
License: Apache-2.0
 On Debian systems, the full text is in /usr/share/common-licenses/Apache-2.0.
COPYRIGHT
}

make_files() {
    set -e
    tree=$work/tree toolchain=$(dirname "$(dirname "$(readlink -f "$(command -v swiftc)")")")
    make_program
    make_documents
    make_units "$tree/usr/lib/systemd/system"
    mkdir -p "$tree/usr/sbin" "$tree/etc/apus"
    install -m 755 packaging/apus-admin "$tree/usr/sbin/apus-admin"
    install -m 640 packaging/apus.env "$tree/etc/apus/apus.env"
    chmod -R u=rwX,go=rX "$tree/usr"
}
