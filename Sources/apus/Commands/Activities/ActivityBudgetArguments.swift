// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import ArgumentParser

/// What becomes of pushes of priority 10 for which phones have no room in their budgets.
struct ActivityBudgetArguments: ParsableArguments {
    @Option(
        help: """
            What becomes of pushes of priority 10 beyond the hourly budget of a phone: warn tells of them, lower sends them \
            with priority 5, refuse changes nothing. Default: warn.
            """
    )
    var budget: String?

    @Flag(help: "Change nothing, and tell what it would cost.")
    var dryRun = false

    func validate() throws {
        guard ["warn", "lower", "refuse"].contains(self.budget ?? "warn") else {
            throw ValidationError("--budget has to be warn, lower or refuse.")
        }
    }

    /// The path with what is asked for.
    func path(_ path: String) -> String { self.dryRun ? "\(path)?dryRun=true" : path }

    /// Adds the member to a request.
    func write(to request: inout JSONWriter) { request.member("budget", self.budget) }
}
