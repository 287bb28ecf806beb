// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import PushModel

extension ActivityWrites {
    mutating func change(_ changes: [ActivityChange], on snapshot: ActivitySnapshot) {
        var last: Int?
        for change in changes {
            do throws(ActivityError) {
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
    ) throws(ActivityError) -> Int? {
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
        if let moved = self.plan?.move(change, now: self.now) { self.note(.instantsChanged, detail: moved) }
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
        steps: for step in DueTransitions(due: due, now: self.now).steps {
            switch step {
            case .leaveOut(let transition):
                let reason = transition.isReadable ? "it was missed" : "the stored transition is corrupt"
                self.skip([transition.key], because: reason)
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
            do throws(ActivityError) {
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
                if attempt.count == 1 { self.skip(attempt.map(\.key), because: error.message) }
            }
        }
        guard !made.isEmpty else { return nil }
        self.plan?.finish(made.map(\.key), as: .completed, now: self.now)
        let kind: TimelineEntry.Kind = self.row.lifecycle.state == .ended ? .ended : .updated
        let entry = self.note(kind, detail: Self.names(made.map(\.key)), telling: made.map(\.change))
        return isVisible ? entry : nil
    }

    private mutating func skip(_ keys: [TransitionKey], because reason: String) {
        self.plan?.finish(keys, as: .skipped, now: self.now)
        self.note(.transitionSkipped, detail: "\(Self.names(keys)): \(reason)")
    }

    /// Skips the scheduled transitions of an activity that is over.
    private mutating func skipScheduled() {
        guard self.row.lifecycle.state.isOver, let left = self.plan?.keys, !left.isEmpty else { return }
        self.skip(left, because: "the activity is over")
    }

    mutating func schedule(_ plans: [NewTransition], on snapshot: ActivitySnapshot) throws(ActivityError) {
        if self.row.lifecycle.state.isOver { throw .over }
        if let schema = snapshot.schema {
            for plan in plans { try self.row.lifecycle.check(planned: plan.change, schema: schema) }
        }
        var plan = self.plan ?? ActivityPlan()
        self.scheduled = plan.add(plans, now: self.now)
        guard plan.count <= ActivityLimit.transitions else {
            throw .tooMany("scheduled transitions", limit: ActivityLimit.transitions)
        }
        self.plan = plan
        self.note(.transitionScheduled, detail: Self.names(self.scheduled.map(\.key)))
    }

    mutating func unschedule(_ keys: [TransitionKey]?) {
        let known = self.plan?.keys ?? []
        let cancelled = keys.map { keys in known.filter { keys.contains($0) } } ?? known
        guard !cancelled.isEmpty else { return }
        self.plan?.finish(cancelled, as: .cancelled, now: self.now)
        self.note(.transitionCancelled, detail: Self.names(cancelled))
    }

    mutating func updateSchedule() {
        guard let plan, self.row.transitionDueAt != plan.nextDueAt else { return }
        self.row.transitionDueAt = plan.nextDueAt
        self.isChanged = true
    }

    private static func names(_ keys: [TransitionKey]) -> String { keys.map(\.rawValue).joined(separator: ", ") }
}
