// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Testing

@testable import APNsSimulator

@Suite("Live Activity push rules")
struct ActivityPushRuleTests {
    /// A change to a push that is in order.
    typealias Spoiling = @Sendable (inout [String: JSONValue]) -> Void

    private static let now = ActivityFixture.start

    /// What each way to spoil an update leaves behind as the reason; `nil` where it changes something all the same.
    private static let updateCases: [(String, ActivityIgnoreReason?, Spoiling)] = [
        ("nothing", nil, { _ in }),
        ("no event", .unknownEvent, { $0["event"] = nil }),
        ("an unknown event", .unknownEvent, { $0["event"] = "pause" }),
        ("no timestamp", .missingTimestamp, { $0["timestamp"] = nil }),
        ("a timestamp as a string", .malformedPayload, { $0["timestamp"] = "1760000000" }),
        ("no content state", .missingContentState, { $0["content-state"] = nil }),
        ("a content state that is no object", .malformedPayload, { $0["content-state"] = [1] }),
        ("a stale date as a string", .malformedPayload, { $0["stale-date"] = "soon" }),
        ("a relevance score as a string", .malformedPayload, { $0["relevance-score"] = "high" }),
        ("an alert as a string", .malformedPayload, { $0["alert"] = "hello" }),
        ("start", .wrongToken, { $0["event"] = "start" }),
        ("a state that cannot be decoded", .undecodable, { $0["content-state"] = ["fee": "400"] }),
        ("a state without a key", .undecodable, { $0["content-state"] = [:] }),
        (
            "a state of 4 KB", .tooLarge,
            { $0["content-state"] = ["fee": 1, "x": .string(String(repeating: "x", count: 4096))] }
        ),
        ("a timestamp 200 s ago", nil, { $0["timestamp"] = .double(Self.now - 200) }),
        ("a timestamp 201 s ago", .pastTimestamp, { $0["timestamp"] = .double(Self.now - 201) }),
        ("a timestamp 8 h ahead", nil, { $0["timestamp"] = .double(Self.now + 28_800) }),
        ("a timestamp more than 8 h ahead", .futureTimestamp, { $0["timestamp"] = .double(Self.now + 28_801) }),
        ("a timestamp in milliseconds", .futureTimestamp, { $0["timestamp"] = .double(Self.now * 1000) }),
        ("a key of another's", nil, { $0["custom"] = 1 }),
        ("a stale date beyond all years", nil, { $0["stale-date"] = 1e300 }),
    ]

