#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the Apus authors
#
# Runs as a unit in the system that dev/test-package boots: checks the installed package the way an administrator uses it. Each
# check is one line in the log; the figures go to /result/figures, one NAME=VALUE a line.
set -uo pipefail

failures=0
check() {
    local what=$1
    shift
    if "$@" >/result/check.log 2>&1; then
        echo "ok    $what"
    else
        echo "FAIL  $what"
        tail -n 20 /result/check.log | tr -d '\0'
        failures=$((failures + 1))
        return 1
    fi
}

figure() { echo "$1=$2" >>/result/figures; }
milliseconds() { echo $(($(date +%s%N) / 1000000)); }
shows() { systemctl show --property="$2" --value "$1"; }

# within SECONDS COMMAND...: repeats the command until it succeeds.
within() {
    local end=$(($(milliseconds) + $1 * 1000))
    shift
    until "$@" >/dev/null 2>&1; do
        [ "$(milliseconds)" -lt "$end" ] || return 1
        sleep 0.02
    done
}

ready() { curl --silent --fail --max-time 1 --output /dev/null http://127.0.0.1:8080/readyz; }
at_most() { echo "$1 of at most $2"; [ "$1" -le "$2" ]; }

is_another() { [ "$(shows apus MainPID)" != "$1" ] && ready; }

# restarted_after COMMAND...: prints how many milliseconds the server took to be ready again in another process.
restarted_after() {
    local before start
    before=$(shows apus MainPID)
    start=$(milliseconds)
    "$@"
    within 60 is_another "$before" || return 1
    echo $(($(milliseconds) - start))
}

# Overwrites the instruction that each thread of a process returns to, so that the next thread that wakes up crashes. A signal
# from outside is no crash: the process continues after its backtrace.
crash() {
    local pid=$1 thread address
    for thread in /proc/"$pid"/task/*; do
        address=$(awk 'NF > 2 { print $NF }' "$thread/syscall")
        [ -z "$address" ] \
            || printf '\0\0\0\0' | dd of="/proc/$pid/mem" bs=1 seek="$((address))" conv=notrunc status=none 2>/dev/null
    done
    ready
    true
}

is_confined() {
    local pid
    pid=$(shows apus MainPID)
    echo "limits: $(shows apus MemoryMax) bytes, $(shows apus-schedule CPUQuotaPerSecUSec) a second"
    [ "$(shows apus MemoryMax)" = $((1024 * 1024 * 1024)) ] && [ "$(shows apus-schedule CPUQuotaPerSecUSec)" = 500ms ] \
        && [ "$(stat --format=%u "/proc/$pid")" -ge 61184 ] && grep -q '^NoNewPrivs:.*1' "/proc/$pid/status" \
        && [ "$(shows apus LimitNICE)" = 20 ] && grep -q '^Seccomp:.*2' "/proc/$pid/status" && grep -q '^CapEff:.*0000000000000000' "/proc/$pid/status" \
        && [ "$(stat --format=%a /var/lib/private/apus)" = 700 ]
}

is_stopped() { ! systemctl is-active --quiet apus && ! ready; }
keeps_state() { [ -e /etc/apus/apus.env ] && [ -e /var/lib/apus/apus.db ] && [ -e /var/lib/apus/master.key ]; }
leaves_nothing() {
    ls -d /etc/apus /var/lib/apus /var/lib/private/apus /usr/bin/apus /usr/lib/systemd/system/apus*
    [ ! -e /etc/apus ] && [ ! -e /var/lib/apus ] && [ ! -L /var/lib/apus ] && [ ! -e /var/lib/private/apus ] \
        && [ ! -e /usr/bin/apus ] && [ -z "$(ls /usr/lib/systemd/system/apus* 2>/dev/null)" ]
}

# A purge while a file system is mounted at the state directory.
purges_mount() {
    local state=/var/lib/private/apus
    mkdir -p "$state/" && mount -t tmpfs tmpfs "$state" && mkdir "$state/credentials" && touch "$state"/{.hidden,apus.db} \
        && ln -s private/apus /var/lib/apus && dpkg --install /dist/apus_*.deb && dpkg --purge apus \
        && mountpoint --quiet "$state" && [ -z "$(ls -A "$state")" ] && umount "$state" && rmdir "$state" && leaves_nothing
}

# The listing of README.md, as a new user runs it.
first_push() {
    local started
    started=$(milliseconds)
    cd "$(mktemp -d)" || return 1
    timeout 120 setsid bash -euo pipefail /result/first-push.sh 2>&1 </dev/null | tee /result/first-push.log && figure first_push_s "$((($(milliseconds) - started + 999) / 1000))"
}

demo() {
    (cd /tmp && setpriv --reuid=65534 --regid=65534 --clear-groups --reset-env apus demo --once --json) >/result/demo.json
}

check "nothing runs after the installation" is_stopped
check "the first push, by the listing of README.md" first_push
check "the notification is on the virtual device" grep -q '"title": "Hello"' /result/first-push.log
check "apus demo" demo && figure demo_ok true

systemctl start apus
check "apus.service answers" within 20 ready
check "apus.service has its user and its limits" is_confined
key=$(apus-admin keys create me --scope admin --data /var/lib/apus)
export APUS_API_KEY=$key
check "apus-admin creates a key that the server accepts" apus apps create com.example.app --environment sandbox
check "apus ready" apus ready
check "apus-deliver and apus-schedule start" systemctl start apus-deliver apus-schedule
sleep 2
check "apus-deliver and apus-schedule stay up" systemctl is-active apus-deliver apus-schedule
check "three processes share one user" test "$(ps -o uid= -C apus | sort -u | wc -l)" = 1

restart=$(restarted_after kill -9 "$(shows apus MainPID)") && figure restart_ms "$restart"
check "ready within 2 s of a kill -9 (${restart:-never} ms)" at_most "${restart:-60000}" 2000
check "the key works after the restart" apus apps list
crash=$(restarted_after crash "$(shows apus MainPID)") && figure crash_restart_ms "$crash"
check "ready within 2 s of a crash (${crash:-never} ms)" at_most "${crash:-60000}" 2000
journalctl --unit=apus --output=cat >/result/journal.log
symbolized() { apus-symbolize /result/journal.log | grep -E '^  [0-9]+  .* at .*' | grep -vE '\?\? (at )?\?\?'; }
check "the log has the crash" grep -q 'Program crashed' /result/journal.log
check "apus-symbolize names its functions" symbolized

echo '# changed' >>/etc/apus/apus.env
before=$(shows apus MainPID)
check "an upgrade" dpkg --install /dist/apus_*.deb
check "the upgrade restarts the server" within 20 ready
check "another process than before" test "$(shows apus MainPID)" != "$before"
check "the upgrade keeps the configuration" grep -q '^# changed' /etc/apus/apus.env
check "removal" dpkg --remove apus-dbgsym apus
check "the removal stops the server" is_stopped
check "the removal keeps configuration and state" keeps_state
check "purge" dpkg --purge apus
check "the purge leaves nothing" leaves_nothing
check "a purge empties a mount point" purges_mount
figure failures "$failures"
