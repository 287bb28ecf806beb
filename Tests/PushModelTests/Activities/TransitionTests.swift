// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import PushModel
import Testing

@Suite("Planned transitions")
struct TransitionTests {
    private let now = Date(millisecondsSince1970: 1_770_000_000_000)

    private func transition(
        _ key: TransitionKey,
        late seconds: Double,
        _ misfire: TransitionMisfirePolicy = .coalesce,
        movedBefore: Double = 10_000
    ) -> ActivityTransition {
        ActivityTransition(
            key: key,
            time: .at(self.now),
            change: ActivityChange(),
            misfire: misfire,
            dueAt: self.now.addingTimeInterval(-seconds),
            scheduledAt: self.now.addingTimeInterval(-movedBefore)
        )
    }

    /// The names of what is carried out together, and of what is left out after a minus.
    private func steps(_ due: [ActivityTransition]) -> [[String]] {
        DueTransitions(due: due, now: self.now).steps.map { step in
            switch step {
            case .carryOut(let transitions): transitions.map(\.key.rawValue)
            case .leaveOut(let transition): ["-", transition.key.rawValue]
            }
        }
    }

    @Test("a time relative to an instant moves with it, and waits while it is not known")
    func relative() {
        let time = TransitionTime.relative(to: "endsAt", seconds: -900)
        #expect(time.date(in: [:]) == nil)
        #expect(time.date(in: ["endsAt": self.now]) == self.now.addingTimeInterval(-900))
        #expect(TransitionTime.at(self.now).date(in: [:]) == self.now)
    }

    @Test("what is on time is carried out one by one, in the order of the times and then of the names")
    func onTime() {
        let due = [
            self.transition("c", late: 1), self.transition("b", late: 1), self.transition("a", late: 0),
            self.transition("d", late: 60),
        ]
        #expect(self.steps(due) == [["d"], ["b"], ["c"], ["a"]])
    }

    @Test("what was missed is folded into the next one, left out, or carried out by itself within its limit")
    func misfires() {
        let due = [
            self.transition("a", late: 900), self.transition("b", late: 800, .skip),
            self.transition("c", late: 700), self.transition("d", late: 600, .runLate(within: 600)),
            self.transition("e", late: 500, .runLate(within: 499)), self.transition("f", late: 400),
        ]
        #expect(self.steps(due) == [["-", "b"], ["a", "c", "d"], ["-", "e"], ["f"]])
    }

    @Test("a limit below the tolerance is the tolerance")
    func tolerance() {
        #expect(self.steps([self.transition("a", late: 60, .runLate(within: 0))]) == [["a"]])
        #expect(self.steps([self.transition("a", late: 61, .runLate(within: 0))]) == [["-", "a"]])
    }

    @Test("what was moved to a time that has passed is not late by that")
    func moved() {
        #expect(self.steps([self.transition("a", late: 3600, .skip, movedBefore: 5)]) == [["a"]])
    }
}

@Suite("Deferred targets that something newer replaces")
struct SupersedingTests {
    private let now = Date(millisecondsSince1970: 1_770_000_000_000)

    private func lifecycle(_ state: BatchState, cursor: Int = 4) -> BatchLifecycle {
        let deferred = [1, 3].map { Deferral(index: $0, notBefore: self.now.addingTimeInterval(Double($0))) }
        return BatchLifecycle(state: state, cursor: cursor, deferred: deferred, targetCount: 4)
    }

    @Test("they are given up, and the batch is settled when nothing else is left")
    func given() {
        var lifecycle = self.lifecycle(.waiting(until: self.now))
        let given1 = lifecycle.supersede([0, 3])
        #expect(given1 == [3])
        #expect(lifecycle.deferred.map(\.index) == [1])
        #expect(lifecycle.state == .waiting(until: self.now))
        let given2 = lifecycle.supersede([1])
        #expect(given2 == [1])
        #expect(lifecycle.state == .settled)
    }

    @Test("also targets whose turn has not come are given up, and the others keep the time of their batch")
    func untouched() {
        let time = self.now.addingTimeInterval(60)
        var lifecycle = BatchLifecycle(state: .waiting(until: time), targetCount: 4)
        let first = lifecycle.supersede([2, 7])
        #expect(first == [2])
        #expect(lifecycle.deferred == [0, 1, 3].map { Deferral(index: $0, notBefore: time) })
        #expect(lifecycle.cursor == 4)
        #expect(lifecycle.remaining == 3)
        #expect((0...3).map { lifecycle.isSettled($0) } == [false, false, true, false])
        let rest = lifecycle.supersede([0, 1, 3])
        #expect(rest == [0, 1, 3])
        #expect(lifecycle.state == .settled)
    }

    @Test("a worker that has been handed them keeps them")
    func leased() {
        for state in [BatchState.leased(worker: "w", until: self.now), .pending, .paused, .cancelled] {
            var lifecycle = self.lifecycle(state)
            let given3 = lifecycle.supersede([1, 3])
            #expect(given3.isEmpty)
            #expect(lifecycle.deferred.count == 2)
        }
    }
}
