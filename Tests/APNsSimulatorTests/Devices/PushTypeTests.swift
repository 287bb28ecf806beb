// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Testing

@testable import APNsSimulator

@Suite("Other push types on a device")
struct PushTypeTests {
    @Test(
        "each push type reaches the app by its own method",
        arguments: [
            ("voip", ".voip", AppCallback.Name.pushKitPush), ("complication", ".complication", .pushKitPush),
            ("fileprovider", ".pushkit.fileprovider", .pushKitPush), ("location", ".location-query", .locationPush),
            ("pushtotalk", ".voip-ptt", .pushToTalk), ("widgets", ".push-type.widgets", .widgetReload),
            ("controls", ".push-type.controls", .controlReload),
        ]
    )
    func method(pushType: String, suffix: String, name: AppCallback.Name) throws {
        let fixture = try RequestFixture(apps: [RequestFixture.app + suffix])
        fixture.push(#"{"k":1}"#, id: 1, [(.pushType, pushType)])
        #expect(fixture.snapshot.calls.map(\.name) == [name])
        #expect(fixture.snapshot.calls.map(\.bundleID) == [RequestFixture.app])
        #expect(fixture.snapshot.shown.isEmpty)
    }

    @Test("a call launches an app that is not running")
    func launches() throws {
        let fixture = try RequestFixture(apps: [RequestFixture.app + ".voip"])
        fixture.changeApp { $0.state = .forceQuit }
        fixture.push(#"{"k":1}"#, id: 1, [(.pushType, "voip")])
        #expect(fixture.snapshot.calls.map(\.launches) == [true])
        #expect(fixture.snapshot.app(RequestFixture.app)?.traits.state == .background)
    }

    @Test(
        "budgets end the pushes of complications and widgets",
        arguments: [
            ("complication", ".complication", 50, 86_400.0, DiscardReason.complicationBudget),
            ("widgets", ".push-type.widgets", 5, 3600, .widgetBudget),
        ]
    )
    func budget(pushType: String, suffix: String, limit: Int, span: Double, cause: DiscardReason) throws {
        let fixture = try RequestFixture(apps: [RequestFixture.app + suffix])
        for id in 0...limit { fixture.push(#"{"k":1}"#, id: UInt64(id), [(.pushType, pushType)]) }
        #expect(fixture.snapshot.calls.count == limit)
        #expect(fixture.discarded == [cause])
        fixture.advance(by: span)
        try fixture.authorize(fixture.key)
        fixture.trust = ConnectionAuthentication()
        fixture.push(#"{"k":1}"#, id: 999, [(.pushType, pushType)])
        #expect(fixture.snapshot.calls.count == limit + 1)
    }

    @Test("an older system does not know newer push types")
    func oldSystem() throws {
        let fixture = try RequestFixture(apps: [RequestFixture.app + ".push-type.widgets"])
        fixture.changeDevice { $0.systemVersion = SystemVersion(major: 18, minor: 5) }
        fixture.push(#"{"k":1}"#, id: 1, [(.pushType, "widgets")])
        #expect(fixture.discarded == [.systemTooOld])
    }

    @Test("an alert to a token of another push type comes to nothing")
    func otherType() throws {
        let fixture = try RequestFixture(apps: [RequestFixture.app + ".voip"])
        fixture.push(#"{"aps":{"alert":"x"}}"#, id: 1, [(.pushType, "alert")])
        #expect(fixture.discarded == [.otherPushType])
    }

    @Test("a version is read from text", arguments: [("17.2", 17, 2), ("26", 26, 0), ("16.1.1", 16, 1)])
    func version(text: String, major: Int, minor: Int) {
        #expect(SystemVersion(text) == SystemVersion(major: major, minor: minor))
        #expect(SystemVersion("x") == nil)
        #expect(SystemVersion("1..2") == nil)
    }
}
