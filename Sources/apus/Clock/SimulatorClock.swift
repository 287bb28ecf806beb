// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import Logging
import NIOCore
import ServiceLifecycle
import Synchronization

/// The time of day of a simulator, for a process that is to go along when a test moves it.
///
/// The simulator says when the time was moved, and is asked every second besides; in between, and while it does not answer,
/// time goes on at its pace.
final class SimulatorClock: Service {
    /// How long the time of before is kept once it was moved, so that what is under way may end in it.
    ///
    /// By the new time a push that arrived just before would count as given up, as its lease had lapsed.
    private static let grace: Duration = .milliseconds(100)

    /// How long to wait before asking again one that does not answer.
    private static let retryInterval: Duration = .milliseconds(100)

    /// The name under which the simulator knows that this process goes by its time.
    private let name = UUID().uuidString
    private let exchange: HTTPExchange
    private let logger: Logger
    private let time: Mutex<SimulatedTime>

    private init(_ exchange: HTTPExchange, _ time: SimulatedTime, logger: Logger) {
        self.exchange = exchange
        self.time = Mutex(time)
        self.logger = logger
    }

    /// The clock of a simulator that answers.
    ///
    /// - Parameters:
    ///   - url: its control API.
    ///   - logger: told when it answers no more.
    /// - Returns: the clock, which follows the simulator while it runs.
    /// - Throws: ``CommandFailure`` when it does not answer, or is no simulator.
    static func of(_ url: String, logger: Logger) async throws -> SimulatorClock {
        let exchange = HTTPExchange(url: url, timeout: .seconds(5))
        let start = ContinuousClock.now
        let reading = try await Self.reading(exchange)
        return SimulatorClock(exchange, SimulatedTime(reading, from: start, to: .now), logger: logger)
    }

    /// The simulated time of day.
    var now: Date {
        Date(timeIntervalSince1970: self.time.withLock { $0.seconds(at: .now) })
    }

    /// Follows the simulator until the process is told to stop.
    func run() async throws {
        try? await cancelWhenGracefulShutdown {
            var isLost = false
            while true {
                do {
                    let start = ContinuousClock.now
                    let reading = try await Self.reading(self.exchange)
                    self.time.withLock { $0.take(reading, from: start, to: .now) }
                    isLost = false
                    // Says that this process goes by the time as it is, and is answered when that is so no more.
                    let query = "?follower=\(self.name)&change=\(reading.change)"
                    let next = try await Self.reading(self.exchange, query: query)
                    if next.change != reading.change { try await Task.sleep(for: Self.grace) }
                } catch let failure as CommandFailure {
                    if !isLost {
                        self.logger.warning(
                            "The simulator does not tell the time; it goes on at the pace of before",
                            metadata: ["error": "\(failure.message)"]
                        )
                    }
                    isLost = true
                    try await Task.sleep(for: Self.retryInterval)
                }
            }
        }
    }

    private static func reading(_ exchange: HTTPExchange, query: String = "") async throws -> SimulatedTime.Reading {
        let answer = try await exchange.send(.get, "/v1/clock\(query)")
        guard (200..<300).contains(answer.status) else { throw CommandFailure(problem: answer, of: "GET /v1/clock") }
        return try APIAnswer(body: answer.body).decoded()
    }
}
