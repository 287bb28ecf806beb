// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Testing

@testable import APNsSimulator

@Suite("What the person sees")
struct ShownListTests {
    private static let full = """
        {"aps":{"alert":{"title":"T","subtitle":"S","body":"B"},"badge":3,"sound":"bing.aiff","thread-id":"t1",\
        "category":"MEET","interruption-level":"time-sensitive","relevance-score":0.5},"custom":1}
        """

    @Test("a notification is shown with everything that its payload says")
    func full() throws {
        let fixture = try RequestFixture()
        fixture.push(Self.full)
        let shown = try #require(fixture.snapshot.shown.first)
        #expect([shown.title, shown.subtitle, shown.body] == ["T", "S", "B"])
        #expect([shown.sound, shown.threadID, shown.category] == ["bing.aiff", "t1", "MEET"])
        #expect(shown.interruptionLevel == "time-sensitive")
        #expect(shown.relevanceScore == 0.5)
        #expect(!shown.isQuiet)
        #expect(fixture.snapshot.app(RequestFixture.app)?.badge == 3)
    }

    @Test("a later notification of the same collapse identifier replaces what is shown")
    func collapse() throws {
        let fixture = try RequestFixture()
        fixture.push(#"{"aps":{"alert":"1"}}"#, id: 1, [(.collapseID, "score")])
        fixture.push(#"{"aps":{"alert":"x"}}"#, id: 2, [(.collapseID, "other")])
        fixture.push(#"{"aps":{"alert":"2"}}"#, id: 3, [(.collapseID, "score")])
        #expect(fixture.snapshot.shown.map(\.body) == ["x", "2"])
        #expect(fixture.snapshot.shown.map(\.identifier) == ["other", "score"])
        #expect(fixture.snapshot.notifications.count == 3)
        #expect(fixture.snapshot.history.filter { $0.kind == .replaced }.map(\.apnsID?.low) == [3])
    }

    @Test(
        "the permission decides what is seen and heard",
        arguments: [
            (NotificationAuthorization.authorized, true, false, 3 as Int?), (.ephemeral, true, false, 3),
            (.provisional, true, true, nil), (.denied, false, false, nil), (.notDetermined, false, false, nil),
        ]
    )
    func permission(permission: NotificationAuthorization, isShown: Bool, isQuiet: Bool, badge: Int?) throws {
        let fixture = try RequestFixture()
        fixture.changeApp { $0.permission = permission }
        fixture.push(Self.full)
        #expect(fixture.snapshot.shown.count == (isShown ? 1 : 0))
        #expect(fixture.snapshot.shown.first?.isQuiet ?? false == isQuiet)
        #expect(fixture.snapshot.app(RequestFixture.app)?.badge == badge)
        #expect(fixture.discarded == (isShown ? [] : [.notificationsDisabled]))
    }

    @Test("badge 0 takes the badge away")
    func badge() throws {
        let fixture = try RequestFixture()
        fixture.push(#"{"aps":{"badge":5}}"#)
        #expect(fixture.snapshot.app(RequestFixture.app)?.badge == 5)
        fixture.push(#"{"aps":{"badge":0}}"#)
        #expect(fixture.snapshot.app(RequestFixture.app)?.badge == nil)
        #expect(fixture.snapshot.shown.isEmpty)
    }

    @Test("a payload with nothing to show and nothing to wake is discarded with that cause")
    func nothing() throws {
        let fixture = try RequestFixture()
        fixture.push(#"{"custom":1}"#)
        #expect(fixture.discarded == [.nothingToDo])
    }

    @Test("while the app is on the screen it decides: willPresent with the payload, and its options")
    func foreground() throws {
        let fixture = try RequestFixture()
        fixture.changeApp {
            $0.state = .foreground
            $0.presentation = ["list"]
        }
        fixture.push(Self.full)
        let call = try #require(fixture.snapshot.calls.first)
        #expect(call.name == .willPresent)
        #expect(call.userInfo == Array(Self.full.utf8))
        #expect(call.arguments == ["options": "list"])
        #expect(fixture.snapshot.shown.map(\.sound) == [nil])
        #expect(fixture.snapshot.app(RequestFixture.app)?.badge == nil)
        fixture.changeApp { $0.presentation = [] }
        fixture.push(#"{"aps":{"alert":"silent"}}"#)
        #expect(fixture.snapshot.shown.count == 1)
    }

    @Test("mutable content goes through the service extension, with 30 s")
    func serviceExtension() throws {
        let fixture = try RequestFixture()
        fixture.changeApp { $0.hasServiceExtension = true }
        fixture.push(#"{"aps":{"alert":"x","mutable-content":1}}"#)
        #expect(fixture.snapshot.calls.map(\.name) == [.serviceExtension])
        #expect(fixture.snapshot.shown.count == 1)
    }

    @Test("a tap opens the app, tells it, and takes the notification out of the list")
    func tap() throws {
        let fixture = try RequestFixture()
        fixture.push(#"{"aps":{"alert":"1"}}"#, id: 1, [(.collapseID, "a")])
        fixture.push(#"{"aps":{"alert":"2"}}"#, id: 2, [(.collapseID, "b")])
        let switches = fixture.world.switches.devices
        let isThere = fixture.world.change(fixture.device, now: fixture.now) {
            $0.respond(to: "a", of: nil, action: nil, text: nil, switches: switches, now: fixture.now, &$1)
        }
        #expect(isThere == true)
        #expect(fixture.snapshot.shown.map(\.identifier) == ["b"])
        #expect(fixture.snapshot.app(RequestFixture.app)?.traits.state == .foreground)
        let call = try #require(fixture.snapshot.calls.last)
        #expect(call.name == .didReceiveResponse)
        #expect(call.arguments["actionIdentifier"] == "com.apple.UNNotificationDefaultActionIdentifier")
        #expect(call.userInfo == Array(#"{"aps":{"alert":"1"}}"#.utf8))
    }

    @Test("an action with text reaches the app without opening it")
    func action() throws {
        let fixture = try RequestFixture()
        fixture.push(#"{"aps":{"alert":"1"}}"#, id: 1, [(.collapseID, "a")])
        let switches = fixture.world.switches.devices
        _ = fixture.world.change(fixture.device, now: fixture.now) {
            $0.respond(to: "a", of: nil, action: "REPLY", text: "yes", switches: switches, now: fixture.now, &$1)
        }
        #expect(fixture.snapshot.calls.last?.arguments["userText"] == "yes")
        #expect(fixture.snapshot.app(RequestFixture.app)?.traits.state == .suspended)
    }

    @Test("the person clears one notification, or all of an app")
    func dismiss() throws {
        let fixture = try RequestFixture()
        for name in ["a", "b", "c"] { fixture.push(#"{"aps":{"alert":"1"}}"#, id: 1, [(.collapseID, name)]) }
        let one = fixture.world.change(fixture.device, now: fixture.now) { $0.dismiss("b", of: nil, &$1) }
        #expect(one == 1)
        #expect(fixture.snapshot.shown.map(\.identifier) == ["a", "c"])
        let app = RequestFixture.app
        let rest = fixture.world.change(fixture.device, now: fixture.now) { $0.dismiss(nil, of: app, &$1) }
        #expect(rest == 2)
        #expect(fixture.snapshot.shown.isEmpty)
    }

    @Test("the list keeps its newest 1,000 and counts the rest; one that is replaced is none of them")
    func limit() throws {
        let fixture = try RequestFixture()
        fixture.world.events.wantsEvents = true
        for id in 1...1005 { fixture.push(#"{"aps":{"alert":"\#(id)"}}"#, id: UInt64(id)) }
        fixture.push(#"{"aps":{"alert":"a"}}"#, id: 2000, [(.collapseID, "same")])
        fixture.push(#"{"aps":{"alert":"b"}}"#, id: 2001)
        let device = fixture.snapshot
        #expect(device.shown.count == 1000)
        #expect(device.shown.first?.body == "7")
        #expect(device.shown.last?.body == "b")
        #expect(device.droppedShown == 6)
    }
}
