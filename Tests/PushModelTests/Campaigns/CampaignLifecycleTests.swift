// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import PushModel
import Testing

@Suite("The life of a campaign")
struct CampaignLifecycleTests {
    private let now = Date(timeIntervalSince1970: 1_767_225_600)
    private let planner: WorkerID = "mine"
    private var until: Date { self.now.addingTimeInterval(15) }

    private func lifecycle(start: CampaignStart = .now, expiresAt: Date? = nil) throws -> CampaignLifecycle {
        CampaignLifecycle(
            Campaign(
                id: CampaignID(now: self.now),
                app: "com.example.app",
                name: "test",
                audience: .all,
                message: CampaignMessage(fallback: try MessageTemplate(APNsPayload(json: "{}"))),
                start: start,
                expiresAt: expiresAt,
                createdAt: self.now
            )
        )
    }

    private func plan() -> CampaignFanOut {
        CampaignFanOut(waves: [.init(due: self.now, zones: .any)], lastPlace: 7)
    }

    private func running() throws -> CampaignLifecycle {
        var campaign = try self.lifecycle()
        _ = campaign.claim(by: self.planner, until: self.until, now: self.now)
        _ = campaign.advance(to: self.plan(), by: self.planner, until: self.until)
        return campaign
    }

    @Test("it is claimed at its start and not before")
    func start() throws {
        let start = self.now.addingTimeInterval(60)
        var campaign = try self.lifecycle(start: .at(start))
        #expect(campaign.claim(by: self.planner, until: self.until, now: self.now) == .refused)
        #expect(campaign.state == .scheduled)
        #expect(campaign.claim(by: self.planner, until: start.addingTimeInterval(15), now: start) == .granted)
        #expect(campaign.state == .running)
    }

    @Test("one planner at a time has it, until the lease lapses")
    func lease() throws {
        var campaign = try self.running()
        #expect(campaign.claim(by: "other", until: .distantFuture, now: self.now) == .refused)
        #expect(campaign.claim(by: "other", until: .distantFuture, now: self.until) == .granted)
        #expect(campaign.advance(to: self.plan().counting(1), by: self.planner, until: self.until) == .leaseLost)
        #expect(campaign.release(by: self.planner, until: self.until) == false)
    }

    @Test("a plan that does not follow on the stored one is refused, the same one again changes nothing")
    func revisions() throws {
        var campaign = try self.running()
        let stored = try #require(campaign.plan)
        #expect(campaign.advance(to: stored, by: self.planner, until: self.until) == .alreadyApplied)
        let skipping = stored.counting(1).counting(2)
        #expect(campaign.advance(to: skipping, by: self.planner, until: self.until) == .leaseLost)
        #expect(campaign.advance(to: stored.counting(1), by: self.planner, until: self.until) == .applied)
    }

    @Test("paused it is not planned; resumed it goes on, and its former planner does not")
    func pause() throws {
        var campaign = try self.running()
        let former = try #require(campaign.plan)
        #expect(campaign.pause(now: self.now) == true)
        #expect(campaign.pause(now: self.now) == false)
        #expect(campaign.claim(by: self.planner, until: .distantFuture, now: .distantFuture) == .refused)
        #expect(campaign.resume(now: self.now, paceAt: self.now, settled: 0) == true)
        #expect(campaign.resume(now: self.now, paceAt: self.now, settled: 0) == false)
        #expect(campaign.state == .running)
        #expect(campaign.claim(by: self.planner, until: self.until, now: self.now) == .granted)
        #expect(campaign.advance(to: former.counting(1), by: self.planner, until: self.until) == .leaseLost)
    }

    @Test("how long a pause lasts is known until it is over, and where the campaign stood then")
    func pauseLength() throws {
        var campaign = try self.running()
        #expect(campaign.stretch == CampaignRateBaseline(since: self.now, settled: 0))
        #expect(campaign.pauseLength(now: self.until) == .zero)
        _ = campaign.pause(now: self.now)
        _ = campaign.pause(now: self.until)
        #expect(campaign.stretch == nil)
        #expect(campaign.pauseLength(now: self.until) == .seconds(15))
        #expect(campaign.pauseLength(now: self.now.addingTimeInterval(-1)) == .zero)
        _ = campaign.resume(now: self.until, paceAt: self.until, settled: 40)
        #expect(campaign.pausedAt == nil)
        let stretch = try #require(campaign.stretch)
        #expect(stretch == CampaignRateBaseline(since: self.until, settled: 40))
        #expect(stretch.perSecond(settled: 60, now: self.until.addingTimeInterval(4)) == 5)
        #expect(stretch.perSecond(settled: 40, now: self.until.addingTimeInterval(4)) == nil)
        #expect(stretch.perSecond(settled: 60, now: self.until) == nil)
    }

    @Test("paused before its start it is scheduled again")
    func pausedEarly() throws {
        let start = self.now.addingTimeInterval(60)
        var campaign = try self.lifecycle(start: .at(start))
        #expect(campaign.pause(now: self.now) == true)
        #expect(campaign.resume(now: self.now, paceAt: self.now, settled: 0) == true)
        #expect(campaign.state == .scheduled)
        #expect(campaign.claimableAt == start)
    }

    @Test("its time is over whether or not it has begun")
    func expiry() throws {
        var campaign = try self.lifecycle(expiresAt: self.now)
        #expect(campaign.claim(by: self.planner, until: self.until, now: self.now) == .expired)
        #expect(campaign.state == .expired)
        #expect(campaign.isPlanned)
    }

    @Test("cancelled or failed it is final")
    func final() throws {
        var campaign = try self.running()
        #expect(campaign.cancel() == true)
        #expect(campaign.cancel() == false)
        #expect(campaign.pause(now: self.now) == false)
        var other = try self.running()
        #expect(other.fail(by: "other", reason: "none") == false)
        #expect(other.fail(by: self.planner, reason: "damaged") == true)
        #expect(other.state == .failed(reason: "damaged"))
    }

    @Test("setbacks are counted until a step succeeds")
    func setbacks() throws {
        var campaign = try self.running()
        #expect(campaign.setBack(by: self.planner, until: self.until) == true)
        #expect(campaign.setbacks == 1)
        _ = campaign.claim(by: self.planner, until: .distantFuture, now: self.until)
        let next = try #require(campaign.plan).counting(1)
        _ = campaign.advance(to: next, by: self.planner, until: .distantFuture)
        #expect(campaign.setbacks == 0)
    }
}

@Suite("Local times")
struct LocalTimeTests {
    @Test(
        "are read and written",
        arguments: ["2026-03-29T09:00", "2024-02-29T23:59:58", "1970-01-01T00:00", "9999-12-31T00:00"]
    )
    func roundTrip(text: String) throws {
        let time = try LocalTime(text)
        #expect(time.description == text)
        let date = try Date(text + (text.count == 16 ? ":00Z" : "Z"), strategy: .iso8601)
        #expect(Double(time.secondsAsUTC) == date.timeIntervalSince1970)
    }

    @Test(
        "are dates and times of day that there are",
        arguments: [
            "", "2026-03-29", "2026-02-29T09:00", "2026-13-01T09:00", "2026-03-29T24:00", "2026-03-29T09:60",
            "2026-03-29T09:00Z", "2026-03-29 09:00", "26-03-29T09:00", "2026-3-29T9:00",
        ]
    )
    func none(text: String) {
        #expect(throws: InvalidValueError.self) { try LocalTime(text) }
    }
}
