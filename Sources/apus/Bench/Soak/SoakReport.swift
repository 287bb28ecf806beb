// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// What a soak came to.
struct SoakReport: Encodable {
    let seed: UInt64
    let minutes: Double
    let store: String
    let accepted: Int
    let delivered: Int
    let otherOutcomes: [String: Int]
    let lost: Int
    let acceptedTwice: Int
    let duplicates: Int
    let faults: [String: Int]
    let strikes: [String: Int]
    let restarts: Int
    let retries: Int
    let memory: [String: MemoryLives.Life]
    /// Whether no memory grew; `nil` where no process lived long enough to tell.
    let isFlat: Bool?
    let breaches: [String]
    let isFlawless: Bool

    private enum CodingKeys: String, CodingKey {
        case seed, minutes, store, accepted, delivered, lost, duplicates, faults, strikes, restarts, retries, breaches
        case otherOutcomes = "other_outcomes"
        case acceptedTwice = "twice_accepted"
        case memory = "rss_mb"
        case isFlat = "flat"
        case isFlawless = "ok"
    }

    init(
        _ configuration: SoakConfiguration,
        account: SoakAudit.Account,
        record: SoakRecord.State,
        memory: [String: MemoryLives.Life]
    ) {
        self.seed = configuration.seed
        self.minutes = configuration.minutes
        self.store = configuration.storeName
        self.accepted = account.accepted
        self.delivered = account.delivered
        self.otherOutcomes = account.others
        self.lost = account.lost
        self.acceptedTwice = account.acceptedTwice
        self.duplicates = account.duplicates
        self.faults = record.faults
        self.strikes = record.strikes
        self.restarts = record.restarts
        self.retries = record.retries
        self.memory = memory
        self.isFlat = memory.isEmpty ? nil : memory.values.allSatisfy(\.isFlat)
        self.breaches = record.breaches
        self.isFlawless =
            record.breachCount == 0 && account.lost == 0 && account.acceptedTwice == 0 && self.isFlat != false
    }

    /// The report for people.
    var lines: [String] {
        var table = TextTable(heading: "soak", "\(self.minutes) min on \(self.store), seed \(self.seed)")
        table.add("accepted", "\(self.accepted)")
        table.add("delivered", "\(self.delivered)")
        for (outcome, count) in self.otherOutcomes.sorted(by: { $0.key < $1.key }) { table.add(outcome, "\(count)") }
        table.add("lost", "\(self.lost)")
        table.add("accepted twice", "\(self.acceptedTwice)")
        table.add("duplicates", "\(self.duplicates), each under its one apns-id")
        table.add("retries", "\(self.retries)")
        table.add("restarts", "\(self.restarts)")
        for (kind, count) in self.faults.sorted(by: { $0.key < $1.key }) { table.add(kind, "\(count)") }
        for (name, life) in self.memory.sorted(by: { $0.key < $1.key }) {
            let verdict = life.isFlat ? "flat" : "GROWS"
            let medians = "\(life.secondQuarter) MiB, then \(life.lastQuarter) MiB"
            table.add("memory of \(name)", "\(medians) in \(life.samples) samples: \(verdict)")
        }
        return table.lines + self.breaches.map { "WRONG: \($0)" } + [self.isFlawless ? "ok" : "FAILED"]
    }
}
