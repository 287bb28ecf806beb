// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import PushModel
import PushStore

extension StoreConformance {
    static let transitions = [
        Check("a transition is carried out at its time, once, with what it sends") { store in
            try await store.addLesson()
            let plans = [
                ActivitySamples.plan("ending", seconds: -900, try ActivitySamples.patch(#"{"status":"ending"}"#)),
                ActivitySamples.plan(
                    "over",
                    seconds: 0,
                    try ActivitySamples.patch(#"{"status":"over"}"#, end: .after(seconds: 300))
                ),
            ]
            var changes = store.changes().makeAsyncIterator()
            let planned = try await store.plan(plans)
            try expectEqual(planned.map(\.dueAt), [StoreSamples.after(2700), StoreSamples.after(3600)], "the times")
            try expectEqual(await changes.next(), .activitiesDue, "the signal")
            try expectEqual(try await store.nextActivityTime(), StoreSamples.after(2700), "the next time")
            let early = try await store.carryOut(now: StoreSamples.after(2699.999))
            try expectEqual(early, TransitionReport(), "what is done too early")
            let report = try await store.carryOut(now: StoreSamples.after(2700.2))
            try expectEqual(report.entries.map(\.transition.key), ["ending"], "what is done")
            try expectEqual(report.entries.map(\.transition.state), [.done], "what became of it")
            let claimed = try await store.claimOne(now: StoreSamples.after(2700.2))
            try expect(ActivitySamples.payloads(claimed)[0].contains(#""status":"ending""#), "the state is not sent")
            try expectEqual(try await store.carryOut(now: StoreSamples.after(2701)).entries.count, 0, "a second time")
            try await store.settleAll(claimed, now: StoreSamples.after(2701))
            let end = try await store.carryOut(now: StoreSamples.after(3600))
            try expectEqual(end.entries.map(\.transition.key), ["over"], "what is done at the end")
            let last = try await store.claimOne(now: StoreSamples.after(3600))
            try expect(ActivitySamples.payloads(last)[0].contains(#""event":"end""#), "the end is not sent")
            try expectEqual(try await store.nextActivityTime(), nil, "what is left to do")
        },
        Check("what is planned is kept as it was told") { store in
            try await store.addLesson()
            let state = try JSONFragment(json: #"{"status" : "ending", "名": "\"寿司\""}"#)
            let alert = LiveActivityAlert(title: .localized(key: "SOON", arguments: ["15"]), body: "Soon")
            let changes = [
                ActivityChange(contentState: .replaced(state), alert: alert, staleDate: .never, relevanceScore: 2.5),
                ActivityChange(contentState: .patched(state), staleDate: .after(seconds: 60), relevanceScore: -3),
                ActivityChange(staleDate: .at(StoreSamples.after(90)), priority: .powerConsiderate, end: .standard),
                ActivityChange(end: .immediate), ActivityChange(end: .at(StoreSamples.after(0.25))),
                ActivityChange(end: .after(seconds: 300)),
            ]
            let times: [TransitionTime] = [.at(StoreSamples.after(7200.125)), .relative(to: "endsAt", seconds: -900)]
            let misfires: [MisfirePolicy] = [.fold, .skip, .late(within: 300)]
            let plans = changes.enumerated().map { place, change in
                TransitionPlan(
                    key: TransitionKey(unchecked: "plan \(place)"),
                    time: times[place % 2],
                    change: change,
                    misfire: misfires[place % 3]
                )
            }
            _ = try await store.plan(plans)
            let kept = try await store.transitions(of: ActivitySamples.lesson, app: StoreSamples.app)
            try expectEqual(kept.map(\.plan), plans, "the plans")
        },
        Check("when an instant moves, what is planned relative to it moves along") { store in
            try await store.addLesson()
            let fixed = TransitionPlan(
                key: "fixed",
                time: .at(StoreSamples.after(3000)),
                change: try ActivitySamples.patch(#"{"a":1}"#)
            )
            let ending = ActivitySamples.plan("ending", seconds: -900, try ActivitySamples.patch(#"{"b":1}"#))
            let unknown = TransitionPlan(
                key: "pause",
                time: .relative(to: "pausesAt", seconds: 0),
                change: try ActivitySamples.patch(#"{"c":1}"#)
            )
            _ = try await store.plan([ending, fixed, unknown])
            try expectEqual(
                try await store.times(),
                [StoreSamples.after(2700), StoreSamples.after(3000), nil],
                "the times"
            )
            let later = ActivityChange(
                instants: ["endsAt": StoreSamples.after(7200), "pausesAt": StoreSamples.after(60)]
            )
            let receipt = try await store.change(later, now: StoreSamples.after(10))
            try expectEqual([receipt.version, receipt.sent], [1, 0], "what phones see of it")
            let moved = [StoreSamples.after(6300), StoreSamples.after(3000), StoreSamples.after(60)]
            try expectEqual(try await store.times(), moved, "the times behind that")
            try expectEqual(try await store.nextActivityTime(), StoreSamples.after(60), "the next time")
            _ = try await store.change(ActivityChange(instants: ["pausesAt": nil]), now: StoreSamples.after(11))
            try expectEqual(try await store.nextActivityTime(), StoreSamples.after(3000), "the next time without it")
            try expectEqual(try await store.lesson().instants, ["endsAt": StoreSamples.after(7200)], "the instants")
        },
        Check("what is planned with an activity is stored with it, or neither is") { store in
            try await store.addSampleApp()
            var plans = [
                ActivitySamples.plan("ending", seconds: -900, try ActivitySamples.patch(#"{"a":1}"#)),
                ActivitySamples.plan("over", seconds: 0, ActivityChange(end: .standard)),
            ]
            let lesson = try ActivitySamples.activity()
            let receipt = try await store.createActivity(lesson, inviting: [], planning: plans, now: StoreSamples.now)
            try expectEqual(receipt.version, 1, "the version")
            let kept = try await store.transitions(of: lesson.id, app: StoreSamples.app)
            try expectEqual(Set(kept.map(\.plan)), Set(plans), "the plans")
            try expectEqual(try await store.nextActivityTime(), StoreSamples.after(2700), "the next time")
            let change = try ActivitySamples.patch(#"{"b":1}"#)
            plans += (0..<100).map { ActivitySamples.plan(TransitionKey(unchecked: "t\($0)"), seconds: 0, change) }
            let other = try ActivitySamples.activity("other")
            do {
                _ = try await store.createActivity(other, inviting: [], planning: plans, now: StoreSamples.now)
                throw ConformanceFailure(message: "more was planned than may be", location: "transitions")
            } catch let refusal as ActivityRefusal {
                try expectEqual(refusal, .tooMany("planned transitions", limit: 100), "the refusal")
            }
            try expectEqual(try await store.activity(other.id, of: StoreSamples.app), nil, "the other activity")
        },
        Check("what is planned is replaced by its name, and taken back") { store in
            try await store.addLesson()
            let change = try ActivitySamples.patch(#"{"a":1}"#)
            _ = try await store.plan([ActivitySamples.plan("a", seconds: -900, change)])
            _ = try await store.plan([ActivitySamples.plan("a", seconds: -60, change)])
            _ = try await store.plan([ActivitySamples.plan("b", seconds: 0, change)])
            try expectEqual(try await store.times(), [StoreSamples.after(3540), StoreSamples.after(3600)], "the times")
            let withdrawn = try await store.withdraw(
                ["a", "x"],
                of: ActivitySamples.lesson,
                app: StoreSamples.app,
                now: StoreSamples.after(1)
            )
            try expectEqual(withdrawn, ["a"], "what was taken back")
            let states = try await store.transitions(of: ActivitySamples.lesson, app: StoreSamples.app).map(\.state)
            try expectEqual(states, [.withdrawn, .planned], "what became of them")
            try expectEqual(try await store.nextActivityTime(), StoreSamples.after(3600), "the next time")
            let many = (0..<100).map { ActivitySamples.plan(TransitionKey(unchecked: "t\($0)"), seconds: 0, change) }
            let refused = try await store.plan(
                many,
                for: ActivitySamples.lesson,
                of: StoreSamples.app,
                now: StoreSamples.now
            )
            let reason = ActivityRefusal.tooMany("planned transitions", limit: 100)
            try expectEqual(refused, .refused(reason), "too many")
        },
        Check("what was missed is carried out in its order, as its policies say") { store in
            try await store.addLesson()
            let plans = [
                ActivitySamples.plan("a", seconds: -900, try ActivitySamples.patch(#"{"a":1}"#)),
                ActivitySamples.plan("b", seconds: -800, try ActivitySamples.patch(#"{"b":1}"#), misfire: .skip),
                ActivitySamples.plan(
                    "c",
                    seconds: -700,
                    try ActivitySamples.patch(#"{"c":1}"#),
                    misfire: .late(within: 7200)
                ),
                ActivitySamples.plan("d", seconds: -600, try ActivitySamples.patch(#"{"d":1}"#)),
            ]
            _ = try await store.plan(plans)
            var entries: [TransitionReport.Entry] = []
            var report = TransitionReport(hasMore: true)
            while report.hasMore {
                report = try await store.carryOut(now: StoreSamples.after(3600))
                entries += report.entries
            }
            let done = entries.filter { $0.transition.state == .done }.map(\.transition.key)
            try expectEqual(done, ["a", "c", "d"], "what is done, in its order")
            let skipped = entries.filter { $0.transition.state == .skipped }.map(\.transition.key)
            try expectEqual(skipped, ["b"], "what is left out")
            let lesson = try await store.lesson()
            try expectEqual(lesson.lifecycle.version, 3, "how many changes phones see")
            let state = String(decoding: lesson.lifecycle.contentState?.bytes ?? [], as: UTF8.self)
            try expectEqual(state, #"{"a":1,"c":1,"d":1,"status":"active"}"#, "the state")
            let first = try await store.claimOne(now: StoreSamples.after(3600))
            try expect(!ActivitySamples.payloads(first)[0].contains(#""d":1"#), "the first change has what follows")
            try await store.settleAll(first, now: StoreSamples.after(3600))
            let second = try await store.claimOne(now: StoreSamples.after(3600))
            try expect(ActivitySamples.payloads(second)[0].contains(#""d":1"#), "the second change is not sent")
        },
        Check("what cannot be carried out is skipped, and so is what is left when the activity ends") { store in
            try await store.addLesson()
            let large = #"{"t":"\#(String(repeating: "x", count: 4100))"}"#
            let plans = [
                ActivitySamples.plan("large", seconds: -900, try ActivitySamples.patch(large)),
                ActivitySamples.plan("later", seconds: 0, try ActivitySamples.patch(#"{"a":1}"#)),
            ]
            _ = try await store.plan(plans)
            let report = try await store.carryOut(now: StoreSamples.after(2700))
            try expectEqual(report.entries.map(\.transition.state), [.skipped], "what became of one that is too large")
            try expectEqual(try await store.lesson().lifecycle.version, 1, "what phones see of it")
            _ = try await store.change(ActivityChange(end: .immediate), now: StoreSamples.after(2800))
            let states = try await store.transitions(of: ActivitySamples.lesson, app: StoreSamples.app).map(\.state)
            try expectEqual(states, [.skipped, .skipped], "what became of the rest")
            let over = try await store.plan(
                plans,
                for: ActivitySamples.lesson,
                of: StoreSamples.app,
                now: StoreSamples.now
            )
            try expectEqual(over, .refused(.over), "planning for one that is over")
        },
        Check("of changes that were missed, one that is refused keeps none of the others from being made") { store in
            try await store.addLesson()
            let large = #"{"t":"\#(String(repeating: "x", count: 4100))"}"#
            let plans = [
                ActivitySamples.plan("a", seconds: -900, try ActivitySamples.patch(#"{"a":1}"#)),
                ActivitySamples.plan("large", seconds: -800, try ActivitySamples.patch(large)),
                ActivitySamples.plan("over", seconds: 0, try ActivitySamples.patch(#"{"b":1}"#, end: .immediate)),
            ]
            _ = try await store.plan(plans)
            _ = try await store.carryOut(now: StoreSamples.after(3700))
            let kept = try await store.transitions(of: ActivitySamples.lesson, app: StoreSamples.app)
            try expectEqual(kept.map(\.state), [.done, .skipped, .done], "what became of them")
            let lesson = try await store.lesson()
            try expectEqual(lesson.lifecycle.state, .ended, "the state of the activity")
            let state = String(decoding: lesson.lifecycle.contentState?.bytes ?? [], as: UTF8.self)
            try expectEqual(state, #"{"a":1,"b":1,"status":"active"}"#, "the content state")
            let last = try await store.claimOne(now: StoreSamples.after(3700))
            try expect(ActivitySamples.payloads(last)[0].contains(#""event":"end""#), "the end is not sent")
        },
        Check("an activity expires when the last phone has shown it for 8 hours") { store in
            try await store.addLesson()
            let change = try ActivitySamples.patch(#"{"a":1}"#)
            _ = try await store.plan([ActivitySamples.plan("late", seconds: 8 * 3600, change)])
            try expectEqual(try await store.nextActivityTime(), StoreSamples.after(8 * 3600), "the next time")
            let report = try await store.carryOut(now: StoreSamples.after(8 * 3600))
            try expectEqual(report.expired, 1, "how many expire")
            try expectEqual(report.entries.map(\.transition.state), [.skipped], "what became of what was planned")
            let lesson = try await store.lesson()
            try expectEqual(lesson.lifecycle.state, .expired, "the state")
            try expectEqual(lesson.lifecycle.endedAt, StoreSamples.after(8 * 3600), "its end")
            try expectEqual(try await store.claim(now: StoreSamples.after(8 * 3600)).count, 0, "what is sent")
            let kinds = try await store.story().suffix(2).map(\.kind)
            try expectEqual(kinds, [.expired, .transitionSkipped], "the timeline")
        },
        Check("schedulers that work at once carry out each transition once, and those of an activity in their order") {
            store in
            try await store.addSampleApp()
            let change = try ActivitySamples.patch(#"{"a":1}"#)
            for number in 0..<12 {
                let id = ActivityID(unchecked: "lesson \(number)")
                try await store.addLesson(id, phones: [number])
                let plans = ["a", "b"].enumerated().map { place, key in
                    ActivitySamples.plan(
                        TransitionKey(unchecked: key),
                        seconds: place,
                        change,
                        misfire: .late(within: 3600)
                    )
                }
                _ = try await store.plan(plans, id)
            }
            let done = try await withThrowingTaskGroup(of: [TransitionReport.Entry].self) { group in
                for _ in 0..<4 {
                    group.addTask {
                        var mine: [TransitionReport.Entry] = []
                        while try await store.nextActivityTime().map({ $0 <= StoreSamples.after(3700) }) == true {
                            mine += try await store.carryOut(limit: 5, now: StoreSamples.after(3700)).entries
                        }
                        return mine
                    }
                }
                return try await group.reduce(into: [TransitionReport.Entry]()) { $0 += $1 }
            }
            try expectEqual(done.count, 24, "how many were carried out")
            try expectEqual(
                Set(done.map { "\($0.activity) \($0.transition.key)" }).count,
                24,
                "how many different ones"
            )
            for number in 0..<12 {
                let story = try await store.story(ActivityID(unchecked: "lesson \(number)"))
                let updates = story.filter { $0.kind == .updated }.map(\.detail)
                try expectEqual(updates, ["a", "b"], "the order of lesson \(number)")
            }
        },
        Check("the timeline tells of every change, with what its pushes came to") { store in
            try await store.addLesson(phones: [1, 2])
            _ = try await store.change(ActivitySamples.state(#"{"n":1}"#), now: StoreSamples.after(1))
            let claimed = try await store.claimOne(now: StoreSamples.after(1))
            _ = try await store.change(ActivitySamples.state(#"{"n":2}"#), now: StoreSamples.after(2))
            let dead = Settlement.Failure(index: 1, outcome: StoreSamples.rejection(.unregistered))
            try await store.settleAll(claimed, failures: [dead], now: StoreSamples.after(3))
            let story = try await store.story()
            let kinds: [TimelineEntry.Kind] = [
                .registered, .tokenArrived, .tokenArrived, .updated, .updated, .participantGone, .caughtUp,
            ]
            try expectEqual(story.map(\.kind), kinds, "what happened")
            try expectEqual(story.map(\.sequence), Array(1...7), "the places")
            try expectEqual(story.map(\.version), [1, 1, 1, 2, 3, 3, 3], "the versions")
            let sending = try require(story[3].sendings.first, "what was sent")
            try expectEqual(sending.targets, 0..<2, "the targets")
            try expectEqual(sending.notification, claimed.batch.notification, "the notification")
            let counts = OutcomeCounts(delivered: 1, rejected: [.unregistered: 1])
            try expectEqual(sending.counts, counts, "what it came to")
            try expectEqual(story[4].waiting, 2, "who waited")
            try expectEqual(story[5].installation, ActivitySamples.phone(2), "who is gone")
            try expectEqual(story[6].sendings.first?.counts, OutcomeCounts(), "what the last push came to so far")
            let page = try await store.timeline(
                of: ActivitySamples.lesson,
                app: StoreSamples.app,
                after: 5,
                limit: 1
            )
            try expectEqual(page.elements.map(\.kind), [.participantGone], "a page of it")
            try expectEqual(page.next, 6, "where it goes on")
        },
    ]
}

extension ActivityStore {
    /// Plans transitions of the sample lesson, which are not refused.
    fileprivate func plan(
        _ plans: [TransitionPlan],
        _ id: ActivityID = ActivitySamples.lesson
    ) async throws -> [ActivityTransition] {
        let planning = try await self.plan(plans, for: id, of: StoreSamples.app, now: StoreSamples.now)
        guard case .planned(let transitions)? = planning else {
            throw ConformanceFailure(
                message: "planning came to \(String(describing: planning))",
                location: "transitions"
            )
        }
        return transitions
    }

    fileprivate func carryOut(limit: Int = 100, now: Date) async throws -> TransitionReport {
        try await self.carryOutTransitions(limit: limit, now: now)
    }

    /// When the transitions of the sample lesson are due that are planned.
    fileprivate func times() async throws -> [Date?] {
        let transitions = try await self.transitions(of: ActivitySamples.lesson, app: StoreSamples.app)
        return transitions.filter { $0.state == .planned }.map(\.dueAt)
    }
}
