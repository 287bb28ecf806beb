// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Logging
import Synchronization
import Testing

@testable import Telemetry

@Suite("The bounded rate of equal log entries")
struct RateLimitedLogHandlerTests {
    private let start = ContinuousClock.now

    @Test("equal entries are written 20 times, then each 10 seconds with the number of those that were left out")
    func repeated() {
        var limit = LogRateLimit()
        var written: [(second: Int, unlogged: Int)] = []
        // 10 a second for a minute.
        for tenth in 0..<600 {
            guard let unlogged = limit.admit(1, now: self.start + .milliseconds(100 * tenth)) else { continue }
            written.append((tenth / 10, unlogged))
        }
        #expect(written.prefix(20).allSatisfy { $0 == (0, 0) || $0 == (1, 0) })
        #expect(written.dropFirst(20).map(\.second) == [10, 20, 30, 40, 50])
        #expect(written.dropFirst(20).map(\.unlogged) == [80, 99, 99, 99, 99])
    }

    @Test("after a silence the burst is available again, and the first entry tells what was left out")
    func silence() {
        var limit = LogRateLimit()
        for _ in 0..<25 { _ = limit.admit(1, now: self.start) }
        let later = self.start + LogRateLimit.interval * LogRateLimit.burst
        let unlogged = (0..<21).map { _ in limit.admit(1, now: later) }
        #expect(unlogged == [5] + [Int?](repeating: 0, count: 19) + [nil])
    }

    @Test("each message and level has a limit of its own; digits make no difference")
    func keys() {
        let key = LogRateLimit.key(level: .error, message: "The database did not answer in 5.2 s")
        #expect(key == LogRateLimit.key(level: .error, message: "The database did not answer in 31.07 s"))
        #expect(key != LogRateLimit.key(level: .warning, message: "The database did not answer in 5.2 s"))
        #expect(key != LogRateLimit.key(level: .error, message: "The database is read-only"))
    }

    @Test("any number of different messages takes a bounded amount of memory, and each of them is written")
    func messages() {
        var limit = LogRateLimit()
        for key in 0..<(3 * LogRateLimit.maximumMessages) { #expect(limit.admit(key, now: self.start) == 0) }
        #expect(limit.count <= LogRateLimit.maximumMessages)
    }

    @Test("entries with addresses are limited for each address, so one that floods the log does not hide the others")
    func addresses() {
        var limit = LogRateLimit()
        #expect((0..<1000).count { _ in limit.admit(1, from: 7, now: self.start) != nil } == LogRateLimit.burst)
        #expect(limit.admit(1, from: 8, now: self.start) == 0)
        let others = 100..<(100 + 10 * LogRateLimit.maximumMessages)
        let written = others.count { limit.admit(1, from: $0, now: self.start) != nil }
        #expect(written + LogRateLimit.burst + 1 == LogRateLimit.totalBurst)
        #expect(limit.count <= LogRateLimit.maximumMessages + 3)
        let later = self.start + .seconds(60)
        #expect((0..<1000).count { limit.admit(1, from: 20_000 + $0, now: later) != nil } == 60)
        #expect(limit.admit(2, from: 7, now: later) == 0)
    }

    @Test("copies of a logger share the limit, entries below notice have none")
    func handler() {
        let entries = Entries()
        var logger = Logger(label: "test") { _ in RateLimitedLogHandler(Recorder(entries: entries)) }
        var copy = logger
        copy[metadataKey: "role"] = "copy"
        logger.logLevel = .info
        for number in 0..<30 {
            logger.error("Attempt \(number) failed", metadata: ["number": "\(number)"])
            copy.error("Attempt \(number) failed")
            logger.info("Attempt \(number) begins")
            logger.notice("Rejected", metadata: ["address": "\(number % 10)"])
        }
        let written = entries.all.withLock { $0 }
        #expect(written.filter { $0.hasPrefix("error") }.count == LogRateLimit.burst)
        #expect(written.filter { $0.hasPrefix("error") && $0.contains("copy") }.count == LogRateLimit.burst / 2)
        #expect(written.filter { $0.hasPrefix("info") }.count == 30)
        #expect(written.filter { $0.hasPrefix("notice") }.count == 30)
    }
}

private final class Entries: Sendable {
    let all = Mutex<[String]>([])
}

private struct Recorder: LogHandler {
    let entries: Entries
    var metadata: Logger.Metadata = [:]
    var logLevel: Logger.Level = .trace

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { self.metadata[key] }
        set { self.metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        self.entries.all.withLock { $0.append("\(event.level) \(event.message) \(event.metadata ?? [:])") }
    }
}
