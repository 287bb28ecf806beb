// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import CommandLineSupport
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

    /// The clock of a simulator that answers; `url` is its control API.
    ///
    /// - Returns: the clock, which follows the simulator while it runs.
    /// - Throws: ``CommandFailure`` when it does not answer, or is no simulator.
    static func of(_ url: String, logger: Logger) async throws -> SimulatorClock {
        let exchange = HTTPExchange(url: url, timeout: .seconds(5))
        let start = ContinuousClock.now
        let reading = try await Self.reading(exchange)
        return SimulatorClock(exchange, SimulatedTime(reading, from: start, to: .now), logger: logger)
    }

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

/// What a simulator's clock shows now, worked out from what it last said.
///
/// A value without a clock of its own: instants are those of a clock that nobody sets.
struct SimulatedTime: Hashable, Sendable {
    /// What the simulator answers to `GET /v1/clock`.
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

    /// How far a reading may lie outside of what was expected, for rounding.
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

    /// Takes another reading, which was taken somewhere between two instants.
    ///
    /// One that says nothing new changes nothing, however late it came: time never jumps because an answer was slow.
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

    /// Reads an answer.
    ///
    /// - Throws: `DecodingError` for a time or a pace that no simulator has: the process would go by it.
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

/// The time of day by which a whole process goes.
struct TimeOfDay: Sendable {
    let now: @Sendable () -> Date

    /// What has to run for that.
    let services: [any Service]

    /// The system's time, or that of a simulator.
    ///
    /// - Throws: ``CommandFailure`` `.bad_configuration` when the simulator does not tell the time.
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
        } catch let failure as CommandFailure {
            let name = configuration.name(of: .clockSimulator)
            let rule = "\(name): expected the control API of a simulator that answers"
            throw CommandFailure("bad_configuration", "\(rule). \(failure.message)", cause: failure)
        }
        logger.notice("The time of day is a simulator's", metadata: ["simulator": "\(url)"])
    }
}
