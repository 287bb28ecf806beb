// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Testing

@testable import APNsSimulator

@Suite("Update tokens of Live Activities")
struct ActivityTokenTests {
    @Test("the token of an activity that the app starts comes with the switch's delay", arguments: [0, 5])
    func requestDelay(delay: Double) throws {
        var fixture = ActivityFixture()
        fixture.switches.requestTokenDelay = delay
        let id = try fixture.request()
        if delay > 0 {
            #expect(try fixture.record(id).token.key == nil)
            fixture.advance(by: delay - 1)
            #expect(try fixture.record(id).token.key == nil)
            fixture.advance(by: 1)
        }
        #expect(try fixture.record(id).token.key != nil)
        #expect(fixture.calls == ["Activity.pushTokenUpdates"])
    }

    @Test("an activity that is not updated by pushes has no token")
    func noToken() throws {
        var fixture = ActivityFixture()
        let id = try fixture.request(pushType: .none)
        fixture.advance(by: 100)
        #expect(try fixture.record(id).token.key == nil)
    }

    @Test("the first token after a start by push waits for the person's Allow; later ones only for the delay")
    func allow() throws {
        var fixture = ActivityFixture()
        try fixture.pushToStart(ActivityFixture.start(fixture.now))
        let first = fixture.newest
        fixture.advance(by: 3600)
        #expect(try fixture.record(first).token.key == nil)
        #expect(fixture.changes(first) == [.started, .tokenWithheld])
        fixture.answer(allows: true)
        #expect(try fixture.record(first).token.key != nil)

        try fixture.pushToStart(ActivityFixture.start(fixture.now))
        let second = fixture.newest
        #expect(try fixture.record(second).token.key == nil)
        fixture.advance(by: 1)
        #expect(try fixture.record(second).token.key != nil)
        #expect(fixture.calls.filter { $0 == "Activity.pushTokenUpdates" }.count == 2)
    }

    @Test("a person who does not allow Live Activities switches them off")
    func doesNotAllow() throws {
        var fixture = ActivityFixture()
        try fixture.pushToStart(ActivityFixture.start(fixture.now))
        let id = fixture.newest
        fixture.answer(allows: false)
        #expect(try fixture.record(id).state == .dismissed)
        #expect(try fixture.pushToStart(ActivityFixture.start(fixture.now)) == .disabled)
    }

    @Test("without the question, the token only waits for the delay")
    func withoutQuestion() throws {
        var fixture = ActivityFixture()
        fixture.switches.asksToAllow = false
        try fixture.pushToStart(ActivityFixture.start(fixture.now))
        let id = fixture.newest
        fixture.advance(by: 1)
        #expect(try fixture.record(id).token.key != nil)
    }

    @Test(
        "iOS 18 gives a token that was not asked for, unless the switch says no; iOS 17 always",
        arguments: [
            (17, true, false, true), (17, false, false, true), (18, true, false, true), (18, false, false, false),
            (18, false, true, true),
        ] as [(Int, Bool, Bool, Bool)]
    )
    func inputPushToken(major: Int, givesUnasked: Bool, asks: Bool, hasToken: Bool) throws {
        var fixture = ActivityFixture()
        fixture.host = ActivityFixture.host(major, 5)
        fixture.switches.asksToAllow = false
        fixture.switches.givesTokenUnasked = givesUnasked
        var aps = ActivityFixture.start(fixture.now)
        aps["input-push-token"] = asks ? 1 : nil
        try fixture.pushToStart(aps)
        let id = fixture.newest
        fixture.advance(by: 1)
        let keys = fixture.book.activities(of: ActivityFixture.device).compactMap(\.token.key)
        #expect(keys.isEmpty == !hasToken)
        _ = id
    }

    @Test("a token is still accepted for a while after the end, then it is answered 410")
    func lifeAfterEnd() throws {
        var fixture = ActivityFixture()
        let id = try fixture.request()
        fixture.end(id)
        fixture.advance(by: 59)
        #expect(fixture.endedTokens.isEmpty)
        fixture.advance(by: 1)
        let key = try #require(try fixture.record(id).token.key)
        #expect(fixture.endedTokens == [key])
        #expect(fixture.changes(id).last == .tokenEnded)
    }

    @Test("by switch the token ends with the dismissal, and at once")
    func endsWithDismissal() throws {
        var fixture = ActivityFixture()
        fixture.switches.tokenEndsWith = .dismissal
        fixture.switches.tokenLifeAfterEnd = 0
        let id = try fixture.request()
        fixture.end(id)
        fixture.advance(by: 4 * 3600 - 1)
        #expect(fixture.endedTokens.isEmpty)
        fixture.advance(by: 1)
        #expect(fixture.endedTokens.count == 1)
        #expect(try fixture.record(id).state == .dismissed)
    }

    @Test("a token that changes is answered 410 from then on, and the app is told the new one")
    func rotation() throws {
        var fixture = ActivityFixture()
        let id = try fixture.request()
        let first = try #require(try fixture.record(id).token.key)
        fixture.rotateToken(id)
        let second = try #require(try fixture.record(id).token.key)
        #expect(first != second)
        #expect(fixture.endedTokens == [first])
        #expect(fixture.calls == ["Activity.pushTokenUpdates", "Activity.pushTokenUpdates"])
    }

    @Test("by switch tokens change by themselves as long as the activity runs")
    func rotatesByItself() throws {
        var fixture = ActivityFixture()
        fixture.switches.tokenRotation = 3600
        _ = try fixture.request()
        fixture.advance(by: 3600)
        #expect(fixture.endedTokens.count == 1)
        fixture.advance(by: 2 * 3600)
        #expect(fixture.endedTokens.count == 3)
        fixture.advance(by: 24 * 3600)
        #expect(fixture.endedTokens.count == 8, "seven changes within 8 hours, and the end")
    }

    @Test("by switch a push-to-start token changes when it was used")
    func pushToStartRotation() throws {
        var fixture = ActivityFixture()
        try fixture.pushToStart(ActivityFixture.start(fixture.now))
        #expect(fixture.rotations == 0)
        fixture.switches.rotatesPushToStart = true
        try fixture.pushToStart(ActivityFixture.start(fixture.now))
        #expect(fixture.rotations == 1)
    }

    @Test("an activity that ends before its token came never gets one")
    func endsBefore() throws {
        var fixture = ActivityFixture()
        fixture.switches.requestTokenDelay = 10
        let id = try fixture.request()
        fixture.end(id, dismissal: .immediate)
        fixture.advance(by: 100)
        #expect(try fixture.record(id).token.key == nil)
        #expect(try fixture.record(id).nextDue == nil)
    }
}
