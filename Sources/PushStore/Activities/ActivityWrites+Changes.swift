// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
package import Foundation
package import PushModel

extension ActivityWrites {
    mutating func change(_ changes: [ActivityChange], on snapshot: ActivitySnapshot) {
        var last: Int?
        for change in changes {
            do throws(ActivityRefusal) {
                let entry = try self.change(change, on: snapshot)
                last = entry ?? last
                self.outcomes.append(.success(entry))
            } catch {
                self.outcomes.append(.failure(error))
            }
        }
        self.skipScheduled()
        // An activity that changed twice is sent once; the last entry counts its pushes.
        if let last { self.send(entry: last, on: snapshot) }
    }

    /// Makes a change; returns its entry, `nil` if devices do not show it.
    private mutating func change(
        _ change: ActivityChange,
        on snapshot: ActivitySnapshot
    ) throws(ActivityRefusal) -> Int? {
        if snapshot.isSchemaCorrupt, change.contentState != nil { throw .damaged }
        try self.plan?.check(change)
        try snapshot.costs?.check(change)
        let isVisible = try self.row.lifecycle.apply(
            [change],
            fixedBytes: self.row.fixedBytes,
            schema: snapshot.schema,
            now: self.now
        )
        self.isChanged = true
        if let moved = self.plan?.move(change, now: self.now) { self.note(.instantsMoved, detail: moved) }
        guard isVisible else { return nil }
        return self.note(self.row.lifecycle.state == .ended ? .ended : .updated, telling: [change])
    }

    mutating func runDue(on snapshot: ActivitySnapshot) {
        self.isChanged = true
        if self.row.lifecycle.expire(isPlanned: self.row.isPlanned, now: self.now) {
            self.note(.expired)
            return self.skipScheduled()
        }
        var visible: Int?
        let due = self.plan?.due(by: self.now) ?? []
        steps: for step in TransitionRound(due: due, now: self.now).steps {
            switch step {
            case .leaveOut(let transition):
                self.skip(
                    [transition],
                    because: transition.isReadable ? "it was missed" : "what was planned cannot be read"
                )
            case .carryOut(let transitions):
                visible = self.execute(transitions, on: snapshot)
                break steps
            }
        }
        self.skipScheduled()
        if let visible { self.send(entry: visible, on: snapshot) }
    }

    /// Makes scheduled changes as one; a refused change is skipped, and does not prevent the others.
    private mutating func execute(_ transitions: [ActivityTransition], on snapshot: ActivitySnapshot) -> Int? {
        var isVisible = false
        var made: [ActivityTransition] = []
        // All at once, because one may make another valid; one after the other only if that is refused.
        let attempts = transitions.count > 1 ? [transitions] + transitions.map { [$0] } : [transitions]
        for attempt in attempts where made.count < transitions.count {
            do throws(ActivityRefusal) {
                for transition in attempt { try snapshot.costs?.check(transition.change) }
                // Changes nothing if it throws.
                let isShown = try self.row.lifecycle.apply(
                    attempt.map(\.change),
                    fixedBytes: self.row.fixedBytes,
                    schema: snapshot.schema,
                    now: self.now
                )
                isVisible = isVisible || isShown
                made += attempt
            } catch {
                if attempt.count == 1 { self.skip(attempt, because: error.message) }
            }
        }
        guard !made.isEmpty else { return nil }
        self.plan?.finish(made.map(\.key), as: .done, now: self.now)
        let kind: TimelineEntry.Kind = self.row.lifecycle.state == .ended ? .ended : .updated
        let entry = self.note(kind, detail: Self.names(made.map(\.key)), telling: made.map(\.change))
        return isVisible ? entry : nil
    }

    private mutating func skip(_ transitions: [ActivityTransition], because reason: String) {
        let keys = transitions.map(\.key)
        self.plan?.finish(keys, as: .skipped, now: self.now)
        self.note(.transitionSkipped, detail: "\(Self.names(keys)): \(reason)")
    }

    /// Skips the scheduled transitions of an activity that is over.
    private mutating func skipScheduled() {
        guard self.row.lifecycle.state.isOver, let left = self.plan?.keys, !left.isEmpty else { return }
        self.plan?.finish(left, as: .skipped, now: self.now)
        self.note(.transitionSkipped, detail: Self.names(left) + ": the activity is over")
    }

