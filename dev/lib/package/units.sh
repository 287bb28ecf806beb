# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the Apus authors
#
# Sourced by dev/package, dev/test-package and dev/lib/gates.sh: the systemd units.

units=(apus.service apus-deliver.service apus-schedule.service)
# What `systemd-analyze security` may say of a unit at most; 10 is a unit without any protection.
highest_exposure=2.5

# make_units DIRECTORY: writes the units there, each with the part that all of them share.
make_units() {
    local unit
    mkdir -p "$1"
    for unit in "${units[@]}"; do
        cat "packaging/$unit" packaging/sandbox.conf >"$1/$unit"
    done
}

# exposures DIRECTORY: prints a line for each unit there: its exposure and its name. Fails when one is too high.
exposures() {
    local unit
    for unit in "${units[@]}"; do
        systemd-analyze security --offline=true "$1/$unit" \
            | awk -v unit="$unit" -v limit="$highest_exposure" \
                'END { print $(NF - 2), unit, "(" limit " is the limit)"; exit !($(NF - 2) <= limit) }' || return 1
    done
}
