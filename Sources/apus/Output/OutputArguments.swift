// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ArgumentParser

/// How a command writes its result.
struct OutputArguments: ParsableArguments {
    @Flag(help: "Write the result as JSON, for programs.")
    var json = false
}