    mutating func schedule(_ plans: [TransitionPlan], on snapshot: ActivitySnapshot) {
        do throws(ActivityRefusal) {
            if self.row.lifecycle.state.isOver { throw .over }
            if let schema = snapshot.schema {
                for plan in plans { try self.row.lifecycle.check(planned: plan.change, schema: schema) }
            }
            var plan = self.plan ?? ActivityPlan()
            let scheduled = plan.add(plans, now: self.now)
            guard plan.count <= ActivityLimit.transitions else {
                throw .tooMany("planned transitions", limit: ActivityLimit.transitions)
            }
            self.plan = plan
            self.planning = .planned(scheduled)
            self.note(.transitionPlanned, detail: Self.names(scheduled.map(\.key)))
        } catch {
            self.planning = .refused(error)
        }
    }

    mutating func unschedule(_ keys: [TransitionKey]?) {
        let known = self.plan?.keys ?? []
        let cancelled = keys.map { keys in known.filter { keys.contains($0) } } ?? known
        guard !cancelled.isEmpty else { return }
        self.plan?.finish(cancelled, as: .withdrawn, now: self.now)
        self.note(.transitionWithdrawn, detail: Self.names(cancelled))
    }

    /// Sets the time of the next transition.
    mutating func updateSchedule() {
        guard let plan, self.row.transitionDueAt != plan.nextDueAt else { return }
        self.row.transitionDueAt = plan.nextDueAt
        self.isChanged = true
    }

    private static func names(_ keys: [TransitionKey]) -> String { keys.map(\.rawValue).joined(separator: ", ") }
}

/// The instants and scheduled transitions of an activity, and their changes.
package struct ActivityPlan: Sendable {
    package private(set) var instants: [InstantName: Date] = [:]
    package private(set) var isMoved = false
    /// The transitions that ended, in their order.
    package private(set) var ended: [ActivityTransition] = []
    private var scheduled: [TransitionKey: ActivityTransition] = [:]
    private var changedKeys: Set<TransitionKey> = []

    package init(instants: [InstantName: Date] = [:]) { self.instants = instants }

    /// Adds a stored transition. Keys with different bytes can be equal: "é" is one character or two. The first one counts.
    package mutating func load(_ transition: ActivityTransition) {
        if self.scheduled[transition.key] == nil { self.scheduled[transition.key] = transition }
    }

    package var changed: [ActivityTransition] { self.changedKeys.sorted().compactMap { self.scheduled[$0] } }

    package func due(by time: Date) -> [ActivityTransition] {
        self.scheduled.values.filter { transition in transition.dueAt.map { $0 <= time } ?? false }
    }

    var count: Int { self.scheduled.count }

    var keys: [TransitionKey] { self.scheduled.keys.sorted() }

    var nextDueAt: Date? { self.scheduled.values.lazy.compactMap(\.dueAt).min() }

    /// Checks that an activity has not too many instants after a change.
    func check(_ change: ActivityChange) throws(ActivityRefusal) {
        guard change.instants.isEmpty || self.instants(after: change).count <= ActivityLimit.instants else {
            throw .tooMany("named instants", limit: ActivityLimit.instants)
        }
    }

    /// Moves instants, and the transitions that are scheduled relative to them; returns the names of both.
    mutating func move(_ change: ActivityChange, now: Date) -> String? {
        let instants = self.instants(after: change)
        guard instants != self.instants else { return nil }
        self.instants = instants
        self.isMoved = true
        var moved: [TransitionKey] = []
        for (key, var transition) in self.scheduled where transition.move(to: instants, now: now) {
            self.set(transition)
            moved.append(key)
        }
        return (change.instants.keys.sorted().map(\.rawValue) + moved.sorted().map(\.rawValue)).joined(separator: ", ")
    }

    mutating func add(_ plans: [TransitionPlan], now: Date) -> [ActivityTransition] {
        plans.map { plan in
            let transition = ActivityTransition(plan, instants: self.instants, now: now)
            self.set(transition)
            return transition
        }
    }

    mutating func finish(_ keys: [TransitionKey], as state: ActivityTransition.State, now: Date) {
        for key in keys {
            guard var transition = self.scheduled.removeValue(forKey: key) else { continue }
            transition.finish(as: state, now: now)
            self.ended.append(transition)
        }
    }

    private mutating func set(_ transition: ActivityTransition) {
        self.scheduled[transition.key] = transition
        self.changedKeys.insert(transition.key)
    }

    /// The instants after a change, which removes those without a time.
    private func instants(after change: ActivityChange) -> [InstantName: Date] {
        var instants = self.instants
        for (name, time) in change.instants { instants[name] = time }
        return instants
    }
}
