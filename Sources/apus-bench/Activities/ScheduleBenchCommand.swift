// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import ArgumentParser
import CommandLineSupport
import Foundation
import Logging
import PushModel
import PushStore
import Scheduling

/// `apus-bench schedule`: the delay of scheduled transitions, and the cost of waiting for them.
struct ScheduleBenchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "schedule",
        abstract: "10,000 transitions due in one second, from their time until their batches are stored."
    )

    @OptionGroup var rounds: RoundsArguments

    @Option(help: "Number of transitions due in one second, each for a different activity.")
    var transitions = 10_000

    @Option(help: "How many transitions are planned for later while a scheduler has nothing to do.")
    var planned = 1_000_000

    @Option(help: "For how many seconds it has nothing to do, without these and with them.")
    var idleSeconds = 20

    @Option(help: "URL of a PostgreSQL server, in which psql creates the store's database. Default: a SQLite file.")
    var storeURL: String?

    private struct Report: Encodable {
        var transitions: Int
        var p50Ms: Double
        var p99Ms: Double
        var lost: Int
        var duplicated: Int
        /// All of them due at the same instant.
        var atOnceP50Ms: Double
        var atOnceP99Ms: Double
        var planned: Int
        /// Milliseconds of processor time in a second.
        var idleCpuMsPerS: Double
        var idleCpuMsPerSWithPlanned: Double
        var roundsP99Ms: [Double]
    }

    func validate() throws {
        try self.check("--transitions", self.transitions, in: 100...100_000)
        try self.check("--planned", self.planned, in: self.transitions...10_000_000)
    }

    func run() async throws {
        let report = try await BenchDirectory.with { directory in
            let population = try ActivityPopulation(count: self.transitions)
            let name = "planned-\(self.transitions)"
            let template = try await StoreTemplate.make(name, in: directory, url: self.storeURL) { store in
                try await population.fill(store)
            }
            var spread: [ScheduleMeasurement] = []
            var atOnce: [ScheduleMeasurement] = []
            for round in 1...self.rounds.count {
                for (isSpread, place) in [(true, "spread"), (false, "at-once")] {
                    let measured = try await template.withCopy(at: "\(directory)/\(place)-\(round)") { store in
                        try await store.open {
                            try await ScheduleMeasurement.run(self.transitions, isSpread: isSpread, in: $0)
                        }
                    }
                    if isSpread { spread.append(measured) } else { atOnce.append(measured) }
                    Console.note("round \(round), \(place): p99 \(measured.milliseconds.value(at: 0.99)) ms")
                }
            }
            let idle = try await template.withCopy(at: "\(directory)/idle") { store in
                try await store.open { store in
                    let without = try await IdleScheduler.cost(of: store, seconds: self.idleSeconds)
                    Console.note("planning \(self.planned) transitions")
                    let each = self.planned / self.transitions
                    try await IdleScheduler.plan(each, forEachOf: self.transitions, in: store)
                    return (without, try await IdleScheduler.cost(of: store, seconds: self.idleSeconds))
                }
            }
            return self.report(spread: spread, atOnce: atOnce, idle: idle)
        }
        if self.rounds.output.json { return try Console.report(report) }
        Console.out("p50 \(report.p50Ms) ms, p99 \(report.p99Ms) ms; \(report.lost) lost, \(report.duplicated) twice")
        Console.out("all at once: p50 \(report.atOnceP50Ms) ms, p99 \(report.atOnceP99Ms) ms")
        Console.out("idle: \(report.idleCpuMsPerS) ms of a second")
        Console.out("with \(report.planned) planned: \(report.idleCpuMsPerSWithPlanned) ms")
    }

    private func report(
        spread: [ScheduleMeasurement],
        atOnce: [ScheduleMeasurement],
        idle: (without: Double, with: Double)
    ) -> Report {
        func median(_ rounds: [ScheduleMeasurement], at share: Double) -> Double {
            rounds.map { $0.milliseconds.value(at: share) }.median.rounded(toPlaces: 1)
        }
        return Report(
            transitions: self.transitions,
            p50Ms: median(spread, at: 0.5),
            p99Ms: median(spread, at: 0.99),
            lost: (spread + atOnce).map(\.lost).reduce(0, +),
            duplicated: (spread + atOnce).map(\.duplicated).reduce(0, +),
            atOnceP50Ms: median(atOnce, at: 0.5),
            atOnceP99Ms: median(atOnce, at: 0.99),
            planned: self.planned / self.transitions * self.transitions,
            idleCpuMsPerS: (1000 * idle.without).rounded(toPlaces: 2),
            idleCpuMsPerSWithPlanned: (1000 * idle.with).rounded(toPlaces: 2),
            roundsP99Ms: spread.map { $0.milliseconds.value(at: 0.99).rounded(toPlaces: 1) }
        )
    }
}

/// The stores that a scheduler requires.
typealias ScheduleStore = ActivityStore & StoreChangeSource & WorkerLiveness

/// Transitions that are due in one second, carried out by a scheduler in this process.
struct ScheduleMeasurement: Sendable {
    /// The time between storing the transitions and the first due time.
    private static let head: TimeInterval = 3

    /// How often it is looked whether anything is left to be carried out.
    private static let look = Duration.milliseconds(50)

    /// From the due time of each until it is stored with the batch of its pushes.
    ///
    /// Unit: milliseconds.
    let milliseconds: Percentiles

    /// The number of missing pushes, according to the timelines.
    let lost: Int

    /// The number of duplicate changes and pushes, according to the timelines.
    let duplicated: Int

