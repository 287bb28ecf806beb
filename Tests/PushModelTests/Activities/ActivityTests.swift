// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import PushModel
import Testing

@Suite("Live Activities and their phones")
struct ActivityTests {
    private let now = Date(millisecondsSince1970: 1_770_000_000_700)

    private func lesson(
        attributes: String? = #"{"childId":"c1"}"#,
        state: String? = #"{"status":"active"}"#,
        alert: LiveActivityAlert? = LiveActivityAlert(title: "Lesson", body: "It begins")
    ) throws -> Activity {
        try Activity(
            id: "lesson-1",
            app: "com.example.app",
            attributesType: "LessonAttributes",
            attributes: attributes.map { try RawJSONObject(json: $0) },
            contentState: state.map { try RawJSONObject(json: $0) },
            startAlert: alert,
            staleDate: Date(timeIntervalSince1970: 1_770_003_600),
            now: self.now
        )
    }

    @Test("a start has all that Apple asks for, and asks the phone for an update token")
    func start() throws {
        let payload = try #require(try self.lesson().startPayload)
        let expected =
            #"{"aps":{"timestamp":1770000000,"event":"start","content-state":{"status":"active"},"#
            + #""attributes-type":"LessonAttributes","attributes":{"childId":"c1"},"#
            + #""alert":{"title":"Lesson","body":"It begins"},"stale-date":1770003600,"input-push-token":1}}"#
        #expect(payload.text == expected)
    }

    @Test("what phones would drop in silence cannot be started by a push")
    func notStartable() throws {
        #expect(try self.lesson(attributes: nil).startPayload == nil)
        #expect(try self.lesson(state: nil).startPayload == nil)
        #expect(try self.lesson(alert: nil).startPayload == nil)
        var ended = try self.lesson()
        _ = try ended.lifecycle.apply([ActivityChange(end: .standard)], fixedBytes: 0, now: self.now)
        #expect(ended.startPayload == nil)
    }

    @Test("attributes that leave no room for anything are refused")
    func size() throws {
        #expect(throws: ActivityError.self) {
            try self.lesson(attributes: #"{"t":"\#(String(repeating: "x", count: 4000))"}"#)
        }
    }

    // MARK: Tokens

    private var lifecycle: ActivityLifecycle { ActivityLifecycle(state: .active, timestamp: 1, contentState: nil) }

    private func upload(_ byte: UInt8, after seconds: Double = 0) throws -> UpdateTokenRegistration {
        UpdateTokenRegistration(
            installation: "phone",
            token: try DeviceToken(bytes: [byte]),
            environment: .sandbox,
            issuedAt: self.now.addingTimeInterval(seconds),
            frequentUpdates: true
        )
    }

    private func target(_ byte: UInt8) throws -> Target {
        Target(token: try DeviceToken(bytes: [byte]), environment: .sandbox)
    }

    private func starting() -> ActivityParticipant {
        ActivityParticipant(
            installation: "phone",
            environment: .production,
            token: nil,
            state: .starting,
            origin: .push,
            lastSentVersion: 1,
            joinedAt: self.now
        )
    }

    @Test("a phone is sent updates once its token is there, and then to the youngest one")
    func tokens() throws {
        var phone = self.starting()
        #expect(phone.target == nil)
        let arrival1 = try phone.receive(
            self.upload(1, after: 10),
            joining: self.lifecycle,
            now: self.now.addingTimeInterval(11)
        )
        #expect(arrival1 == .arrived)
        let target = Target(token: try DeviceToken(bytes: [1]), environment: .sandbox)
        #expect(phone.target == target)
        #expect(phone.frequentUpdates == true)
        let arrival2 = try phone.receive(
            self.upload(1, after: 10),
            joining: self.lifecycle,
            now: self.now.addingTimeInterval(12)
        )
        #expect(arrival2 == .known)
        let arrival3 = try phone.receive(
            self.upload(2, after: 30),
            joining: self.lifecycle,
            now: self.now.addingTimeInterval(31)
        )
        #expect(arrival3 == .rotated)
        let late = try phone.receive(
            self.upload(1, after: 20),
            joining: self.lifecycle,
            now: self.now.addingTimeInterval(40)
        )
        #expect(late == .known)
        #expect(phone.target?.token == (try DeviceToken(bytes: [2])))
        #expect(phone.startedAt == self.now.addingTimeInterval(11))
    }

