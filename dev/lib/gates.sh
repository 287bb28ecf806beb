# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the Apus authors
#
# The gates of dev/check: one function each, `gate_NAME`. A gate prints what is wrong, with file and line, and fails.
# dev/prove-gates makes each of them fail; a new gate gets its proof there.
source dev/lib/package/units.sh

# Name and promise of every gate, in the order in which they run: the fast ones first.
gates() {
    cat <<'LIST'
scripts   scripts: shellcheck
headers   licence header on every file
sizes     Swift files of at most 400 lines
sleeps    no test that sleeps or spins
leftovers no TODO, FIXME, re-export or Foundation.Process
traps     no trap on a value without a reason
documents README size, links in Markdown
units     systemd units: exposure of at most 2.5
layers    imports only downwards
format    format and doc comments
warnings  build without warnings
LIST
}

swift_files() {
    find Sources Tests Fuzz Examples dev/peers dev/listings ApusKit AppleStandIns -name .build -prune -o -name '*.swift' -print | sort
}

c_files() {
    find Sources Tests dev -name '*.c' -o -name '*.h' -o -name '*.hpp' | sort
}

script_files() {
    find dev .ci packaging -path dev/peers -prune -o \
        -type f ! -name '*.awk' ! -name '*.py' ! -name '*.swift' ! -name '*.hpp' ! -path dev/lib/requirements ! -path dev/lib/layers \
        ! -path 'packaging/*.*' -print | sort
}

python_files() {
    find dev Tests Examples -name .build -prune -o -name '*.py' -print | sort
}

page_files() {
    find Sources/CWebPages -mindepth 2 -type f ! -name '*.h' | sort
}

gate_scripts() {
    local file
    while read -r file; do
        bash -n "$file" && shellcheck --external-sources --source-path=SCRIPTDIR "$file" || return 1
    done < <(script_files)
}

gate_headers() {
    local file breaches=0
    while read -r file; do
        if ! head -n 3 "$file" | grep -q 'SPDX-License-Identifier: Apache-2.0'; then
            echo "$file: begins without \"SPDX-License-Identifier: Apache-2.0\""
            breaches=1
        fi
    done < <(swift_files; c_files; script_files; python_files; page_files)
    return "$breaches"
}

# An app that takes ApusKit takes this much of it.
kit_lines=3100

gate_sizes() {
    local breaches
    breaches=$({ swift_files; page_files; } | xargs wc -l | awk '$2 != "total" && $1 > 400 { print $2 ": " $1 " lines; 400 is the limit" }')
    [ -z "$breaches" ] || { echo "$breaches"; return 1; }
    find ApusKit/Sources -name '*.swift' -print0 | xargs -0 cat | wc -l \
        | awk -v limit="$kit_lines" '$1 > limit { print "ApusKit/Sources: " $1 " lines; " limit " is the limit"; exit 1 }'
}

# Tests wait for events and move clocks; a sleep is either too short on a slow machine or too long on all the others. A
# loop that only yields goes on after its test was cancelled, and so stops all tests: waitUntil does not.
gate_sleeps() {
    ! grep -rnE 'Task\.sleep|Thread\.sleep|\bu?sleep\([0-9]|nanosleep\(|while .*\{ *await Task\.yield\(\) *\}' \
        Tests ApusKit/Tests AppleStandIns/Tests --include='*.swift'
}

gate_leftovers() {
    ! grep -rnwE 'TODO|FIXME|XXX|@_exported' Sources Tests Examples dev/peers ApusKit/{Sources,Tests,Examples} Package.swift \
        --exclude-dir=.build &&
        # It ends the program now and then on Linux; SpawnedProcess says why.
        ! grep -rnE '(^|[^.[:alnum:]_])Process\(\)' Sources Tests Examples --include='*.swift'
}

# What the server, the simulator and an app run must survive every value that comes from outside.
gate_traps() {
    find Sources ApusKit/Sources -name '*.swift' ! -path 'Sources/apus-bench/*' -print0 | xargs -0 awk -f dev/lib/traps.awk
}

