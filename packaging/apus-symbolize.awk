#!/usr/bin/awk -f
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the Apus authors
#
# apus-symbolize [FILE]: adds functions and lines to the crashes in a log of Apus, such as `journalctl -u apus | apus-symbolize`.
# A crash names addresses first and then, for each image, the range of its addresses and its build ID. The debug symbols of
# that build have to be installed (package apus-dbgsym) or be in the directory that APUS_DEBUG_DIR names.
BEGIN {
    directory = ENVIRON["APUS_DEBUG_DIR"] ? ENVIRON["APUS_DEBUG_DIR"] : "/usr/lib/debug"
}
/Program crashed/ { count = 0 }
{ print }
match($0, /(^|[ ])[0-9]+ (\[ra\])? *0x[0-9a-f]+/) {
    frame = substr($0, RSTART, RLENGTH)
    sub(/^ */, "", frame)
    number = frame; sub(/ .*/, "", number)
    isReturn = frame ~ /\[ra\]/
    sub(/.*0x/, "", frame)
    count++
    numbers[count] = number
    # The address to return to can belong to the next line; the call is before it.
    addresses[count] = hexadecimal(frame) - isReturn
    next
}
match($0, /0x[0-9a-f]+[^0-9a-f]+0x[0-9a-f]+ [0-9a-f]+ /) {
    image = substr($0, RSTART)
    split(image, words, /[^0-9a-fx]+/)
    start = hexadecimal(substr(words[1], 3)); stop = hexadecimal(substr(words[2], 3)); id = words[3]
    file = directory "/.build-id/" substr(id, 1, 2) "/" substr(id, 3) ".debug"
    if ((getline line < file) < 0) next
    close(file)
    for (i = 1; i <= count; i++) {
        if (addresses[i] < start || addresses[i] >= stop) continue
        command = sprintf("addr2line --pretty-print --functions --inlines --exe='%s' 0x%x", file, addresses[i] - start)
        while ((command | getline line) > 0) print "  " numbers[i] "  " line
        close(command)
    }
}
function hexadecimal(text,    value, i) {
    value = 0
    for (i = 1; i <= length(text); i++) value = value * 16 + index("0123456789abcdef", substr(text, i, 1)) - 1
    return value
}
