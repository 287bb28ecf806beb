// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ArgumentParser

/// How a command that runs until it is stopped tells that it is ready, and when it stops.
struct ProcessArguments: ParsableArguments {
    @Flag(help: "Write the line that says it is ready as JSON, for programs.")
    var json = false

    @Flag(help: "Stop when standard input ends, as it does when the process that started this one is gone.")
    var untilInputEnds = false
}
