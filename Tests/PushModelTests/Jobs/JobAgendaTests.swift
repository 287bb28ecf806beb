// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Cron
import Foundation
import PushModel
import Testing

@Suite("What becomes of the occurrences of a job")
struct JobAgendaTests {
    /// 2026-03-28 11:00 UTC, the day before clocks in Zurich are set forward.
    private let start = Date(timeIntervalSince1970: 1_774_695_600)

    private func job(_ schedule: Schedule, _ policy: JobPolicy = JobPolicy()) -> Job {
        let definition = JobDefinition(schedule: schedule, work: .code, policy: policy)
        return Job(id: "job", app: "com.example.app", definition: definition, now: self.start)
    }

    private func minutely(_ policy: JobPolicy = JobPolicy()) throws -> Job {
        try self.job(.cron("* * * * *"), policy)
    }

    private func at(_ seconds: Double) -> Date { self.start.addingTimeInterval(seconds) }

    private func agenda(_ job: Job, open: Int = 0, after seconds: Double) -> DueOccurrences {
        DueOccurrences(job, open: open, now: self.at(seconds))
    }

    /// Entries as seconds, counts and reasons.
    private func entries(_ agenda: DueOccurrences) -> [String] {
        agenda.entries.map { entry in
            let seconds = Int(entry.occurrence.timeIntervalSince(self.start))
            return "\(seconds)x\(entry.count) \(entry.skip?.rawValue ?? "run")"
        }
    }

    @Test("nothing is done before the time, and one run at it")
    func onTime() throws {
        let job = try self.minutely()
        #expect(self.agenda(job, after: 59.999).entries.isEmpty)
        #expect(self.agenda(job, after: 59.999).nextRunAt == self.at(60))
        #expect(self.entries(self.agenda(job, after: 60)) == ["60x1 run"])
        #expect(self.agenda(job, after: 60).nextRunAt == self.at(120))
    }

    @Test("a paused job and one without occurrences do nothing")
    func nothing() throws {
        var job = try self.minutely()
        job.pause()
        #expect(job.dueAt == nil)
        #expect(self.agenda(job, after: 600).entries.isEmpty)
        job.resume(now: self.at(630))
        #expect(job.nextRunAt == self.at(660))
    }

