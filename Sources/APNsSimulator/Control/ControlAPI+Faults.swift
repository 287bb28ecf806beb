// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Hummingbird

/// Faults.
extension ControlAPI {
    /// Arms one fault, or a script of several.
    func injectFaults(_ request: Request, _ context: Context) async throws -> Response {
        let object = try await Self.body(request)
        let isScript = object.has("steps")
        let armed = self.simulator.inject(try FaultDraft.script(object))
        await self.simulator.followFaults()
        guard isScript || armed.count != 1 else { return Self.created(armed[0].output) }
        return Self.created(.object([("faults", .array(armed.map(\.output)))]))
    }

    func listFaults() -> JSONOutput {
        .object([("faults", .array(self.simulator.faults.map(\.output)))])
    }

    func clearFaults(_ request: Request, _ context: Context) async throws -> Response {
        self.simulator.clearFaults()
        await self.simulator.followFaults()
        return Self.noContent()
    }

    func removeFault(_ request: Request, _ context: Context) async throws -> Response {
        let text = try context.parameter("id")
        guard let id = Int(text), self.simulator.removeFault(id) else {
            throw ControlProblem.notFound("fault \(text.prefix(20))")
        }
        return Self.noContent()
    }
}
