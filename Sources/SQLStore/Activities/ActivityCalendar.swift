// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import PushModel
import PushStore

/// The instants and planned transitions of activities, and their changes.
struct ActivityCalendar: Sendable {
    private var instants: [Int64: [InstantName: Date]] = [:]
    private var planned: [Int64: [TransitionKey: ActivityTransition]] = [:]
    private var movedInstants: Set<Int64> = []
    private var changed: [Int64: Set<TransitionKey>] = [:]

    private(set) var ended: [(activity: Int64, transition: ActivityTransition)] = []

    init(_ activities: Set<Int64>, on executor: some SQLExecutor) throws {
        guard !activities.isEmpty else { return }
        let numbers = activities.sorted()
        self.instants = try executor.instants(ofActivities: numbers)
        try self.load(numbers, on: executor)
    }

    private mutating func load(_ numbers: [Int64], on executor: some SQLExecutor) throws {
        for number in numbers { self.planned[number] = [:] }
        try executor.each(
            "SELECT * FROM activity_transitions WHERE activity \(each: numbers) AND state = 0 ORDER BY key"
        ) { row in
            let number = try row.int64("activity")
            let transition = try ActivityTransition(stored: row)
            // Keys that differ in their bytes may be equal: "é" is one character or two. The first one counts.
            if self.planned[number]?[transition.key] == nil { self.planned[number]?[transition.key] = transition }
        }
    }

    /// Makes sure that an activity has not too many instants after a change.
    func check(_ change: ActivityChange, ofActivity number: Int64) throws(ActivityRefusal) {
        let count = change.instants(of: self.instants[number] ?? [:]).count
        guard change.instants.isEmpty || count <= ActivityLimit.instants else {
            throw .tooMany("named instants", limit: ActivityLimit.instants)
        }
    }

    /// Moves instants, and with them what is planned relative to them.
    mutating func move(_ change: ActivityChange, ofActivity number: Int64, in round: inout ActivityRound) {
        let former = self.instants[number] ?? [:]
        let instants = change.instants(of: former)
        guard instants != former else { return }
        self.instants[number] = instants
        self.movedInstants.insert(number)
        var moved: [TransitionKey] = []
        for (key, var transition) in self.planned[number] ?? [:] {
            guard transition.move(to: instants, now: round.now) else { continue }
            self.set(transition, ofActivity: number)
            moved.append(key)
        }
        let names = change.instants.keys.sorted().map(\.rawValue) + moved.sorted().map(\.rawValue)
        round.note(.instantsMoved, of: number, detail: names.joined(separator: ", "))
    }

    /// Skips what is planned of activities that are over now.
    mutating func close(over candidates: [Int64], in round: inout ActivityRound, on executor: some SQLExecutor) throws {
        let over = Set(candidates).filter { round.rows[$0]?.lifecycle.state.isOver == true }
        if over.isEmpty { return }
        let unknown = over.filter { self.planned[$0] == nil }
        if !unknown.isEmpty { try self.load(unknown.sorted(), on: executor) }
        for number in over {
            let left = self.keys(ofActivity: number)
            self.finish(left, as: .skipped, ofActivity: number, now: round.now)
            guard !left.isEmpty else { continue }
            let detail = left.map(\.rawValue).joined(separator: ", ")
            round.note(.transitionSkipped, of: number, detail: detail + ": the activity is over")
        }
    }

    /// Takes transitions in that are planned, each in the place of one of its name.
    mutating func plan(_ plans: [TransitionPlan], ofActivity number: Int64, now: Date) -> [ActivityTransition] {
        plans.map { plan in
            let transition = ActivityTransition(plan, instants: self.instants[number] ?? [:], now: now)
            self.set(transition, ofActivity: number)
            return transition
        }
    }

    func due(ofActivity number: Int64, by time: Date) -> [ActivityTransition] {
        (self.planned[number] ?? [:]).values.filter { transition in transition.dueAt.map { $0 <= time } ?? false }
    }

    func count(ofActivity number: Int64) -> Int { self.planned[number]?.count ?? 0 }

    func keys(ofActivity number: Int64) -> [TransitionKey] { (self.planned[number] ?? [:]).keys.sorted() }

    mutating func finish(
        _ keys: [TransitionKey],
        as state: ActivityTransition.State,
        ofActivity number: Int64,
        now: Date
    ) {
        for key in keys {
            guard var transition = self.planned[number]?.removeValue(forKey: key) else { continue }
            transition.finish(as: state, now: now)
            self.ended.append((number, transition))
        }
    }

    private mutating func set(_ transition: ActivityTransition, ofActivity number: Int64) {
        self.planned[number, default: [:]][transition.key] = transition
        self.changed[number, default: []].insert(transition.key)
    }

    /// Writes the changes, and sets the time at which each activity is due next.
    func write(in round: inout ActivityRound, on transaction: SQLTransaction) throws {
        for number in self.movedInstants.sorted() {
            try transaction.write(self.instants[number] ?? [:], ofActivity: number)
        }
        var transitions: [(activity: Int64, transition: ActivityTransition)] = []
        for (number, keys) in self.changed.sorted(by: { $0.key < $1.key }) {
            transitions += keys.sorted().compactMap { key in self.planned[number]?[key].map { (number, $0) } }
        }
        if !transitions.isEmpty { try transaction.write(transitions) }
        if !self.ended.isEmpty { try transaction.end(self.ended) }
        self.schedule(in: &round)
        if !self.changed.isEmpty { transaction.signal(.activitiesDue) }
    }

    /// Notes with each activity when its next transition is due.
    func schedule(in round: inout ActivityRound) {
        for (number, planned) in self.planned {
            guard var row = round.rows[number] else { continue }
            row.transitionDueAt = planned.values.compactMap(\.dueAt).min()
            round.set(row)
        }
    }
}

extension ActivityChange {
    /// The instants after the change, which removes those without a time.
    fileprivate func instants(of former: [InstantName: Date]) -> [InstantName: Date] {
        var instants = former
        for (name, time) in self.instants { instants[name] = time }
        return instants
    }
}
