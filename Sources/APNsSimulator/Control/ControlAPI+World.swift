// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Hummingbird
import NIOCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

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

/// The simulated time.
extension ControlAPI {
    /// The furthest that the time is moved at once: 1,000 years.
    ///
    /// Unit: seconds.
    private static let furthest: Double = 1000 * 365.25 * 86_400

    func addClockRoutes(to router: Router<Context>) {
        router.get("/v1/clock", use: self.showClock)
        router.patch("/v1/clock", use: self.scaleClock)
        router.post("/v1/clock:advance", use: self.advanceClock)
    }

    /// The time; a follower gets it when it has changed, or after a second.
    private func showClock(_ request: Request, _ context: Context) async throws -> Response {
        if let query = try ClockFollowQuery(request) {
            await self.simulator.core.followers.follow(query.follower, by: query.change)
        }
        return Self.json(self.clock())
    }

    private func clock() -> JSONOutput {
        let change = self.simulator.core.followers.change
        let now = self.simulator.now
        return .object([
            ("now", .date(now)),
            ("seconds", .decimal((now.timeIntervalSince1970 * 1000).rounded(.down) / 1000)),
            ("scale", .decimal(self.simulator.timeScale)),
            ("change", .integer(change)),
            ("nextDue", self.simulator.nextDue.map { .date($0) } ?? .null),
        ])
    }

    private func scaleClock(_ request: Request, _ context: Context) async throws -> Response {
        var object = try await Self.body(request)
        let scale = try object.require("scale", try object.number("scale", in: 0...1_000_000))
        try object.finish()
        self.simulator.setTimeScale(scale)
        await self.simulator.core.followers.catchUp()
        return Self.json(self.clock())
    }

    private func advanceClock(_ request: Request, _ context: Context) async throws -> Response {
        var object = try await Self.body(request)
        let seconds = try object.require("seconds", try object.number("seconds", in: 0...Self.furthest))
        try object.finish()
        // Cannot trap: `furthest` bounds the seconds.
        self.simulator.advance(by: .seconds(seconds))
        await self.simulator.core.followers.catchUp()
        return Self.json(self.clock())
    }
}
