// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import PushModel
import Testing

@Suite("The lifecycle of a Live Activity")
struct ActivityLifecycleTests {
    private let now = Date(millisecondsSince1970: 1_770_000_000_700)

    private func lifecycle(_ state: String? = #"{"fee":400}"#) throws -> ActivityLifecycle {
        ActivityLifecycle(timestamp: 1_770_000_000, contentState: try state.map { try RawJSONObject(json: $0) })
    }

    private func replacing(_ state: String, alert: LiveActivityAlert? = nil) throws -> ActivityChange {
        ActivityChange(contentState: .replaced(try RawJSONObject(json: state)), alert: alert)
    }

    private func text(_ lifecycle: ActivityLifecycle, after version: Int) throws -> String {
        try #require(lifecycle.payload(after: version)).text
    }

    @Test("a new state is sent byte for byte, under a new version and a greater timestamp")
    func update() throws {
        var lifecycle = try self.lifecycle()
        let isVisible = try lifecycle.apply([self.replacing(#"{"fee" : 550.0}"#)], fixedBytes: 0, now: self.now)
        #expect(isVisible)
        #expect(lifecycle.version == 2)
        let expected = #"{"aps":{"timestamp":1770000001,"event":"update","content-state":{"fee" : 550.0}}}"#
        #expect(try self.text(lifecycle, after: 1) == expected)
    }

    @Test("the timestamp rises with every change, also within a second and when the clock steps back")
    func timestamps() throws {
        var lifecycle = try self.lifecycle()
        var timestamps: [Int64] = []
        for seconds in [0.0, 0, 0.1, -3600, 10] {
            _ = try lifecycle.apply([self.replacing("{}")], fixedBytes: 0, now: self.now.addingTimeInterval(seconds))
            timestamps.append(lifecycle.timestamp - 1_770_000_000)
        }
        #expect(timestamps == [1, 2, 3, 4, 10])
    }

    @Test("a patch changes what it names and leaves the rest")
    func patch() throws {
        var lifecycle = try self.lifecycle(#"{"a":{"b":1,"c":2},"d":[1],"e":1.5}"#)
        let patch = try RawJSONObject(json: #"{"a":{"b":null,"x":"y"},"d":2}"#)
        _ = try lifecycle.apply([ActivityChange(contentState: .patched(patch))], fixedBytes: 0, now: self.now)
        let state = try #require(lifecycle.contentState)
        #expect(String(decoding: state.bytes, as: UTF8.self) == #"{"a":{"c":2,"x":"y"},"d":2,"e":1.5}"#)
    }

    @Test("what is not named stays as it was said before")
    func kept() throws {
        var lifecycle = try self.lifecycle()
        let first = ActivityChange(staleDate: .after(seconds: 60), relevanceScore: 7)
        _ = try lifecycle.apply([first], fixedBytes: 0, now: self.now)
        _ = try lifecycle.apply([self.replacing("{}")], fixedBytes: 0, now: self.now)
        let text = try self.text(lifecycle, after: 2)
        #expect(text.hasSuffix(#""content-state":{},"stale-date":1770000060,"relevance-score":7}}"#))
        _ = try lifecycle.apply([ActivityChange(staleDate: .never)], fixedBytes: 0, now: self.now)
        #expect(!(try self.text(lifecycle, after: 3)).contains("stale-date"))
    }

    @Test("an alert is for phones that have not shown it, however often the state changed since")
    func alerts() throws {
        var lifecycle = try self.lifecycle()
        let alert = LiveActivityAlert(title: "Goal", body: "2:1", sound: "default")
        var goal = try self.replacing(#"{"score":"2:1"}"#, alert: alert)
        goal.priority = .immediate
        _ = try lifecycle.apply([goal], fixedBytes: 0, now: self.now)
        var clock = try self.replacing(#"{"score":"2:1","minute":61}"#)
        clock.priority = .powerConsiderate
        _ = try lifecycle.apply([clock], fixedBytes: 0, now: self.now)
        #expect(!(try self.text(lifecycle, after: 2)).contains("alert"))
        #expect(lifecycle.priority(after: 2) == .powerConsiderate)
        let late = try self.text(lifecycle, after: 1)
        #expect(late.contains(#""alert":{"title":"Goal","body":"2:1","sound":"default"}"#))
        #expect(late.contains(#""minute":61"#))
        #expect(lifecycle.priority(after: 1) == .immediate)
    }

    @Test("changes that are folded are one change for phones")
    func folding() throws {
        var lifecycle = try self.lifecycle(#"{"status":"active","left":20}"#)
        let changes = try [
            ActivityChange(contentState: .patched(RawJSONObject(json: #"{"status":"ending","left":15}"#))),
            ActivityChange(contentState: .patched(RawJSONObject(json: #"{"left":5}"#)), end: .after(seconds: 300)),
        ]
        _ = try lifecycle.apply(changes, fixedBytes: 0, now: self.now)
        #expect(lifecycle.version == 2)
        #expect(lifecycle.state == .ended)
        let expected =
            #"{"aps":{"timestamp":1770000001,"event":"end","content-state":{"left":5,"status":"ending"},"#
            + #""dismissal-date":1770000300}}"#
        #expect(try self.text(lifecycle, after: 1) == expected)
    }

    @Test(
        "an end says when the activity leaves the Lock Screen",
        arguments: [
            (ActivityChange.Dismissal.standard, nil), (.immediate, 1_769_999_999), (.after(seconds: 5), 1_770_000_005),
            (.at(Date(timeIntervalSince1970: 1_770_000_099.9)), 1_770_000_099),
        ] as [(ActivityChange.Dismissal, Int64?)]
    )
    func dismissal(dismissal: ActivityChange.Dismissal, date: Int64?) throws {
        var lifecycle = try self.lifecycle()
        _ = try lifecycle.apply([ActivityChange(end: dismissal)], fixedBytes: 0, now: self.now)
        #expect(lifecycle.dismissalDate == date)
    }

    @Test("times are reckoned from the change, however far many of them have driven the timestamp ahead")
    func drift() throws {
        var lifecycle = try self.lifecycle()
        for number in 0..<100 {
            _ = try lifecycle.apply([self.replacing("{\"left\":\(number)}")], fixedBytes: 0, now: self.now)
        }
        #expect(lifecycle.timestamp == self.now.secondsSince1970 + 100)
        var stale = lifecycle
        _ = try stale.apply([ActivityChange(staleDate: .after(seconds: 60))], fixedBytes: 0, now: self.now)
        #expect(stale.staleDate == self.now.secondsSince1970 + 60)
        _ = try lifecycle.apply([ActivityChange(end: .immediate)], fixedBytes: 0, now: self.now)
        #expect(lifecycle.dismissalDate == self.now.secondsSince1970 - 1)
        #expect(lifecycle.timestamp == self.now.secondsSince1970 + 101)
    }

    @Test("an activity that is over takes no change, and stays as it is")
    func over() throws {
        var lifecycle = try self.lifecycle()
        _ = try lifecycle.apply([ActivityChange(end: .standard)], fixedBytes: 0, now: self.now)
        let ended = lifecycle
        #expect(throws: ActivityError.over) {
            try lifecycle.apply([self.replacing("{}")], fixedBytes: 0, now: self.now)
        }
        lifecycle.start(at: self.now)
        #expect(lifecycle == ended)
    }

    @Test("without a content state there is nothing to patch and nothing to send but the end")
    func noContentState() throws {
        var lifecycle = try self.lifecycle(nil)
        let patch = ActivityChange(contentState: .patched(try RawJSONObject(json: #"{"a":1}"#)))
        for change in [patch, ActivityChange(relevanceScore: 1)] {
            #expect(throws: ActivityError.noContentState) {
                try lifecycle.apply([change], fixedBytes: 0, now: self.now)
            }
        }
        #expect(lifecycle.version == 1)
        #expect(lifecycle.payload(after: 0) == nil)
        _ = try lifecycle.apply([ActivityChange(end: .immediate)], fixedBytes: 0, now: self.now)
        let expected = #"{"aps":{"timestamp":1770000001,"event":"end","dismissal-date":1769999999}}"#
        #expect(try self.text(lifecycle, after: 1) == expected)
    }

    @Test("what Apple would refuse for its size is refused here, with its size")
    func size() throws {
        var lifecycle = try self.lifecycle()
        let frame = #"{"aps":{"timestamp":1770000001,"event":"update","content-state":{"t":""}}}"#.utf8.count
        let fits = #"{"t":"\#(String(repeating: "x", count: 4096 - frame))"}"#
        _ = try lifecycle.apply([self.replacing(fits)], fixedBytes: 0, now: self.now)
        let over = #"{"t":"\#(String(repeating: "x", count: 4097 - frame))"}"#
        #expect(throws: ActivityError.tooLarge(bytes: 4097)) {
            try lifecycle.apply([self.replacing(over)], fixedBytes: 0, now: self.now)
        }
        #expect(throws: ActivityError.tooLarge(bytes: fits.utf8.count + 100)) {
            try lifecycle.apply([self.replacing(fits)], fixedBytes: 100, now: self.now)
        }
        #expect(lifecycle.version == 2)
    }

    @Test("the system ends an activity 8 hours after the last phone started it")
    func expiry() throws {
        var lifecycle = try self.lifecycle()
        let isOver1 = lifecycle.expire(isPlanned: true, now: .distantFuture)
        #expect(!isOver1)
        lifecycle.start(at: self.now.addingTimeInterval(600))
        lifecycle.start(at: self.now)
        #expect(lifecycle.state == .active)
        #expect(lifecycle.startedAt == self.now)
        let end = self.now.addingTimeInterval(600 + 8 * 3600)
        #expect(lifecycle.expiresAt == end)
        let isOver2 = lifecycle.expire(isPlanned: false, now: end.addingTimeInterval(-0.001))
        #expect(!isOver2)
        let isOver3 = lifecycle.expire(isPlanned: false, now: end)
        #expect(isOver3)
        #expect(lifecycle.state == .expired)
    }

    @Test("an activity that nobody has joined is over 30 days after its last change, but waits for what is planned")
    func forgotten() throws {
        var lifecycle = try self.lifecycle()
        // Changes are dated to the second.
        let end = Date(timeIntervalSince1970: 1_770_000_000 + 30 * 86_400)
        #expect(lifecycle.end(isPlanned: false) == end)
        #expect(lifecycle.end(isPlanned: true) == nil)
        let later = self.now.addingTimeInterval(60)
        _ = try lifecycle.apply([ActivityChange(relevanceScore: 1)], fixedBytes: 0, now: later)
        let isOver = lifecycle.expire(isPlanned: false, now: end)
        #expect(!isOver)
        let isOverLater = lifecycle.expire(isPlanned: false, now: end.addingTimeInterval(60))
        #expect(isOverLater)
        #expect(lifecycle.end(isPlanned: false) == nil)
    }

    @Test("a change of instants alone is nothing that phones see")
    func instants() throws {
        var lifecycle = try self.lifecycle()
        let change = ActivityChange(instants: ["endsAt": self.now])
        let isVisible4 = try lifecycle.apply([change], fixedBytes: 0, now: self.now)
        #expect(!isVisible4)
        #expect(lifecycle.version == 1)
    }
}
