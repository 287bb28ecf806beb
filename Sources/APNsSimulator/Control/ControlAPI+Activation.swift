// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Hummingbird

/// The activation of devices.
extension ControlAPI {
    func addActivationRoutes(to router: Router<Context>) {
        router.post("/v1/devices/{id}/activation", use: self.activateDevice)
        router.get("/v1/devices/{id}/activation", use: self.showActivation)
        router.delete("/v1/devices/{id}/activation", use: self.revokeActivation)
    }

    private func activateDevice(_ request: Request, _ context: Context) async throws -> Response {
        let id = try Self.deviceID(context)
        var object = try await Self.body(request)
        let lifetime = try Self.lifetime(&object)
        try object.finish()
        let issued = try Self.known(id) { try self.simulator.activateDevice(id, lifetime: lifetime) }
        return Self.created(.object(issued.members))
    }

    private func showActivation(_ request: Request, _ context: Context) async throws -> Response {
        let id = try Self.deviceID(context)
        let activation = try Self.known(id) { try self.simulator.activation(of: id) }
        return Self.json(
            .object([
                ("activated", .bool(activation.isActivated)),
                ("certificateSHA256", .optional(activation.certificateSHA256)),
                ("connection", .optional(activation.connection?.rawValue)),
                ("topics", activation.topics.map { .array($0.map { .string($0) }) } ?? .null),
            ])
        )
    }

    private func revokeActivation(_ request: Request, _ context: Context) async throws -> Response {
        let id = try Self.deviceID(context)
        guard try Self.known(id, { try self.simulator.revokeActivation(of: id) }) else {
            throw ControlProblem.notFound("activation of device \(id)")
        }
        return Self.noContent()
    }
}
