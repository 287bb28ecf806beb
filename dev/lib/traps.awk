# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the Apus authors
#
# Finds what traps on a value that it does not expect. It is allowed with a reason: `// Cannot trap: why`, on the same line
# or the one above.
FNR == 1 { reason = 0 }
{
    line = $0
    allowed = reason || line ~ /\/\/ Cannot trap: [a-zA-Z`"]/
    reason = line ~ /^ *\/\/ Cannot trap: [a-zA-Z`"]/
    if (line ~ /^ *\/\//) next
    gsub(/\\"/, "", line)
    gsub(/"[^"]*"/, "\"\"", line)
    sub(/ *\/\/.*/, "", line)
    if (line ~ /(^|[^A-Za-z0-9_.])(precondition|preconditionFailure|fatalError|assert|assertionFailure|abs)\(/) found = "a trap"
    else if (line ~ /(^|[^A-Za-z0-9_])(try|as)!/) found = "try! or as!"
    else if (line ~ /[A-Za-z0-9_)\]?]!($|[^=A-Za-z0-9_"])/ || line ~ /unsafelyUnwrapped/) found = "a forced unwrapping"
    else if (line ~ /(^|[^A-Za-z0-9_])U?Int(8|16|32|64)?\(([^():]|\([^()]*\))*(\.rounded\(|Double|[tT]imeInterval)/) found = "a conversion of a floating-point number"
    else next
    if (allowed) next
    print FILENAME ":" FNR ": " found ": convert with a function that fails, or say `// Cannot trap: why`"
    breaches = 1
}
END { exit breaches }
