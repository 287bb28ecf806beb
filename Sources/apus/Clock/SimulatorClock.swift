// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import CommandLineSupport
import Foundation
import Logging
import NIOCore
import ServiceLifecycle
import Synchronization

/// The clock of a simulator, for a process whose time a test advances.
///
/// The simulator notifies this clock of changes, and the clock also polls it every second. Between the responses, and
/// while it does not respond, time continues at its pace.
final class SimulatorClock: Service {
    /// How long the former time is kept after a change, so that operations in flight can end in it.
    ///
    /// With the new time, a push that was just delivered would count as failed, because its lease has expired.
    private static let grace: Duration = .milliseconds(100)

    /// The delay before a retry if the simulator does not respond.
    private static let retryInterval: Duration = .milliseconds(100)

    /// The name under which the simulator knows that this process goes by its time.
    private let name = UUID().uuidString
    private let exchange: HTTPJSONClient
    private let logger: Logger
    private let time: Mutex<SimulatedTime>

    private init(_ exchange: HTTPJSONClient, _ time: SimulatedTime, logger: Logger) {
        self.exchange = exchange
        self.time = Mutex(time)
        self.logger = logger
    }

    /// Creates the clock of a running simulator; `url` is its control API.
    ///
    /// - Returns: the clock, which follows the simulator while it runs.
    /// - Throws: ``CommandError`` if it does not respond, or is not a simulator.
    static func of(_ url: String, logger: Logger) async throws -> SimulatorClock {
        let exchange = HTTPJSONClient(url: url, timeout: .seconds(5))
        let start = ContinuousClock.now
        let reading = try await Self.reading(exchange)
        return SimulatorClock(exchange, SimulatedTime(reading, from: start, to: .now), logger: logger)
    }

    var now: Date {
        Date(timeIntervalSince1970: self.time.withLock { $0.seconds(at: .now) })
    }

    /// Follows the simulator until the process is stopped.
    func run() async throws {
        try? await cancelWhenGracefulShutdown {
            var isLost = false
            while true {
                do {
                    let start = ContinuousClock.now
                    let reading = try await Self.reading(self.exchange)
                    self.time.withLock { $0.take(reading, from: start, to: .now) }
                    isLost = false
                    // Reports that this process uses the current time; the response arrives when the time changes.
                    let query = "?follower=\(self.name)&change=\(reading.change)"
                    let next = try await Self.reading(self.exchange, query: query)
                    if next.change != reading.change { try await Task.sleep(for: Self.grace) }
                } catch let failure as CommandError {
                    if !isLost {
                        self.logger.warning(
                            "Failed to read the simulator's clock; continuing at the former pace",
                            metadata: ["error": "\(failure.message)"]
                        )
                    }
                    isLost = true
                    try await Task.sleep(for: Self.retryInterval)
                }
            }
        }
    }

    private static func reading(_ exchange: HTTPJSONClient, query: String = "") async throws -> SimulatedTime.Reading {
        let answer = try await exchange.send(.get, "/v1/clock\(query)")
        guard (200..<300).contains(answer.status) else { throw CommandError(problem: answer, of: "GET /v1/clock") }
        return try APIResponse(body: answer.body).decoded()
    }
}

/// The time of a simulator's clock, calculated from its last response.
///
/// A pure value: the caller passes instants of a monotonic clock.
struct SimulatedTime: Hashable, Sendable {
    /// The response of the simulator to `GET /v1/clock`.
    struct Reading: Hashable, Sendable {
        /// The times that a simulator can have: from 1970 to the end of the year 9999.
        fileprivate static let times = 0...Double(FourDigitYears.last)

        /// How fast a simulator's time can pass.
        fileprivate static let scales = 0...1_000_000.0

        /// Seconds since 1970.
        let seconds: Double

        /// How many of them pass in a second.
        let scale: Double

        /// How often it was moved or given another pace by then.
        let change: Int
    }

    /// The tolerated difference between a reading and the expected time, for rounding.
    ///
    /// Unit: seconds of the simulator.
    private static let tolerance = 0.005

    private var reading: Reading
    private var readAt: ContinuousClock.Instant

    /// The time from a first reading, which was taken somewhere between two instants.
    init(_ reading: Reading, from start: ContinuousClock.Instant, to end: ContinuousClock.Instant) {
        self.reading = reading
        self.readAt = start.advanced(by: start.duration(to: end) / 2)
    }

    /// Seconds since 1970 at an instant.
    func seconds(at instant: ContinuousClock.Instant) -> Double {
        let seconds = self.reading.seconds + self.readAt.duration(to: instant) / .seconds(1) * self.reading.scale
        return min(seconds, Reading.times.upperBound)
    }

    /// Updates the time with another reading, which was taken between two instants.
    ///
    /// A reading without a change has no effect, however late it arrived: time never jumps because a response was slow.
    mutating func take(
        _ reading: Reading,
        from start: ContinuousClock.Instant,
        to end: ContinuousClock.Instant
    ) {
        let isExpected =
            reading.seconds >= self.seconds(at: start) - Self.tolerance
            && reading.seconds <= self.seconds(at: end) + Self.tolerance
        let isNews = reading.change != self.reading.change || reading.scale != self.reading.scale
        guard isNews || !isExpected else { return }
        self = SimulatedTime(reading, from: start, to: end)
    }
}

extension SimulatedTime.Reading: Decodable {
    private enum CodingKeys: String, CodingKey { case seconds, scale, change }

    /// Decodes a response.
    ///
    /// - Throws: `DecodingError` for a time or pace that no simulator has, because the process would use it.
    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        func number(_ key: CodingKeys, in range: ClosedRange<Double>) throws -> Double {
            let number = try container.decode(Double.self, forKey: key)
            guard range.contains(number) else {
                let rule = "expected a number from \(range.lowerBound) to \(range.upperBound), got \(number)"
                throw DecodingError.dataCorruptedError(forKey: key, in: container, debugDescription: rule)
            }
            return number
        }
        self.init(
            seconds: try number(.seconds, in: Self.times),
            scale: try number(.scale, in: Self.scales),
            change: try container.decode(Int.self, forKey: .change)
        )
    }
}

/// The clock of a whole process.
struct ProcessClock: Sendable {
    let now: @Sendable () -> Date

    /// The services that the clock needs.
    let services: [any Service]

    /// The system's time, or that of a simulator.
    ///
    /// - Throws: ``CommandError`` `.bad_configuration` if the simulator does not return the time.
    init(_ configuration: ServerConfiguration, logger: Logger) async throws {
        guard let url = configuration.clockSimulator else {
            self.now = { Date() }
            self.services = []
            return
        }
        do {
            let clock = try await SimulatorClock.of(url, logger: logger)
            self.now = { clock.now }
            self.services = [clock]
        } catch let failure as CommandError {
            let name = configuration.name(of: .clockSimulator)
            let rule = "\(name): expected the control API of a running simulator"
            throw CommandError("bad_configuration", "\(rule). \(failure.message)", cause: failure)
        }
        logger.notice("Using the simulator's clock", metadata: ["simulator": "\(url)"])
    }
}
