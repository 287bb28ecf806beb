// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import PushModel

/// In which order changes are made: a value without a database.
///
/// Those that wait in a lane share one commit. Urgent ones go first; but after each of their commits those of the bulk
/// lane have one, so that they never wait for ever.
struct WriteTurns<Job> {
    /// The most urgent changes that share one commit.
    static var maximumUrgent: Int { 256 }

    /// The most bulk changes that share one commit: few enough that an urgent one waits only for a moment.
    static var maximumBulk: Int { 4 }

    private var urgent: [Job] = []
    private var bulk: [Job] = []
    private var isTurnOfBulk = false

    /// Whether nothing waits.
    var isEmpty: Bool { self.urgent.isEmpty && self.bulk.isEmpty }

    /// Adds a change behind those of its lane.
    mutating func append(_ job: Job, in lane: Lane) {
        switch lane {
        case .urgent: self.urgent.append(job)
        case .bulk: self.bulk.append(job)
        }
    }

    /// Takes the changes of the next commit.
    ///
    /// - Returns: changes of one lane in their order; none when nothing waits.
    mutating func next() -> [Job] {
        let isBulk = self.urgent.isEmpty || (self.isTurnOfBulk && !self.bulk.isEmpty)
        self.isTurnOfBulk = !isBulk
        return isBulk
            ? Self.take(Self.maximumBulk, from: &self.bulk) : Self.take(Self.maximumUrgent, from: &self.urgent)
    }

    private static func take(_ count: Int, from jobs: inout [Job]) -> [Job] {
        let taken = Array(jobs.prefix(count))
        jobs.removeFirst(taken.count)
        return taken
    }
}