    /// Schedules one transition for each ride, and waits until they are completed.
    ///
    /// With `isSpread`, the due times are spread over one second. Otherwise all transitions are due at the same
    /// instant. A transition that is not completed within `patience` after the last due time counts as lost.
    /// - Throws: the errors of the store.
    static func run(
        _ count: Int,
        isSpread: Bool,
        patience: Duration = .seconds(60),
        in store: any ScheduleStore
    ) async throws -> ScheduleMeasurement {
        let app = AppID(unchecked: ActivityPopulation.app)
        let patch = try RawJSONObject(json: #"{"status":"ending"}"#)
        @Sendable
        func plan(_ time: Date, _ number: Int) async throws {
            let id = PushModel.ActivityID(unchecked: ActivityPopulation.name(number))
            let plan = NewTransition(
                key: "ending",
                time: .at(time),
                change: ActivityChange(contentState: .patched(patch))
            )
            _ = try await store.plan([plan], for: id, of: app, now: Date())
        }
        // Later than filling takes; the due time is changed afterwards.
        let far = Date(timeIntervalSinceNow: 3600)
        let began = ContinuousClock.now
        try await ActivityPopulation.each(count) { try await plan(far, $0) }
        let filling = (ContinuousClock.now - began) / .seconds(1)
        let first = Date(timeIntervalSinceNow: (filling * 2 + Self.head).rounded(.up))
        try await ActivityPopulation.each(count) { number in
            try await plan(isSpread ? first.addingTimeInterval(Double(number) / Double(count)) : first, number)
        }
        guard Date() < first else {
            throw CommandError(
                "too_slow",
                "The transitions were due before all of them were stored. Use a faster store or fewer transitions."
            )
        }
        let last = isSpread ? first.addingTimeInterval(1) : first
        let latenesses = await self.latenesses(of: count, dueBy: last, patience, in: store)
        var measured = (lost: 0, duplicated: 0)
        for number in 0..<count {
            let id = PushModel.ActivityID(unchecked: ActivityPopulation.name(number))
            let story = try await store.timeline(of: id, app: app, after: nil, limit: 1000).elements
            let changes = story.filter { $0.kind == .updated && $0.detail == "ending" }
            let pushes = changes.reduce(0) { sum, change in
                sum + change.sendings.reduce(0) { $0 + $1.targets.count }
            }
            if pushes == 0 { measured.lost += 1 }
            measured.duplicated += max(0, changes.count - 1, pushes - 1)
        }
        return ScheduleMeasurement(
            milliseconds: Percentiles(latenesses.map { 1000 * $0 }),
            lost: measured.lost,
            duplicated: measured.duplicated
        )
    }

    /// Runs a scheduler until it has carried out everything, or nothing is left that it would, or patience is at its
    /// end.
    private static func latenesses(
        of count: Int,
        dueBy last: Date,
        _ patience: Duration,
        in store: any ScheduleStore
    ) async -> [TimeInterval] {
        let (reports, report) = AsyncStream.makeStream(of: (TransitionReport, Date).self)
        let scheduler = ActivityScheduler(
            store: store,
            onCarriedOut: { report.yield(($0, Date())) },
            logger: Logger(label: "apus.bench.scheduler")
        )
        return await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await scheduler.run() }
            group.addTask {
                defer { report.finish() }
                try await Task.sleep(for: .seconds(max(0, last.timeIntervalSinceNow)))
                let end = ContinuousClock.now + patience
                while ContinuousClock.now < end {
                    try await Task.sleep(for: self.look)
                    if let next = try await store.nextActivityTime(), next <= Date() { continue }
                    // Wait until the store has published its latest changes.
                    try await Task.sleep(for: self.look * 10)
                    break
                }
            }
            var latenesses: [TimeInterval] = []
            for await (report, stored) in reports {
                latenesses += report.entries.compactMap { $0.transition.dueAt.map(stored.timeIntervalSince) }
                if latenesses.count >= count { break }
            }
            group.cancelAll()
            return latenesses
        }
    }
}

/// A scheduler that has nothing to do.
enum IdleScheduler {
    /// The processor time that it takes of a second.
    static func cost(of store: any ScheduleStore, seconds: Int) async throws -> Double {
        let scheduler = ActivityScheduler(store: store, logger: Logger(label: "apus.bench.scheduler"))
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await scheduler.run() }
            let before = ProcessUsage.current().cpuSeconds
            try await Task.sleep(for: .seconds(seconds))
            let used = ProcessUsage.current().cpuSeconds - before
            group.cancelAll()
            return used / Double(seconds)
        }
    }

    /// Schedules `count` transitions of each ride for a time that is hours away.
    static func plan(_ count: Int, forEachOf rides: Int, in store: any ScheduleStore) async throws {
        let app = AppID(unchecked: ActivityPopulation.app)
        let patch = try RawJSONObject(json: #"{"status":"ending"}"#)
        let start = Date(timeIntervalSinceNow: 6 * 3600)
        try await ActivityPopulation.each(rides) { number in
            let plans = (0..<count).map { place in
                NewTransition(
                    key: TransitionKey(unchecked: "change-\(place)"),
                    time: .at(start.addingTimeInterval(Double(place))),
                    change: ActivityChange(contentState: .patched(patch))
                )
            }
            let id = PushModel.ActivityID(unchecked: ActivityPopulation.name(number))
            guard try await store.plan(plans, for: id, of: app, now: Date()) != nil else {
                throw CommandError("bad_run", "The store has no activity '\(id)'.")
            }
        }
    }
}
