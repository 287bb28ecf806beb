// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Hummingbird
import NIOCore

/// The world as a whole: the population, tokens, snapshots.
extension ControlAPI {
    /// The largest snapshot that is read.
    ///
    /// Unit: bytes.
    private static let maximumSnapshot = 1 << 30

    func addWorldRoutes(to router: Router<Context>) {
        router.get("/v1/population", use: self.showPopulation)
        router.patch("/v1/population", use: self.changePopulation)
        router.get("/v1/tokens/{token}", use: self.showToken)
        router.get("/v1/snapshot", use: self.takeSnapshot)
        router.put("/v1/snapshot", use: self.restoreSnapshot)
    }

    private func showPopulation(_ request: Request, _ context: Context) async throws -> Response {
        Self.json(try self.populationOutput())
    }

    private func changePopulation(_ request: Request, _ context: Context) async throws -> Response {
        var object = try await Self.body(request)
        let online = try object.bool("online")
        try object.finish()
        _ = try self.populationOutput()
        if let online { self.simulator.setPopulationOnline(online) }
        return Self.json(try self.populationOutput())
    }

    private func populationOutput() throws -> JSONOutput {
        guard let population = self.simulator.population else {
            throw ControlProblem.notFound("population; start the simulator with --population")
        }
        return .object([
            ("count", .integer(population.count)), ("invalidRate", .decimal(population.invalidRate)),
            ("unregisteredRate", .decimal(population.unregisteredRate)), ("app", .string(population.app)),
            ("environment", .string(population.environment.rawValue)),
            ("seed", .integer(Int(clamping: population.seed))),
            ("online", .bool(population.isOnline)),
        ])
    }

    private func showToken(_ request: Request, _ context: Context) async throws -> Response {
        let hex = try context.parameter("token")
        let token: DeviceToken
        do {
            token = try DeviceToken(hex: hex)
        } catch {
            throw ControlProblem(error, field: "token")
        }
        guard let (device, topic, isActive) = self.simulator.device(of: token) else {
            throw ControlProblem.notFound("token \(token)")
        }
        return Self.json(
            .object([
                ("device", .string(device.id.rawValue)), ("topic", .string(topic)),
                ("environment", .string(device.environment.rawValue)), ("active", .bool(isActive)),
            ])
        )
    }

    private func takeSnapshot(_ request: Request, _ context: Context) async throws -> Response {
        Response(
            status: .ok,
            headers: [.contentType: "application/json"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: try self.simulator.snapshot()))
        )
    }

    private func restoreSnapshot(_ request: Request, _ context: Context) async throws -> Response {
        let buffer = try await Self.bytes(of: request, upTo: Self.maximumSnapshot)
        do {
            try self.simulator.restore(Array(buffer.readableBytesView))
        } catch {
            throw ControlProblem(snapshot: error)
        }
        await self.simulator.core.followers.catchUp()
        return Self.noContent()
    }
}
