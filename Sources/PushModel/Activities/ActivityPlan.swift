// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

package import Foundation

/// The instants and scheduled transitions of an activity, and their changes.
package struct ActivityPlan: Sendable {
    package private(set) var instants: [InstantName: Date] = [:]
    package private(set) var isMoved = false
    /// The transitions that ended, in their order.
    package private(set) var ended: [ActivityTransition] = []
    private var scheduled: [TransitionKey: ActivityTransition] = [:]
    private var changedKeys: Set<TransitionKey> = []

    package init(instants: [InstantName: Date] = [:]) { self.instants = instants }

    /// Adds a stored transition, unless there is one with an equal key: "é" is one character or two.
    package mutating func load(_ transition: ActivityTransition) {
        if self.scheduled[transition.key] == nil { self.scheduled[transition.key] = transition }
    }

    package var changed: [ActivityTransition] { self.changedKeys.sorted().compactMap { self.scheduled[$0] } }

    package func due(by time: Date) -> [ActivityTransition] {
        self.scheduled.values.filter { transition in transition.dueAt.map { $0 <= time } ?? false }
    }

    package var count: Int { self.scheduled.count }

    package var keys: [TransitionKey] { self.scheduled.keys.sorted() }

    package var nextDueAt: Date? { self.scheduled.values.lazy.compactMap(\.dueAt).min() }

    /// Checks that an activity has not too many instants after a change.
    package func check(_ change: ActivityChange) throws(ActivityError) {
        guard change.instants.isEmpty || self.instants(after: change).count <= ActivityLimit.instants else {
            throw .tooMany("named instants", limit: ActivityLimit.instants)
        }
    }

    /// Moves instants, and the transitions that are scheduled relative to them; returns the names of both.
    package mutating func move(_ change: ActivityChange, now: Date) -> String? {
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

    package mutating func add(_ plans: [NewTransition], now: Date) -> [ActivityTransition] {
        plans.map { plan in
            let transition = ActivityTransition(plan, instants: self.instants, now: now)
            self.set(transition)
            return transition
        }
    }

    package mutating func finish(_ keys: [TransitionKey], as state: ActivityTransition.State, now: Date) {
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
