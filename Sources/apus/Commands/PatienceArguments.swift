// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ArgumentParser

/// How long a command that watches goes on without an answer.
struct PatienceArguments: ParsableArguments {
    @Option(
        help: "While it watches: after how many seconds without an answer of the server it gives up, with status 3."
    )
    var patience = 600

    /// The same as a duration.
    var duration: Duration { .seconds(self.patience) }

    func validate() throws {
        guard (0...604_800).contains(self.patience) else {
            throw ValidationError("A --patience is a number from 0 to 604800; got \(self.patience).")
        }
    }
}
