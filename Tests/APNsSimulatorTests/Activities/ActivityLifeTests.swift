// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import Testing

@testable import APNsSimulator

@Suite("The life of a Live Activity")
struct ActivityLifeTests {
    private static let hour = ActivityFixture.hour

    @Test("active for 8 hours, on the Lock Screen for 4 more, and gone after 12")
    func twelveHours() throws {
        var fixture = ActivityFixture()
        let id = try fixture.request()
        fixture.advance(by: 8 * Self.hour - 1)
        #expect(try fixture.record(id).state == .active)
        fixture.advance(by: 1)
        #expect(try fixture.record(id).state == .ended)
        fixture.advance(by: 4 * Self.hour - 1)
        #expect(try fixture.record(id).state == .ended)
        fixture.advance(by: 1)
        #expect(try fixture.record(id).state == .dismissed)
        #expect(
            try fixture.record(id).timeline.map(\.state) == [.active, .active, .ended, .ended, .dismissed]
        )
        #expect(fixture.changes(id) == [.started, .tokenIssued, .ended, .tokenEnded, .dismissed])
        let ends = try fixture.record(id).timeline.filter { $0.change == .ended || $0.change == .dismissed }
        #expect(ends.map { $0.at.timeIntervalSince1970 - ActivityFixture.start } == [8 * Self.hour, 12 * Self.hour])
        #expect(ends.allSatisfy { $0.origin == .system })
    }

    @Test("each transition bears its own time, however far the clock is moved at once")
    func oneJump() throws {
        var fixture = ActivityFixture()
        let id = try fixture.request { $0.staleDate = Date(timeIntervalSince1970: ActivityFixture.start + 600) }
        fixture.advance(by: 20 * Self.hour)
        let timeline = try fixture.record(id).timeline.filter { $0.change != .tokenIssued && $0.change != .tokenEnded }
        #expect(timeline.map(\.change) == [.started, .becameStale, .ended, .dismissed])
        let times = timeline.map { $0.at.timeIntervalSince1970 - ActivityFixture.start }
        #expect(times == [0, 600, 8 * Self.hour, 12 * Self.hour])
    }

    @Test("content grows stale at its date, and an update makes it fresh again")
    func stale() throws {
        var fixture = ActivityFixture()
        let id = try fixture.request()
        var aps = ActivityFixture.update(fixture.now)
        aps["stale-date"] = .double(fixture.now + 60)
        try fixture.push(aps, to: id)
        fixture.advance(by: 59)
        #expect(try fixture.record(id).state == .active)
        fixture.advance(by: 1)
        #expect(try fixture.record(id).state == .stale)
        try fixture.push(ActivityFixture.update(fixture.now), to: id)
        #expect(try fixture.record(id).state == .active)
        fixture.advance(by: 3600)
        #expect(try fixture.record(id).state == .active, "an update without a date never grows stale")
    }

    @Test("content that is past its date when it comes is stale at once")
    func staleAtOnce() throws {
        var fixture = ActivityFixture()
        let id = try fixture.request()
        var aps = ActivityFixture.update(fixture.now)
        aps["stale-date"] = .double(fixture.now - 1)
        try fixture.push(aps, to: id)
        #expect(try fixture.record(id).state == .stale)
    }

    @Test("a stale activity ends after 8 hours, too")
    func staleEnds() throws {
        var fixture = ActivityFixture()
        let id = try fixture.request { $0.staleDate = Date(timeIntervalSince1970: ActivityFixture.start + 1) }
        fixture.advance(by: 8 * Self.hour)
        #expect(try fixture.record(id).state == .ended)
    }

    @Test(
        "an end says when it is dismissed: after 4 hours, at once, or at its date within 4 hours",
        arguments: [
            (nil, 4 * 3600), (-1, 0), (0, 0), (600, 600), (4 * 3600, 4 * 3600), (9 * 3600, 4 * 3600),
        ] as [(Double?, Double)]
    )
    func dismissal(date: Double?, after: Double) throws {
        var fixture = ActivityFixture()
        let id = try fixture.request()
        fixture.advance(by: 1000)
        var aps = ActivityFixture.end(fixture.now)
        aps["dismissal-date"] = date.map { .double(fixture.now + $0) }
        try fixture.push(aps, to: id)
        #expect(try fixture.record(id).contentState == ["fee": 900])
        if after > 0 {
            fixture.advance(by: after - 1)
            #expect(try fixture.record(id).state == .ended)
            fixture.advance(by: 1)
        }
        #expect(try fixture.record(id).state == .dismissed)
    }

    @Test(
        "an app ends an activity with each of the three policies",
        arguments: [
            (ActivityDismissalPolicy.default, 4 * 3600), (.immediate, 0),
            (.after(Date(timeIntervalSince1970: ActivityFixture.start + 60)), 60),
        ] as [(ActivityDismissalPolicy, Double)]
    )
    func appEnds(policy: ActivityDismissalPolicy, after: Double) throws {
        var fixture = ActivityFixture()
        let id = try fixture.request()
        fixture.end(id, dismissal: policy)
        #expect(try fixture.record(id).dismissesAt == fixture.now + after)
        fixture.advance(by: after)
        #expect(try fixture.record(id).state == .dismissed)
    }

    @Test("the person swipes an activity away: ended and dismissed at once")
    func swipe() throws {
        var fixture = ActivityFixture()
        let id = try fixture.request()
        fixture.swipeAway(id)
        let timeline = try fixture.record(id).timeline
        #expect(timeline.suffix(2).map(\.change) == [.ended, .dismissed])
        #expect(timeline.suffix(2).allSatisfy { $0.origin == .person })
    }

    @Test("swiping away one that has ended only dismisses it; one that is gone stays as it is")
    func swipeEnded() throws {
        var fixture = ActivityFixture()
        let id = try fixture.request()
        fixture.end(id)
        fixture.swipeAway(id)
        fixture.swipeAway(id)
        #expect(fixture.changes(id).filter { $0 == .ended }.count == 1)
        #expect(fixture.changes(id).filter { $0 == .dismissed }.count == 1)
    }

    @Test("a start for later is pending, starts by itself, and lives 8 hours from then")
    func pending() throws {
        var fixture = ActivityFixture()
        fixture.host = ActivityFixture.host(26)
        let id = try fixture.request {
            $0.startDate = Date(timeIntervalSince1970: ActivityFixture.start + 600)
            $0.hasAlert = true
        }
        #expect(try fixture.record(id).state == .pending)
        fixture.host.isForeground = false
        fixture.advance(by: 600)
        #expect(try fixture.record(id).state == .active)
        fixture.advance(by: 8 * Self.hour - 1)
        #expect(try fixture.record(id).state == .active)
        fixture.advance(by: 1)
        #expect(try fixture.record(id).state == .ended)
    }

    @Test("the most relevant activity is in front, then the newest; those that are gone come last")
    func relevance() throws {
        var fixture = ActivityFixture()
        let low = try fixture.request(relevanceScore: 1)
        let high = try fixture.request(relevanceScore: 100)
        let newest = try fixture.request(relevanceScore: 1)
        let gone = try fixture.request(relevanceScore: 1000)
        fixture.end(gone, dismissal: .immediate)
        let order = { fixture.book.activities(of: ActivityFixture.device).map(\.id) }
        #expect(order() == [high, newest, low, gone])
        var aps = ActivityFixture.update(fixture.now)
        aps["relevance-score"] = 200.5
        try fixture.push(aps, to: low)
        #expect(fixture.book.activities(of: ActivityFixture.device).map(\.id) == [low, high, newest, gone])
    }

    @Test("switching Live Activities off takes all of the app's away and tells the app")
    func switchedOff() throws {
        var fixture = ActivityFixture()
        let one = try fixture.request()
        let other = try fixture.request(bundleID: "com.example.other")
        fixture.configure { $0.areActivitiesEnabled = false }
        #expect(try fixture.record(one).state == .dismissed)
        #expect(try fixture.record(other).state == .active)
        #expect(fixture.calls.contains("ActivityAuthorizationInfo.activityEnablementUpdates"))
    }

    @Test("an update by the app obeys the order of timestamps; one without has the time of the call")
    func appUpdates() throws {
        var fixture = ActivityFixture()
        let id = try fixture.request()
        fixture.advance(by: 100)
        fixture.update(id, ActivityContent(contentState: ["fee": 1]))
        #expect(try fixture.record(id).contentState == ["fee": 1])
        let older = Date(timeIntervalSince1970: fixture.now - 1)
        fixture.update(id, ActivityContent(contentState: ["fee": 2], timestamp: older))
        #expect(try fixture.record(id).contentState == ["fee": 1])
        #expect(try fixture.record(id).timeline.last?.cause == .olderTimestamp)
        #expect(try fixture.push(ActivityFixture.update(fixture.now - 1), to: id) == .olderTimestamp)
    }

    @Test("the book survives a snapshot in the middle of everything")
    func snapshot() throws {
        var fixture = ActivityFixture()
        let id = try fixture.request()
        try fixture.push(ActivityFixture.update(fixture.now, ["fee": 1, "f": 1.5, "s": "x", "n": nil]), to: id)
        let data = try JSONEncoder().encode(fixture.book)
        let restored = try JSONDecoder().decode(ActivityRegistry.self, from: data)
        #expect(restored[id]?.contentState == ["fee": 1, "f": 1.5, "s": "x", "n": nil])
        #expect(restored[id]?.timeline == fixture.book[id]?.timeline)
        #expect(restored[id]?.nextDue == fixture.book[id]?.nextDue)
    }
}
