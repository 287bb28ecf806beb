# shellcheck shell=bash disable=SC2034
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the Apus authors
#
# Sourced by every script in dev/ and .ci/: the root of the repository, an environment that is the same everywhere,
# and how progress and failure are shown. Runs in bash 3.2 (macOS) and later.
set -euo pipefail

apus_root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
cd "$apus_root"

# The sorting, the character classes and the messages of the tools must not depend on the caller's language.
case $(uname -s) in
    Darwin) export LC_ALL=en_US.UTF-8 ;;
    *) export LC_ALL=C.UTF-8 ;;
esac
unset GREP_OPTIONS CDPATH

# A toolchain that is installed but not on the PATH (a cron job, an IDE, sudo) is found all the same.
if ! command -v swift >/dev/null 2>&1; then
    for directory in "$HOME/.local/share/swiftly/bin" "$HOME/.swiftly/bin" /opt/swift/usr/bin /usr/share/swift/usr/bin; do
        if [ -x "$directory/swift" ]; then
            export PATH="$directory:$PATH"
            break
        fi
    done
fi

if [ -t 2 ] && [ -z "${NO_COLOR:-}" ] && [ "${TERM:-dumb}" != dumb ]; then
    live=1 dim=$'\033[2m' red=$'\033[31m' green=$'\033[32m' plain=$'\033[0m'
else
    live='' dim='' red='' green='' plain=''
fi

# Prints a line for the person who watches. Everything of that kind goes to stderr: stdout is for results.
say() {
    printf '%s\n' "$*" >&2
}

# Prints what is wrong and how to mend it, and ends the script with status 1.
fail() {
    say "${red}error:${plain} $*"
    exit 1
}

# Prints a directory for files that need not outlive a run: in memory where there is room for them, since file systems on
# disks take several times as long to create and remove the thousands of files of a test run.
memory_directory() {
    local free
    free=$(df -Pk /dev/shm 2>/dev/null | awk 'NR == 2 { print $4 }')
    if [ -w /dev/shm ] && [ "${free:-0}" -gt $((4 * 1024 * 1024)) ]; then
        printf '/dev/shm\n'
    else
        printf '%s\n' "${TMPDIR:-/tmp}"
    fi
}

# Shows what of a build's or a tool's log matters: the errors if it names any, the end of it otherwise.
show_log() {
    local log=$1
    if grep -qE 'error:|warning:' "$log"; then
        grep -vE '^\[[0-9]+/[0-9]+\]|^(Building|Planning|Fetching|Fetched|Computing|Computed|Creating|Working)' "$log" \
            | awk '!seen[$0]++' | head -n 80 >&2
    else
        tail -n 60 "$log" >&2
    fi
}

# step LABEL COMMAND...: runs the command with its output kept in a log, and leaves one line: what, verdict, seconds.
# Meanwhile it shows the last line of the log, on a terminal at once and elsewhere once a minute. Shows the log only when
# the command fails.
step() {
    local label=$1 status=0 started=$SECONDS log child shown=$SECONDS
    shift
    log=$(mktemp "${TMPDIR:-/tmp}/apus-step.XXXXXX")
    "$@" >"$log" 2>&1 </dev/null &
    child=$!
    # A background child of a script does not get the terminal's Ctrl-C, so it is passed on.
    # shellcheck disable=SC2064  # the values of now are meant
    trap "kill $child 2>/dev/null; rm -f '$log'; exit 130" INT TERM
    while kill -0 "$child" 2>/dev/null; do
        if [ -n "$live" ]; then
            printf '\r\033[K%s… %s%s' "$dim$label " "$(tail -n 1 "$log" | tr -d '\r\033' | cut -c1-70)" "$plain" >&2
        elif [ $((SECONDS - shown)) -ge 60 ]; then
            shown=$SECONDS
            say "    $label… $((SECONDS - started)) s: $(tail -n 1 "$log" | tr -d '\r\033' | cut -c1-70)"
        fi
        if [ -n "$live" ]; then sleep 0.2; else sleep 1; fi
    done
    wait "$child" || status=$?
    trap - INT TERM
    [ -z "$live" ] || printf '\r\033[K' >&2
    if [ "$status" -eq 0 ]; then
        say "$(printf '%s %-44s %s' "${green}ok${plain}  " "$label" "${dim}$((SECONDS - started)) s${plain}")"
    else
        say "$(printf '%s %-44s %s' "${red}FAIL${plain}" "$label" "${dim}$((SECONDS - started)) s${plain}")"
        show_log "$log"
    fi
    rm -f "$log"
    return "$status"
}
