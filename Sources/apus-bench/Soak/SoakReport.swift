// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import CommandLineSupport
import Synchronization

/// The report of a soak.
struct SoakReport: Encodable {
    let seed: UInt64
    let minutes: Double
    let store: String
    let accepted: Int
    let delivered: Int
    let otherOutcomes: [String: Int]
    let lost: Int
    let twiceAccepted: Int
    let duplicates: Int
    let faults: [String: Int]
    let strikes: [String: Int]
    let restarts: Int
    let retries: Int
    let rssMb: [String: ProcessMemorySamples.Life]
    /// Whether no process's memory grew; `nil` if no process ran long enough to measure it.
    let flat: Bool?
    let breaches: [String]
    let ok: Bool

    init(
        _ configuration: SoakConfiguration,
        account: SoakAudit.Account,
        record: SoakLog.State,
        memory: [String: ProcessMemorySamples.Life]
    ) {
        self.seed = configuration.seed
        self.minutes = configuration.minutes
        self.store = configuration.storeName
        self.accepted = account.accepted
        self.delivered = account.delivered
        self.otherOutcomes = account.others
        self.lost = account.lost
        self.twiceAccepted = account.acceptedTwice
        self.duplicates = account.duplicates
        self.faults = record.faults
        self.strikes = record.strikes
        self.restarts = record.restarts
        self.retries = record.retries
        self.rssMb = memory
        self.flat = memory.isEmpty ? nil : memory.values.allSatisfy(\.isFlat)
        self.breaches = record.breaches
        self.ok = record.breachCount == 0 && account.lost == 0 && account.acceptedTwice == 0 && self.flat != false
    }

    /// The report for human readers.
    var lines: [String] {
        var table = TextTable(heading: "soak", "\(self.minutes) min on \(self.store), seed \(self.seed)")
        table.add("accepted", "\(self.accepted)")
        table.add("delivered", "\(self.delivered)")
        for (outcome, count) in self.otherOutcomes.sorted(by: { $0.key < $1.key }) { table.add(outcome, "\(count)") }
        table.add("lost", "\(self.lost)")
        table.add("accepted twice", "\(self.twiceAccepted)")
        table.add("duplicates", "\(self.duplicates), each under its one apns-id")
        table.add("retries", "\(self.retries)")
        table.add("restarts", "\(self.restarts)")
        for (kind, count) in self.faults.sorted(by: { $0.key < $1.key }) { table.add(kind, "\(count)") }
        for (name, life) in self.rssMb.sorted(by: { $0.key < $1.key }) {
            let verdict = life.isFlat ? "flat" : "GROWS"
            let medians = "\(life.secondQuarter) MiB, then \(life.lastQuarter) MiB"
            table.add("memory of \(name)", "\(medians) in \(life.samples) samples: \(verdict)")
        }
        return table.lines + self.breaches.map { "WRONG: \($0)" } + [self.ok ? "ok" : "FAILED"]
    }
}

/// The state and the breaches of a running soak; prints breaches immediately.
final class SoakLog: Sendable {
    /// The maximum number of printed breaches; further ones are only counted.
    private static let toldBreaches = 50

    struct State: Sendable {
        /// The descriptions of breaches.
        var breaches: [String] = []
        var breachCount = 0
        var faults: [String: Int] = [:]
        /// How many requests the faults of each kind have struck.
        var strikes: [String: Int] = [:]
        var restarts = 0
        /// The number of requests that were repeated because the first attempt had no successful response.
        var retries = 0
        /// Targets that the server said it has accepted.
        var accepted = 0
        var acceptedTwice = 0
        /// The IDs of single notifications from responses.
        var singles: Set<String> = []
        /// The number of deliveries.
        var arrivals = 0
    }

    private let state = Mutex(State())
    private let start = ContinuousClock.now
    private let line = ProgressLine.standardError()

    var now: State { self.state.withLock { $0 } }

    func change(_ body: (inout State) -> Void) { self.state.withLock { body(&$0) } }

    func breach(_ text: String) {
        let count = self.state.withLock { state in
            state.breachCount += 1
            if state.breaches.count < Self.toldBreaches { state.breaches.append(text) }
            return state.breachCount
        }
        if count <= Self.toldBreaches { self.say("WRONG: \(text)") }
    }

    func say(_ text: String) {
        self.line.clear()
        Console.note("\(self.time)  \(text)")
    }

    /// Prints the progress: on a terminal by replacing one line, otherwise at intervals.
    func showProgress(second: Int) {
        let state = self.now
        let text =
            "\(state.accepted) accepted, \(state.arrivals) arrived, \(state.faults.values.reduce(0, +)) faults, "
            + "\(state.restarts) restarts, \(state.breachCount) wrong"
        if self.line.isTerminal { return self.line.show("\(self.time)  \(text)") }
        if second.isMultiple(of: 15) { self.say(text) }
    }

    private var time: String {
        let tenths = Int((ContinuousClock.now - self.start) / .milliseconds(100))
        let text = "\(tenths / 10).\(tenths % 10) s"
        return String(repeating: " ", count: max(0, 8 - text.count)) + text
    }
}

/// How much memory each process has had in each of its lives, second by second.
final class ProcessMemorySamples: Sendable {
    /// The measured values of one run of a process.
    struct Life: Encodable, Equatable {
        /// How many samples there are, about one a second.
        var samples: Int
        /// The medians of its second and its last quarter, in MiB: the first quarter is for getting warm.
        var secondQuarter: Double
        var lastQuarter: Double
        /// Whether the last is no larger than noise explains.
        var isFlat: Bool

        private enum CodingKeys: String, CodingKey {
            case samples, secondQuarter, lastQuarter
            case isFlat = "flat"
        }

        init(samples: [Double]) {
            let quarter = samples.count / 4
            self.samples = samples.count
            self.secondQuarter = samples.dropFirst(quarter).prefix(quarter).median.rounded(toPlaces: 1)
            self.lastQuarter = samples.suffix(quarter).median.rounded(toPlaces: 1)
            self.isFlat = self.lastQuarter <= 1.25 * self.secondQuarter + 8
        }
    }

    /// A life of fewer samples is still getting warm in its second quarter.
    private static let judgedSamples = 100

    private let samples = Mutex<[String: [Double]]>([:])

    /// Takes one sample of each process that is up.
    func sample(_ fleet: SoakProcesses) {
        for process in fleet.all {
            guard let (life, processID) = process.standing else { continue }
            let size = ProcessTable.residentMebibytes(of: processID)
            // It has ended, or the system has no such table.
            guard size > 0 else { continue }
            let name = life == 1 ? process.name : "\(process.name)#\(life)"
            self.samples.withLock { $0[name, default: []].append(size) }
        }
    }

    /// The values of each run that was long enough, by the name of the process and the number of the run.
    var lives: [String: Life] {
        self.samples.withLock { samples in
            samples.filter { $0.value.count >= Self.judgedSamples }.mapValues { Life(samples: $0) }
        }
    }
}
