// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Hummingbird

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

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
        if let query = try FollowQuery(request) {
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
        self.simulator.advance(by: .seconds(seconds))
        await self.simulator.core.followers.catchUp()
        return Self.json(self.clock())
    }
}
