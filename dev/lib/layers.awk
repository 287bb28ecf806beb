# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the Apus authors
#
# Reads facts, one a line, and prints every breach of the layers; exits 1 if there is one.
#   row LAYER TARGET [IMPORT...]     a row of dev/lib/layers
#   target NAME KIND                 a target of Package.swift (KIND: regular, executable, system, test)
#   edge TARGET DEPENDENCY           what it declares
#   import TARGET MODULE FILE:LINE   what its sources import

function breach(text) { print text; breaches++ }

# The module of a target.
function module(name) { gsub(/-/, "_", name); return name }

$1 == "row" {
    layer[$3] = $2; order[$3] = NR
    for (i = 4; i <= NF; i++) {
        if (!($i in layer)) breach("dev/lib/layers: " $3 " names " $i ", which has no row above it")
        else if (layer[$i] > $2 || (layer[$i] == $2 && $2 != 0))
            breach("dev/lib/layers: " $3 " (layer " $2 ") may not import " $i " (layer " layer[$i] "): not below it")
        allowed[$3, $i] = 1
    }
}
$1 == "target" { kind[$2] = $3 }
$1 == "edge" { declared[$2, module($3)] = 1; edges[++edgeCount] = $2 " " $3 }
$1 == "import" { imports[++importCount] = $2 " " $3 " " $4 }

END {
    count = split("Swift Foundation FoundationEssentials FoundationNetworking Glibc Musl Darwin Dispatch Synchronization" \
        " Observation Testing", names, " ")
    for (i = 1; i <= count; i++) platform[names[i]] = 1

    for (name in kind)
        if (kind[name] != "test" && !(name in layer)) breach("Package.swift: " name " has no row in dev/lib/layers")
    for (name in layer)
        if (!(name in kind)) breach("dev/lib/layers: " name " is no target of Package.swift")
    for (i = 1; i <= edgeCount; i++) {
        split(edges[i], edge, " ")
        if (!(edge[2] in kind)) continue
        if (kind[edge[2]] == "test") breach("Package.swift: " edge[1] " depends on the tests " edge[2])
        if (kind[edge[1]] != "test" && !((edge[1], edge[2]) in allowed))
            breach("Package.swift: " edge[1] " may not depend on " edge[2] " (see dev/lib/layers)")
    }
    for (i = 1; i <= importCount; i++) {
        split(imports[i], line, " ")
        imported[line[1], line[2]] = 1
        if (line[2] in platform || line[1] == line[2] || (line[1], line[2]) in declared) continue
        breach(line[3] ": " line[1] " imports " line[2] ", which Package.swift does not name among its dependencies")
    }
    # What a target does not use would still be compiled before it, and again whenever it changes.
    for (i = 1; i <= edgeCount; i++) {
        split(edges[i], edge, " ")
        if (!((edge[1], module(edge[2])) in imported))
            breach("Package.swift: " edge[1] " depends on " edge[2] ", which none of its files imports")
    }
    exit breaches > 0
}
