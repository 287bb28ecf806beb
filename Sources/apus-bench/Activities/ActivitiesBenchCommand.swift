// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNsSimulator
import ArgumentParser
import CommandLineSupport
import Foundation
import PushModel

/// `apus-bench activities`: an update of each of 100,000 running activities, in calls of 1,000.
struct ActivitiesBenchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "activities",
        abstract: "One update of each of 100,000 running Live Activities, until the last outcome is settled."
    )

    /// How many updates of each activity follow upon one another where it is only looked at the order.
    private static let burst = 3

    @OptionGroup var rounds: RoundsArguments

    @Option(help: "How many activities run.")
    var activities = 100_000

    @Option(help: "URL of a PostgreSQL server, in which psql creates the store's database. Default: a SQLite file.")
    var storeURL: String?

    private struct Round {
        let seconds: Double
        let cpuSeconds: Double
        let peakMebibytes: Double
        let burstSent: Int
        let late: Int
        let missing: Int
    }

    private struct Report: Encodable {
        var activities: Int
        var seconds: Double
        var perS: Double
        var cpuUs: Double
        var rssMb: Double
        var inOrder: Bool
        var missing: Int
        var burstUpdates: Int
        var burstSent: Int
        var roundsSeconds: [Double]
    }

    func validate() throws { try self.check("--activities", self.activities, in: 1000...10_000_000) }

    func run() async throws {
        let population = try ActivityPopulation(count: self.activities)
        let rounds = try await BenchDirectory.with { directory in
            let prepared = try await StoreTemplate.make("rides-\(self.activities)", in: directory, url: self.storeURL) {
                try await population.fill($0)
            }
            return try await self.rounds.measure { number in
                let round = try await ActivityBenchmarkEnvironment.with(prepared, population) {
                    try await self.measure($0)
                }
                Console.note("round \(number): \(round.seconds.rounded(toPlaces: 2)) s")
                return round
            }
        }
        let seconds = rounds.map(\.seconds).median
        try self.tell(
            Report(
                activities: self.activities,
                seconds: seconds.rounded(toPlaces: 2),
                perS: (Double(self.activities) / seconds).rounded(),
                cpuUs: (rounds.map(\.cpuSeconds).median * 1e6 / Double(self.activities)).rounded(toPlaces: 1),
                rssMb: (rounds.map(\.peakMebibytes).max() ?? 0).rounded(toPlaces: 1),
                inOrder: rounds.allSatisfy { $0.late == 0 },
                missing: rounds.map(\.missing).max() ?? 0,
                burstUpdates: Self.burst * self.activities,
                burstSent: Int(rounds.map { Double($0.burstSent) }.median),
                roundsSeconds: rounds.map { $0.seconds.rounded(toPlaces: 2) }
            )
        )
    }

    private func tell(_ report: Report) throws {
        if self.rounds.output.json { return try Console.report(report) }
        Console.out("activities  \(report.activities) updates in \(report.seconds) s, \(Int(report.perS))/s")
        Console.out("phones      \(report.inOrder ? "in order" : "NOT in order"), \(report.missing) missed")
        Console.out("server      \(report.rssMb) MiB at most, \(report.cpuUs) us CPU each")
    }

    private func measure(_ stage: ActivityBenchmarkEnvironment) async throws -> Round {
        let feed = stage.simulator.deliveries()
        let bodies = UpdateMeasurement.bodies(rides: self.activities, update: 1)
        let cpu = ProcessTable.processorSeconds(of: stage.server)
        let measured = try await UpdateMeasurement.run(bodies, updates: self.activities, on: stage.api)
        let used = ProcessTable.processorSeconds(of: stage.server) - cpu
        // Now faster than it can be sent, so that much of it is overtaken.
        var sent = 0
        for update in 2..<2 + Self.burst {
            let bodies = UpdateMeasurement.bodies(rides: self.activities, update: update)
            sent += try await UpdateMeasurement.run(bodies, updates: self.activities, on: stage.api).sent
        }
        let arrivals = await self.arrivals(feed, until: stage.simulator)
        return Round(
            seconds: measured.seconds,
            cpuSeconds: used,
            peakMebibytes: ProcessTable.peakMebibytes(of: stage.server),
            burstSent: sent,
            late: arrivals.late,
            missing: self.activities - arrivals.phones
        )
    }

    /// Reads the deliveries so far.
    private func arrivals(_ feed: AsyncStream<Delivery>, until simulator: APNsSimulator) async -> ActivityDeliveries {
        var arrivals = ActivityDeliveries()
        let count = simulator.statistics.delivered
        for await arrival in feed {
            arrivals.take(arrival)
            if arrivals.count >= count { break }
        }
        return arrivals
    }
}