    @Test("an update that breaks a rule changes nothing and leaves the rule's reason", arguments: updateCases.indices)
    func updates(index: Int) throws {
        let (name, cause, spoil) = Self.updateCases[index]
        var fixture = ActivityFixture()
        fixture.book.register(
            ActivityType(name: ActivityFixture.type, contentState: .object(["fee": .init(.integer(.integer))])),
            bundleID: ActivityFixture.app
        )
        let id = try fixture.request()
        // Older pushes have to be told from those that are in order.
        fixture.now += 0
        var aps = ActivityFixture.update(fixture.now)
        spoil(&aps)
        let state = try fixture.record(id).contentState
        let found = try fixture.push(aps, to: id)
        #expect(found == cause, "\(name)")
        let record = try fixture.record(id)
        #expect((record.contentState == state) == (cause != nil), "\(name)")
        #expect(record.timeline.last?.change == (cause == nil ? .updated : .ignored), "\(name)")
        #expect(record.timeline.last?.apnsID == APNsID(high: 1, low: 2))
        if cause != nil { #expect(record.timeline.last?.detail?.isEmpty == false, "\(name)") }
    }

    @Test("a payload that is no JSON object with aps changes nothing", arguments: ["", "[]", "{}", #"{"aps":1}"#, "{"])
    func malformed(payload: String) throws {
        var fixture = ActivityFixture()
        let id = try fixture.request()
        #expect(fixture.receive(Array(payload.utf8), .token(id)) == .malformedPayload)
    }

    /// What each way to spoil a start leaves behind.
    private static let startCases: [(String, ActivityIgnoreReason?, Spoiling)] = [
        ("nothing", nil, { _ in }),
        ("no alert", .missingAlert, { $0["alert"] = nil }),
        ("an empty alert", .missingAlert, { $0["alert"] = [:] }),
        ("an alert with keys of the app's strings", nil, { $0["alert"] = ["title": ["loc-key": "T"]] }),
        ("no attributes", .missingAttributes, { $0["attributes"] = nil }),
        ("no attributes type", .missingAttributes, { $0["attributes-type"] = nil }),
        ("another attributes type", .attributesTypeMismatch, { $0["attributes-type"] = "OtherAttributes" }),
        ("no content state", .missingContentState, { $0["content-state"] = nil }),
        ("update", .wrongToken, { $0["event"] = "update" }),
        ("end", .wrongToken, { $0["event"] = "end" }),
        ("a timestamp long ago", .pastTimestamp, { $0["timestamp"] = 1_680_000_000 }),
        ("a timestamp far ahead", .futureTimestamp, { $0["timestamp"] = .double(Self.now + 30_000) }),
        ("attributes that cannot be decoded", .undecodable, { $0["attributes"] = ["bike": 7] }),
        ("a state that cannot be decoded", .undecodable, { $0["content-state"] = ["fee": true] }),
        (
            "4 KB of attributes and state together", .tooLarge,
            {
                $0["attributes"] = ["bike": "x", "x": .string(String(repeating: "x", count: 2040))]
                $0["content-state"] = ["fee": 1, "x": .string(String(repeating: "x", count: 2040))]
            }
        ),
        ("a channel that is none", .unknownChannel, { $0["input-push-channel"] = "bm9uZQ==" }),
        ("a channel", nil, { $0["input-push-channel"] = "Y2hhbm5lbA==" }),
        (
            "a channel and a token", .conflictingInput,
            {
                $0["input-push-channel"] = "Y2hhbm5lbA=="
                $0["input-push-token"] = 1
            }
        ),
        ("a stale date in the past", nil, { $0["stale-date"] = .double(Self.now - 1) }),
    ]

    @Test("a start that breaks a rule starts nothing and leaves the rule's reason", arguments: startCases.indices)
    func starts(index: Int) throws {
        let (name, cause, spoil) = Self.startCases[index]
        var fixture = ActivityFixture()
        fixture.channels = ["Y2hhbm5lbA=="]
        fixture.book.register(
            ActivityType(
                name: ActivityFixture.type,
                attributes: .object(["bike": .init(.string, isOptional: true)]),
                contentState: .object(["fee": .init(.integer(.integer))])
            ),
            bundleID: ActivityFixture.app
        )
        var aps = ActivityFixture.start(fixture.now)
        spoil(&aps)
        let found = try fixture.pushToStart(aps)
        #expect(found == cause, "\(name)")
        #expect(fixture.book.activities(of: ActivityFixture.device).count == (cause == nil ? 1 : 0), "\(name)")
        let ignored = fixture.book.ignored(on: ActivityFixture.device)
        #expect(ignored.map(\.entry.cause) == (cause == nil ? [] : [cause]), "\(name)")
        #expect(fixture.calls.contains("Activity.activityUpdates") == (cause == nil), "\(name)")
    }

    @Test("an attributes type that the app has not is no start, where its types are known")
    func unknownType() throws {
        var fixture = ActivityFixture()
        fixture.book.register(
            ActivityType(name: "PizzaAttributes", contentState: .any),
            bundleID: ActivityFixture.app
        )
        #expect(try fixture.pushToStart(ActivityFixture.start(fixture.now)) == .unknownAttributesType)
        fixture.switches.unknownAttributesType = .accept
        #expect(try fixture.pushToStart(ActivityFixture.start(fixture.now)) == nil)
    }

    @Test("the newest timestamp wins; the same one is followed")
    func ordering() throws {
        var fixture = ActivityFixture()
        let id = try fixture.request()
        fixture.now += 10
        #expect(try fixture.push(ActivityFixture.update(fixture.now - 2, ["fee": 2]), to: id) == nil)
        #expect(try fixture.push(ActivityFixture.update(fixture.now - 3, ["fee": 3]), to: id) == .olderTimestamp)
        #expect(try fixture.record(id).contentState == ["fee": 2])
        #expect(try fixture.push(ActivityFixture.update(fixture.now - 2, ["fee": 4]), to: id) == nil)
        #expect(try fixture.record(id).contentState == ["fee": 4])
    }

    @Test("an end ignores a timestamp in the past; its older content is not shown")
    func endInThePast() throws {
        var fixture = ActivityFixture()
        let id = try fixture.request()
        fixture.now += 1000
        try fixture.push(ActivityFixture.update(fixture.now, ["fee": 2]), to: id)
        #expect(try fixture.push(ActivityFixture.end(1_680_000_000), to: id) == nil)
        let record = try fixture.record(id)
        #expect(record.state == .ended)
        #expect(record.contentState == ["fee": 2])
    }

    @Test("an end too far ahead is dropped like an update")
    func endInTheFuture() throws {
        var fixture = ActivityFixture()
        let id = try fixture.request()
        #expect(try fixture.push(ActivityFixture.end(fixture.now + 28_801), to: id) == .futureTimestamp)
        #expect(try fixture.record(id).state == .active)
    }

    @Test("the age of a timestamp is told from the acceptance, or by switch from the arrival")
    func pastReference() throws {
        var fixture = ActivityFixture()
        let id = try fixture.request { $0.contentState = ["fee": 0] }
        let sent = fixture.now
        fixture.now += 3600
        let update = ActivityFixture.update(sent)
        #expect(try fixture.push(update, to: id, acceptedAt: sent) == nil)
        fixture.switches.pastReference = .arrival
        #expect(try fixture.push(update, to: id, acceptedAt: sent) == .pastTimestamp)
        fixture.switches.pastTolerance = nil
        #expect(try fixture.push(update, to: id, acceptedAt: sent) == nil)
    }

    @Test("pushes after the end are ignored", arguments: [ActivityDismissalPolicy.default, .immediate])
    func afterEnd(dismissal: ActivityDismissalPolicy) throws {
        var fixture = ActivityFixture()
        let id = try fixture.request()
        fixture.end(id, dismissal: dismissal)
        #expect(try fixture.push(ActivityFixture.update(fixture.now), to: id) == .ended)
        #expect(try fixture.push(ActivityFixture.end(fixture.now), to: id) == .ended)
    }

    @Test("a broadcast updates and ends, and starts nothing")
    func broadcasts() throws {
        var fixture = ActivityFixture()
        fixture.channels = ["Y2hhbm5lbA=="]
        let id = try fixture.request(pushType: .channel("Y2hhbm5lbA=="))
        #expect(try fixture.broadcast(ActivityFixture.start(fixture.now), to: id) == .startByBroadcast)
        #expect(try fixture.broadcast(ActivityFixture.update(fixture.now), to: id) == nil)
        #expect(try fixture.broadcast(ActivityFixture.end(fixture.now), to: id) == nil)
        #expect(try fixture.record(id).state == .ended)
        #expect(fixture.subscriptions.isEmpty)
    }

    @Test(
        "push-to-start needs iOS 17.2, a channel iOS 18",
        arguments: [
            (17, 1, .unsupportedSystem, .unsupportedSystem), (17, 2, nil, .unsupportedSystem), (18, 0, nil, nil),
        ] as [(Int, Int, ActivityIgnoreReason?, ActivityIgnoreReason?)]
    )
    func systems(major: Int, minor: Int, start: ActivityIgnoreReason?, channel: ActivityIgnoreReason?) throws {
        var fixture = ActivityFixture()
        fixture.channels = ["Y2hhbm5lbA=="]
        fixture.host = ActivityFixture.host(major, minor)
        var aps = ActivityFixture.start(fixture.now)
        #expect(try fixture.pushToStart(aps) == start)
        aps["input-push-channel"] = "Y2hhbm5lbA=="
        #expect(try fixture.pushToStart(aps) == channel)
    }

    @Test("an app without Live Activities, or one whose are switched off, starts none")
    func switchedOff() throws {
        var fixture = ActivityFixture()
        fixture.configure { $0.areActivitiesEnabled = false }
        #expect(try fixture.pushToStart(ActivityFixture.start(fixture.now)) == .disabled)
        fixture.configure { $0.areActivitiesEnabled = true }
        fixture.host.supportsLiveActivities = false
        #expect(try fixture.pushToStart(ActivityFixture.start(fixture.now)) == .unsupportedApp)
    }

    @Test("an app has five activities at most, a device as many as the switch says")
    func limits() throws {
        var fixture = ActivityFixture()
        for _ in 0..<5 { #expect(try fixture.pushToStart(ActivityFixture.start(fixture.now)) == nil) }
        #expect(try fixture.pushToStart(ActivityFixture.start(fixture.now)) == .limitExceeded)
        fixture.switches.maximumPerApp = 10
        fixture.switches.maximumOnDevice = 5
        #expect(try fixture.pushToStart(ActivityFixture.start(fixture.now)) == .limitExceeded)
    }
}