    @Test("occurrences that were missed are made up for as the policy says")
    func misfires() throws {
        let once = try self.minutely()
        #expect(self.entries(self.agenda(once, after: 605)) == ["600x10 run"])
        let hourly = try self.job(.every(.seconds(3600), from: self.at(100)))
        // Those at 100, 3700 and 7300 were missed.
        #expect(self.entries(self.agenda(hourly, after: 10_000)) == ["7300x3 run"])
        let late = try self.job(.every(.seconds(3600), from: self.at(100)), JobPolicy(misfire: .runOnce(within: 120)))
        #expect(self.entries(self.agenda(late, after: 7400)) == ["7300x3 run"])
        #expect(self.entries(self.agenda(late, after: 7500)) == ["7300x3 missed"])
        let skip = try self.minutely(JobPolicy(misfire: .skip))
        #expect(self.entries(self.agenda(skip, after: 605)) == ["540x9 missed", "600x1 run"])
        // Nothing is left out for overlapping, since the default is that they queue.
        let each = try self.minutely(JobPolicy(misfire: .runAll(within: 300)))
        #expect(each.definition.policy.overlap == .bufferOne)
        #expect(JobPolicy(overlap: .skip, misfire: .runAll(within: 300)).isContradictory)
        #expect(!JobPolicy(overlap: .allow, misfire: .runAll(within: 300)).isContradictory)
        #expect(!JobPolicy().isContradictory)
        #expect(
            self.entries(self.agenda(each, after: 605))
                == ["300x5 missed", "360x1 run", "420x1 run", "480x1 run", "540x1 run", "600x1 run"]
        )
    }

    @Test("a long time without running costs no more than a short one, and at most a hundred runs")
    func longAgo() throws {
        let each = JobPolicy(overlap: .bufferOne, misfire: .runAll(within: 2_592_000))
        let job = try self.job(.cron("* * * * * *"), each)
        let agenda = self.agenda(job, after: 86_400 * 365)
        #expect(agenda.entries.count { $0.skip == nil } == 101)
        #expect(agenda.entries.reduce(0) { $0 + $1.count } == 86_400 * 365)
    }

    @Test("what is due beside an open run is left out, or waits while there is room")
    func overlaps() throws {
        #expect(self.entries(self.agenda(try self.minutely(), open: 1, after: 60)) == ["60x1 overlap"])
        let queue = try self.minutely(JobPolicy(overlap: .bufferOne))
        #expect(self.entries(self.agenda(queue, open: 1, after: 60)) == ["60x1 run"])
        #expect(self.entries(self.agenda(queue, open: 2, after: 60)) == ["60x1 overlap"])
        let allow = try self.minutely(JobPolicy(overlap: .allow))
        #expect(self.entries(self.agenda(allow, open: 9, after: 60)) == ["60x1 run"])
        #expect(self.entries(self.agenda(allow, open: 10, after: 60)) == ["60x1 overlap"])
        let seconds = try self.job(.cron("* * * * * *"))
        #expect(self.entries(self.agenda(seconds, after: 5)) == ["1x1 run", "5x4 overlap"])
    }

    @Test("the jitter of an occurrence is always the same, and lies below its limit")
    func jitter() throws {
        let job = try self.minutely(JobPolicy(jitterSeconds: 20))
        var offsets: Set<TimeInterval> = []
        for number in 1...50 {
            let occurrence = self.at(Double(number) * 60)
            let offset = job.beginning(of: occurrence).timeIntervalSince(occurrence)
            #expect((0..<20).contains(offset))
            #expect(job.beginning(of: occurrence) == job.beginning(of: occurrence))
            offsets.insert(offset)
        }
        #expect(offsets.count > 25)
        let due = try #require(job.dueAt)
        #expect(DueOccurrences(job, open: 0, now: due.addingTimeInterval(-0.001)).entries.isEmpty)
        #expect(DueOccurrences(job, open: 0, now: due).entries.count == 1)
    }

    @Test("a daily job runs once on the days on which clocks are set")
    func daylightSaving() throws {
        let job = try self.job(.cron("30 2 * * *", timeZone: "Europe/Zurich"))
        // Clocks skip 02:30 on that day: it runs when they are set, at 01:00 UTC.
        let change = Date(timeIntervalSince1970: 1_774_746_000)
        #expect(job.nextRunAt == change)
        let agenda = DueOccurrences(job, open: 0, now: change)
        #expect(agenda.entries.map(\.occurrence) == [change])
        #expect(agenda.nextRunAt == Date(timeIntervalSince1970: 1_774_830_600))
        let autumn = Date(timeIntervalSince1970: 1_792_843_200)
        let later = Job(id: "job", app: "com.example.app", definition: job.definition, now: autumn)
        // 25 October: the first 02:30, at 00:30 UTC, and then the next day's at 01:30 UTC.
        let first = Date(timeIntervalSince1970: 1_792_888_200)
        #expect(later.nextRunAt == first)
        #expect(DueOccurrences(later, open: 0, now: first).nextRunAt == Date(timeIntervalSince1970: 1_792_978_200))
    }

    @Test("the id of a run follows from the job and the occurrence, and names its campaign")
    func identifiers() throws {
        let job = try self.minutely()
        let id = JobRunID(of: job, dueAt: self.at(60))
        #expect(id == JobRunID(of: job, dueAt: self.at(60)))
        #expect(id != JobRunID(of: job, dueAt: self.at(120)))
        #expect(id.description == id.campaign.description)
        #expect(id.description.dropFirst(14).first == "7")
        let definition = job.definition
        let anew = Job(id: "job", app: "com.example.app", definition: definition, now: self.at(1))
        #expect(id != JobRunID(of: anew, dueAt: self.at(60)))
    }
}
