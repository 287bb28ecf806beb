// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import APNsSimulator
import ApusTesting

extension APNsSimulator {
    /// Closes all connections, and refuses new ones, once the client knows.
    func vanish(_ client: LogEvents) async throws {
        self.inject(SimulatorFault(.connection(.refuse)))
        self.endConnections(reason: .shutdown)
        try await client.first(containing: "Received a GOAWAY from APNs")
    }
}

/// A value that one phase of a test passes to a later one.
final class Handed<Value> {
    var value: Value?
}