    @Test("a dead token takes its phone with it, unless another one was told since")
    func dead() throws {
        var phone = self.starting()
        _ = try phone.receive(self.upload(1), joining: self.lifecycle, now: self.now)
        _ = try phone.receive(self.upload(2, after: 1), joining: self.lifecycle, now: self.now)
        let isLost4 = try phone.lose(self.target(1), reason: .unregistered, isLast: true)
        #expect(!isLost4)
        let isLost5 = try phone.lose(self.target(2), reason: .unregistered, isLast: true)
        #expect(isLost5)
        #expect(phone.state == .ended(reason: "Unregistered"))
        #expect(phone.target == nil)
        let arrival6 = try phone.receive(self.upload(2, after: 2), joining: self.lifecycle, now: self.now)
        #expect(arrival6 == .known)
        #expect(phone.target == nil)
        let arrival7 = try phone.receive(self.upload(3, after: 3), joining: self.lifecycle, now: self.now)
        #expect(arrival7 == .arrived)
        #expect(phone.target != nil)
    }

    @Test("a device that is sent another start is starting, regardless of the outcomes of earlier pushes")
    func again() throws {
        var phone = self.starting()
        _ = try phone.receive(self.upload(1), joining: self.lifecycle, now: self.now)
        _ = try phone.lose(self.target(1), reason: .expiredToken, isLast: true)
        let start = PushToStartToken(
            app: "app",
            installation: "phone",
            attributesType: "Type",
            token: try DeviceToken(bytes: [9]),
            environment: .sandbox,
            issuedAt: self.now
        )
        phone.start(with: start, version: 4)
        #expect(phone.lastSentVersion == 4)
        let isLostAgain = try phone.lose(self.target(1), reason: .expiredToken, isLast: false)
        #expect(!isLostAgain)
        let isKnown = try phone.receive(self.upload(1), joining: self.lifecycle, now: self.now)
        #expect(isKnown == .known, "what is dead does not come to life")
        #expect(phone.state == .starting)
        let isLost = try phone.lose(self.target(9), reason: .expiredToken, isLast: true)
        #expect(isLost)
    }

    @Test("what APNs says of a token in one environment does not hold for the other")
    func otherEnvironment() throws {
        var phone = self.starting()
        _ = try phone.receive(self.upload(1), joining: self.lifecycle, now: self.now)
        var target = try self.target(1)
        target.environment = .production
        let isLost = phone.lose(target, reason: .badDeviceToken, isLast: true)
        #expect(!isLost)
        #expect(phone.state == .active)
    }

    @Test("a phone shows what it was sent before what has not reached it, however many versions lie between")
    func missed() throws {
        var phone = self.starting()
        #expect(phone.formerVersion == 0)
        phone.lastSentVersion = 7
        phone.formerVersion = 3
        phone.miss()
        #expect(phone.lastSentVersion == 3)
        phone.miss()
        #expect(phone.lastSentVersion == 3)
    }

    @Test("a starting device has ended when APNs rejects the start")
    func refusedStart() throws {
        var phone = self.starting()
        let isLost8 = try phone.lose(self.target(9), reason: .badDeviceToken, isLast: true)
        #expect(isLost8)
        #expect(phone.state == .ended(reason: "BadDeviceToken"))
    }

    @Test("a phone whose app tells of the end is gone, unless it was given another token since")
    func departed() throws {
        var phone = self.starting()
        _ = try phone.receive(self.upload(1), joining: self.lifecycle, now: self.now)
        var departure = ActivityEndReport(installation: phone.installation, reason: .dismissed)
        departure.time = self.now.addingTimeInterval(-1)
        let isEarly = phone.leave(departure, now: self.now.addingTimeInterval(5))
        #expect(!isEarly)
        // A phone whose clock is ahead would keep its later tokens from being used.
        departure.time = self.now.addingTimeInterval(3600)
        let isGone = phone.leave(departure, now: self.now.addingTimeInterval(5))
        #expect(isGone)
        #expect(phone.state == .ended(reason: "dismissed"))
        #expect(phone.target == nil)
        #expect(phone.tokenIssuedAt == self.now.addingTimeInterval(5))
        let isTwice = phone.leave(departure, now: self.now.addingTimeInterval(6))
        #expect(!isTwice)
    }

    @Test("nothing is sent to a phone on which the system has ended the activity")
    func expired() throws {
        var phone = self.starting()
        let isOver9 = phone.expire(now: .distantFuture)
        #expect(!isOver9)
        _ = try phone.receive(self.upload(1), joining: self.lifecycle, now: self.now)
        let isOver10 = phone.expire(now: self.now.addingTimeInterval(8 * 3600 - 1))
        #expect(!isOver10)
        let isOver11 = phone.expire(now: self.now.addingTimeInterval(8 * 3600))
        #expect(isOver11)
        #expect(phone.state == .ended(reason: "expired"))
    }
}
