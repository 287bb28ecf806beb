// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import AsyncHTTPClient
package import Foundation
import NIOCore
import ServiceLifecycle
import Synchronization

/// The time of a process: the system's or, in the story, that of the simulator, whose minutes pass in seconds.
package final class ProcessClock: Service {
    /// The response of `GET /v1/clock` of the simulator.
    private struct Reading: Decodable {
        var seconds: Double
        var scale: Double
        var change: Int
        var readAt = ContinuousClock.now

        enum CodingKeys: CodingKey { case seconds, scale, change }
    }

    private let simulator: String?
    private let name = UUID().uuidString
    private let reading: Mutex<Reading?>

    /// Reads the time of the simulator with this control API; `nil` uses the system's time.
    package init(simulator: String?) async throws {
        self.simulator = simulator
        self.reading = Mutex(nil)
        if let simulator {
            let reading = try await Self.read("\(simulator)/v1/clock")
            self.reading.withLock { $0 = reading }
        }
    }

    package var now: Date {
        guard let reading = self.reading.withLock({ $0 }) else { return Date() }
        let passed = reading.readAt.duration(to: .now) / .seconds(1) * reading.scale
        return Date(timeIntervalSince1970: reading.seconds + passed)
    }

    /// Follows the simulator until the process is stopped.
    package func run() async throws {
        guard let simulator else { return try await gracefulShutdown() }
        try? await cancelWhenGracefulShutdown {
            while true {
                let change = self.reading.withLock { $0?.change ?? 0 }
                // The response arrives when the time is changed, after one second otherwise.
                if let reading = try? await Self.read("\(simulator)/v1/clock?follower=\(self.name)&change=\(change)") {
                    self.reading.withLock { $0 = reading }
                } else {
                    try await Task.sleep(for: .milliseconds(100))
                }
            }
        }
    }

    private static func read(_ url: String) async throws -> Reading {
        let response = try await HTTPClient.shared.execute(HTTPClientRequest(url: url), timeout: .seconds(5))
        let data = Data(try await response.body.collect(upTo: 1 << 16).readableBytesView)
        return try JSONDecoder().decode(Reading.self, from: data)
    }
}