# Relative links of every Markdown file lead to a file that exists, also in the packages.
gate_documents() {
    local breaches=0 lines file line target directory
    lines=$(wc -l <README.md)
    if [ "$lines" -gt 150 ]; then
        echo "README.md: $lines lines; 150 is the limit"
        breaches=1
    fi
    while IFS=: read -r file line target; do
        target=${target#*](}
        target=${target%%)*}
        target=${target%%#*}
        case $target in '' | http://* | https://* | mailto:*) continue ;; esac
        if [ ! -e "$(dirname "$file")/$target" ]; then
            echo "$file:$line: the link to $target leads nowhere"
            breaches=1
        fi
    done < <(find . \( -name '.build*' -o -name .git \) -prune -o -name '*.md' -print | sort \
        | xargs grep -noE '\]\([^) ]+\)' /dev/null)
    directory=$(mktemp -d "${TMPDIR:-/tmp}/apus-documents.XXXXXX")
    python3 -B dev/lib/package/documents.py "$directory/doc" "$directory/INSTALL.md" || breaches=1
    rm -rf "$directory"
    return "$breaches"
}

# Only where systemd is installed; dev/test-package, which installs it, holds the same limit.
gate_units() {
    local directory status=0
    command -v systemd-analyze >/dev/null 2>&1 || return 0
    directory=$(mktemp -d "${TMPDIR:-/tmp}/apus-units.XXXXXX")
    make_units "$directory"
    exposures "$directory" || status=1
    rm -rf "$directory"
    return "$status"
}

# The facts that layers.awk judges: the table, the package's own description, and the import lines of the sources.
layer_facts() {
    local package
    sed -nE 's/^ *([0-9])/row \1/p' dev/lib/layers
    # ApusKit, which this package has on Apple's systems, has rules of its own below.
    package=$(swift package dump-package | jq 'del(.targets[] | select(.name == "ApusKit"))') || return 1
    jq -r '.targets[] | "target \(.name) \(.type)"' <<<"$package"
    jq -r '.targets[] | .name as $name | .dependencies[] | "edge \($name) \((.byName // .product // .target)[0])"' \
        <<<"$package"
    import_facts Sources Tests | sed -E 's/^(import) ([^\/]+\/([^\/]+)\/[^ ]+) (.*)/\1 \3 \4 \2/'
    # The programs of the examples lie where Package.swift says.
    jq -r '.targets[] | select(.path // "" | startswith("Examples/")) | "\(.name) \(.path)"' <<<"$package" \
        | while read -r target directory; do
            import_facts "$directory" | sed -E "s/^(import) ([^ ]+) (.*)/\1 $target \3 \2/"
        done
}

# import_facts DIRECTORY...: the import lines below it, each as `import FILE:LINE MODULE`.
import_facts() {
    grep -rnE '^ *(@[a-zA-Z_]+ +)*((public|package|internal|fileprivate|private) +)?import +[A-Za-z_]' "$@" --include='*.swift' \
        | sed -E 's/^([^:]+:[0-9]+):.*import +((struct|class|enum|protocol|func|var|let|typealias) +)?([A-Za-z0-9_]+).*/import \1 \4/'
}

# What the packages beside the house import: Apple's modules, or those that stand in for them, and nothing of the server's.
kit_modules='ActivityKit|Foundation|FoundationNetworking|Network|SwiftUI|UIKit|Security|UserNotifications|WidgetKit|os'
stand_in_modules="$kit_modules|Combine|Synchronization|VirtualDevice"
# The apps of the examples.
app_modules="$kit_modules|ApusKit"

# imports_beside DIRECTORY MODULES: names what the sources of a package import beside these modules.
imports_beside() {
    ! grep -rnE '^ *(@[a-zA-Z_]+ +)*((public|internal|private) +)?import +[A-Za-z_]' "$1" --include='*.swift' \
        | grep -vE "import +($2)\$" | sed 's/$/: this package may not import that/'
}

gate_layers() {
    local facts
    facts=$(layer_facts) || return 1
    awk -f dev/lib/layers.awk <<<"$facts" || return 1
    imports_beside ApusKit/Sources "$kit_modules" && imports_beside AppleStandIns/Sources "$stand_in_modules" || return 1
    local apps
    for apps in Examples/*/ios; do
        [ ! -d "$apps" ] || imports_beside "$apps" "$app_modules" || return 1
    done
}

# The modules of these products document every public declaration, with its parameters. Programs also see PushModel, PushStore
# and Cron through ApusScheduling, but most of their declarations are for the server.
library_products=(Sources/{APNs,APNsClient,APNsSimulator,ApusScheduling} ApusKit/Sources)

gate_format() {
    local documented
    documented=$(sed -E 's/("(AllPublicDeclarationsHave|ValidateDocumentation)[A-Za-z]*": )false/\1true/' .swift-format)
    if [ "$documented" = "$(<.swift-format)" ]; then
        echo ".swift-format: expected the rules on documentation as false; gate_format turns them on for the library products"
        return 1
    fi
    local status=0
    swift_files | grep '^Examples/' | xargs swift format lint --strict --parallel Package.swift || status=1
    swift format lint --strict --parallel --recursive Sources Tests Fuzz dev/peers dev/listings \
        ApusKit/{Package.swift,Sources,Tests,Examples} AppleStandIns/{Package.swift,Sources,Tests} || status=1
    swift format lint --strict --parallel --recursive --configuration "$documented" "${library_products[@]}" || status=1
    return "$status"
}

# Everything with its tests, as dev/test will run it; of one target only where APUS_CHECK_TARGET names it.
gate_warnings() {
    if [ -n "${APUS_CHECK_TARGET:-}" ]; then
        debug_build --target "$APUS_CHECK_TARGET"
    else
        debug_build --build-tests
    fi
}