/// Updates of rides through the API, until the last outcome is settled.
struct UpdateMeasurement: Sendable {
    /// How many calls are under way at a time: the next is read while one is stored.
    private static let callsAtOnce = 2

    /// The number of updates per call.
    ///
    /// With the maximum, most outcomes would wait until the last update is stored. With fewer, the outcomes of one call
    /// are settled before the next.
    private static let updatesAtOnce = 1000

    let seconds: Double

    /// The number of updates that were sent.
    let sent: Int

    private struct Answer: Decodable {
        struct Result: Decodable {
            struct Update: Decodable {
                let sent: Int
            }

            let result: Update?
        }

        let results: [Result]
    }

    private struct Progress: Decodable {
        let remaining: Int
    }

    /// Creates the bodies of the calls that update every ride once.
    static func bodies(rides: Int, update: Int) -> [Data] {
        stride(from: 0, to: rides, by: self.updatesAtOnce).map { start in
            let changes = (start..<min(start + self.updatesAtOnce, rides)).map { number in
                let state = #"{"fee":\#(100 + update),"meters":\#(number % 10_000),"seconds":\#(60 * update)}"#
                return #"{"activity":"\#(ActivityPopulation.name(number))","contentState":\#(state)}"#
            }
            return Data(#"{"changes":[\#(changes.joined(separator: ","))]}"#.utf8)
        }
    }

    /// Sends calls, and waits until everything that they sent is settled.
    ///
    /// - Throws: ``CommandError`` `.bad_run` when an update was refused.
    static func run(_ bodies: [Data], updates: Int, on api: APIClient) async throws -> UpdateMeasurement {
        let path = "/v1/apps/\(ActivityPopulation.app)/activities:batchUpdate"
        let start = ContinuousClock.now
        let answers = try await withThrowingTaskGroup(of: APIResponse.self) { group in
            var answers: [APIResponse] = []
            for (place, body) in bodies.enumerated() {
                if place >= self.callsAtOnce, let answer = try await group.next() { answers.append(answer) }
                group.addTask { try await api.call(.post, path, body: body) }
            }
            for try await answer in group { answers.append(answer) }
            return answers
        }
        for id in Set(answers.compactMap { Self.notification(in: $0.body) }) {
            let path = "/v1/apps/\(ActivityPopulation.app)/notifications/\(id)"
            while true {
                let progress: Progress = try await api.call(.get, path).decoded()
                if progress.remaining == 0 { break }
                try await Task.sleep(for: .milliseconds(5))
            }
        }
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        let results = try answers.flatMap { try $0.decoded(as: Answer.self).results }
        guard results.count == updates, results.allSatisfy({ $0.result != nil }) else {
            throw CommandError("bad_run", "Of \(updates) updates \(results.count { $0.result != nil }) were taken.")
        }
        return UpdateMeasurement(seconds: seconds, sent: results.reduce(0) { $0 + ($1.result?.sent ?? 0) })
    }

    /// Returns the ID of the notification that a call created, one for all of its updates.
    ///
    /// Parsing the whole response would change the measured time.
    private static func notification(in answer: Data) -> String? {
        guard let name = answer.range(of: Data(#""notification":""#.utf8)) else { return nil }
        return String(decoding: answer[name.upperBound...].prefix { $0 != UInt8(ascii: "\"") }, as: UTF8.self)
    }
}

/// The deliveries to the devices of rides.
struct ActivityDeliveries: Sendable {
    private var timestamps: [VirtualDeviceID: Int64] = [:]

    /// How many pushes have arrived.
    private(set) var count = 0

    /// The number of deliveries whose `timestamp` was not greater than that of the previous one on the same device.
    private(set) var late = 0

    /// The number of devices with a delivery.
    var phones: Int { self.timestamps.count }

    mutating func take(_ arrival: Delivery) {
        self.count += 1
        let timestamp = Self.timestamp(arrival.notification.payload)
        let last = self.timestamps.updateValue(timestamp, forKey: arrival.device)
        if let last, last >= timestamp { self.late += 1 }
    }

    /// Reads `"timestamp":N` without reading the rest: there are very many.
    private static func timestamp(_ payload: [UInt8]) -> Int64 {
        let name = Array(#""timestamp":"#.utf8)
        var place = payload.startIndex
        while place + name.count < payload.endIndex, !payload[place...].starts(with: name) { place += 1 }
        var value: Int64 = 0
        for byte in payload.dropFirst(place + name.count) {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { break }
            value = value * 10 + Int64(byte - UInt8(ascii: "0"))
        }
        return value
    }
}
