// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Cron
import PushModel
import PushStore
import StoreTesting
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

@Suite("Stores: job policies", .timeLimit(.minutes(20)))
struct JobPolicyTests {
    @Test(
        "what is due beside a run that is going is left out, waits, or runs, as the job says",
        arguments: TestStoreBackend.allCases
    )
    func overlap(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addJob(JobSamples.code(), "skip")
            try await store.addJob(JobSamples.code(JobPolicy(overlap: .bufferOne)), "queue")
            try await store.addJob(JobSamples.code(JobPolicy(overlap: .allow)), "allow")
            let scope = JobSelection.code(StoreFixtures.app, ["skip", "queue", "allow"])
            let first = try await store.claimRuns(after: 60, scope: scope)
            #expect(first.map(\.job.id).sorted() == ["allow", "queue", "skip"], "what begins")
            for claimed in first {
                try await store.extendJobLease(
                    claimed.lease,
                    leaseDuration: .seconds(3600),
                    now: StoreFixtures.after(60)
                )
            }
            let second = try await store.claimRuns(after: 120, scope: scope)
            #expect(second.map(\.job.id) == ["allow"], "what runs beside it")
            _ = try await store.claimRuns(after: 180, scope: scope)
            for id in ["skip", "queue"] as [JobID] {
                let claimed = try #require(first.first { $0.job.id == id }, "the run")
                try await store.finishJobRun(claimed.lease, as: JobRunResult(.succeeded), now: StoreFixtures.after(190))
            }
            let next = try await store.claimRun(after: 191, scope: .code(StoreFixtures.app, ["skip", "queue"]))
            #expect(next.job.id == "queue", "what waited")
            #expect(next.run.dueAt == StoreFixtures.after(120), "when that was due")
            let skipped = try await store.history("skip")
            try #require(skipped.map(\.state) == [.skipped, .succeeded], "the runs of the first")
            #expect(skipped[0].skip == .overlap, "why it was left out")
            #expect(skipped[0].occurrences == 2, "how many were")
            let queued = try await store.history("queue")
            #expect(queued.map(\.state) == [.skipped, .running, .succeeded], "the runs of the second")
        }
    }

    @Test("occurrences that nobody ran are made up for as the job says", arguments: TestStoreBackend.allCases)
    func misfire(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addJob(JobSamples.greeting(JobPolicy(misfire: .skip)), "skip")
            try await store.addJob(JobSamples.greeting(), "once")
            let each = JobPolicy(overlap: .bufferOne, misfire: .runAll(within: 300))
            try await store.addJob(JobSamples.greeting(each), "each")
            try await store.addJob(JobSamples.greeting(JobPolicy(misfire: .runOnce(within: 60))), "late")
            for id in ["skip", "once", "each"] as [JobID] {
                var definition = try await store.status(id).job.definition
                definition.schedule = try .every(.seconds(100), from: StoreFixtures.now)
                _ = try await store.put(definition, id)
            }
            // An occurrence each 100 s was due up to 900, that of 1000 is to come; the minutes up to 960.
            let claimed = try await store.claimRuns(after: 990)
            #expect(claimed.map(\.job.id).sorted() == ["each", "late", "once"], "what begins")
            let skips = try await store.history("skip").map(\.skip)
            #expect(skips == [.missed], "what is left out")
            let occurrences = try await store.history("skip").map(\.occurrences)
            #expect(occurrences == [9], "for how many that stands")
            let once = try await store.history("once")
            #expect(once.map(\.dueAt) == [StoreFixtures.after(900)], "the newest")
            #expect(once.map(\.occurrences) == [9], "for how many it stands")
            let late = try await store.history("late")
            #expect(late.map(\.dueAt) == [StoreFixtures.after(960)], "what is on time stands for the others")
            #expect(late.map(\.occurrences) == [16], "for how many it stands")
            let history = try await store.history("each").reversed().map(\.dueAt)
            #expect(history == [600, 700, 800, 900].map(StoreFixtures.after), "each, and those too late")
            var first = try #require(claimed.first { $0.job.id == "each" }, "the run")
            for due in [800.0, 900] {
                let state = try await store.carryOut(first, after: 991).state
                #expect(state == .succeeded, "a run")
                first = try await store.claimRun(after: 992)
                #expect(first.run.dueAt == StoreFixtures.after(due), "one after the other")
            }
        }
    }

    @Test(
        "what was not begun is left out when it is too late even for its policy",
        arguments: TestStoreBackend.allCases
    )
    func tooLate(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addJob(JobSamples.greeting(JobPolicy(misfire: .skip)))
            let none = try await store.claimRuns(after: 60, limit: 0)
            #expect(none == [], "what is claimed")
            let statesThen = try await store.history().map(\.state)
            #expect(statesThen == [.waiting], "what is made")
            let later = try await store.claimRuns(after: 200)
            #expect(later.map(\.run.dueAt) == [], "what is begun at that time")
            let states = try await store.history().map(\.state)
            #expect(states.allSatisfy { $0 == .skipped }, "the states are \(states)")
            let next = try await store.claimRun(after: 241)
            #expect(next.run.dueAt == StoreFixtures.after(240), "the next one")
        }
    }

    @Test(
        "a run that failed is repeated as often as the job says, later each time",
        arguments: TestStoreBackend.allCases
    )
    func retry(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addJob(JobSamples.code(JobPolicy(maxRetries: 2)))
            let scope = JobSelection.code(StoreFixtures.app, [JobSamples.id])
            let end = JobRunResult(.failed, message: "no", responseStatus: 503)
            for (seconds, attempt) in [(60.0, 1), (66, 2), (77, 3)] {
                let claimed = try await store.claimRun(after: seconds, scope: scope)
                #expect(claimed.run.attempt == attempt, "the attempt")
                _ = try await store.finishJobRun(claimed.lease, as: end, now: StoreFixtures.after(seconds))
                let early = try await store.claimRuns(after: seconds + 4.9, scope: scope)
                #expect(early == [], "what is repeated too early")
            }
            let run = try #require(try await store.history().first, "the run")
            #expect(run.state == .failed, "what it came to")
            #expect(run.message == "no", "why")
            #expect(run.responseStatus == 503, "the status")
            #expect(run.endedAt == StoreFixtures.after(77), "when it ended")
        }
    }

    @Test("a run of which nobody tells the end is given up in the end", arguments: TestStoreBackend.allCases)
    func timeLimit(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addJob(JobSamples.code(JobPolicy(misfire: .runOnce(within: 3600))))
            let scope = JobSelection.code(StoreFixtures.app, [JobSamples.id])
            for attempt in 0..<10 {
                let claimed = try await store.claimRun(after: 60 + Double(attempt) * 15, scope: scope)
                #expect(claimed.run.attempt == attempt + 1, "the attempt")
            }
            _ = try await store.claimRuns(after: 210, scope: scope)
            let run = try #require(try await store.history().last, "the run")
            #expect(run.state == .failed, "what it came to")
        }
    }

    @Test("the last runs of a job are kept, and read page by page", arguments: TestStoreBackend.allCases)
    func history(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            let policy = JobPolicy(overlap: .allow, misfire: .runAll(within: 86_400))
            try await store.addJob(JobSamples.greeting(policy))
            var seconds = 0.0
            for _ in 0..<12 {
                seconds += 100_000
                // A hundred are made, and left out a day later, all of them together.
                _ = try await store.claimRuns(after: seconds, limit: 0)
                seconds += 100_000
                _ = try await store.claimRuns(after: seconds, limit: 1000)
            }
            let all = try await store.history()
            #expect((990...1000).contains(all.filter(\.state.isFinal).count), "\(all.count) runs are kept")
            let first = try await store.jobRuns(of: JobSamples.id, app: StoreFixtures.app, after: nil, limit: 3)
            let second = try await store.jobRuns(of: JobSamples.id, app: StoreFixtures.app, after: first.next, limit: 3)
            #expect(first.elements + second.elements == Array(all.prefix(6)), "two pages")
        }
    }
}
