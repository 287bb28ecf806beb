// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import APNsSimulator
import CommandLineSupport
import Foundation
import PushModel
import PushStore
import StoreTesting
import Testing

@Suite("What phones are sent of activities", .timeLimit(.minutes(20)))
struct ActivityTrafficTests {
    @Test("waits as APNs asks, and gives way to what is newer by then", arguments: TestStoreBackend.allCases)
    func delayed(store: TestStoreBackend) async throws {
        try await ActivityStage.open(on: store) { stage in
            let lesson = try stage.start(on: try stage.phone())
            try await stage.tellToken(of: lesson, as: "match", Self.told)
            let rejection = Rejection(status: 429, reason: .tooManyRequests)
            stage.simulator.inject(SimulatorFault(.reject(rejection), count: 1))
            try await stage.change("match", #"{"contentState":{"n":1}}"#)
            // It is known to wait once the next one takes its place.
            for number in 2...40 {
                try await stage.change("match", #"{"contentState":{"n":\#(number)}}"#)
            }
            _ = try await stage.settled({ try await stage.timeline("match") }) { entries in
                entries.last { $0.type == "updated" || $0.type == "pending_updates_sent" }?.pending == 0
            }
            stage.simulator.advance(by: .seconds(62))
            let shown = try await stage.wait(for: lesson.id) { $0.contentState["n"] == 40 }
            #expect(shown.timeline.map(\.change).filter { $0 == .updated }.count == 1, "what was overtaken is not sent")
        }
    }

    @Test("comes in order, with rising timestamps and the newest state last", arguments: TestStoreBackend.allCases)
    func manyChanges(store: TestStoreBackend) async throws {
        var switches = APNsSimulatorOptions()
        // By default a phone ignores what comes beyond 60 pushes of priority 10 in an hour.
        switches.activities.hourlyBudget = nil
        try await ActivityStage.open(on: store, switches: switches) { stage in
            let deliveries = stage.simulator.deliveries()
            var arrived: [VirtualDeviceID: [Delivery]] = [:]
            for _ in 0..<3 {
                let activity = try stage.start(on: try stage.phone())
                try await stage.tellToken(of: activity, as: "match", Self.told)
                arrived[activity.device] = []
            }
            for number in 1...150 {
                try await stage.change("match", #"{"contentState":{"n":\#(number)}}"#)
            }
            var unfinished = arrived.count
            for await delivery in deliveries {
                arrived[delivery.device]?.append(delivery)
                let payload = try JSONValue(json: delivery.notification.payload)
                if payload["aps"]?["content-state"]?["n"] == 150 { unfinished -= 1 }
                if unfinished == 0 { break }
            }
            for (phone, deliveries) in arrived {
                let timestamps = try ActivityStage.timestamps(deliveries)
                #expect(zip(timestamps, timestamps.dropFirst()).allSatisfy { $0 < $1 })
                let shown = try #require(stage.simulator.activities(on: phone).first)
                #expect(shown.contentState["n"] == 150)
                #expect(!shown.timeline.contains { $0.change == .ignored })
            }
        }
    }

    @Test("is its end, although a state that was planned before it is too large", arguments: [0.0, 120])
    func tooLarge(late seconds: Double) async throws {
        try await ActivityStage.open { stage in
            let lesson = try stage.start(on: try stage.phone())
            try await stage.tellToken(of: lesson, as: "match", Self.told)
            let time = stage.time(600)
            let large = String(repeating: "x", count: 4100)
            try await stage.plan("match", "a", #"{"at":"\#(time)","patch":{"text":"\#(large)"}}"#)
            try await stage.plan("match", "b", #"{"at":"\#(time)","end":{}}"#)
            stage.simulator.advance(by: .seconds(600 + seconds))
            try await stage.wait(for: lesson.id) { $0.state == .ended }
            let kinds = try await stage.timeline("match").map(\.type)
            #expect(kinds.contains("transition_skipped") && kinds.contains("ended"))
        }
    }

    @Test("goes to nobody who has swiped it away: the phone is gone, and its device is not")
    func swipedAway() async throws {
        try await ActivityStage.open { stage in
            let phone = try stage.phone()
            let lesson = try stage.start(on: phone)
            try await stage.tellToken(of: lesson, as: "match", Self.told)
            let token = try #require(stage.simulator.device(phone)?.token(ServerInTest.app))
            _ = try await stage.client.call(
                .put,
                "/v1/apps/\(ServerInTest.app)/devices/\(phone.rawValue)",
                body: Data(#"{"token":"\#(token.hex)"}"#.utf8)
            )
            try stage.simulator.swipeAwayActivity(lesson.id)
            stage.simulator.advance(by: .seconds(61))
            try await stage.change("match", #"{"contentState":{"n":1}}"#)
            let ended = try await stage.settled({ try await stage.participants("match") }) { $0[0].state == "ended" }
            #expect(ended[0].reason == "ExpiredToken")
            #expect(try await stage.change("match", #"{"contentState":{"n":2}}"#).sent == 0)
            struct Device: Decodable {
                struct Status: Decodable { let state: String }
                let status: Status
            }
            let path = "/v1/apps/\(ServerInTest.app)/devices/\(phone.rawValue)"
            let device: Device = try await stage.backend.call(.get, path).decoded()
            #expect(device.status.state == "active")
        }
    }

    @Test("ends after 8 hours, when the phone ends it, and leaves the Lock Screen 4 hours later")
    func eightHours() async throws {
        try await ActivityStage.open { stage in
            let lesson = try stage.start(on: try stage.phone())
            try await stage.tellToken(of: lesson, as: "match", Self.told)
            try await stage.plan("match", "late", #"{"at":"\#(stage.time(9 * 3600))","patch":{"n":1}}"#)
            stage.simulator.advance(by: .seconds(8 * 3600 - 600))
            #expect(stage.simulator.activity(lesson.id)?.state == .active)
            #expect(try await stage.told("match").state == "active")
            stage.simulator.advance(by: .seconds(600))
            #expect(stage.simulator.activity(lesson.id)?.state == .ended)
            _ = try await stage.settled({ try await stage.told("match") }) { $0.state == "expired" }
            let failure = await #expect(throws: CommandError.self) {
                try await stage.change("match", #"{"patch":{"n":2}}"#)
            }
            #expect(failure?.code == "activity_ended")
            let kinds = try await stage.timeline("match").suffix(2).map(\.type)
            #expect(kinds == ["expired", "transition_skipped"])
            stage.simulator.advance(by: .seconds(4 * 3600))
            #expect(stage.simulator.activity(lesson.id)?.state == .dismissed)
        }
    }

    @Test("a device that never registers its token stays starting, and the activity ends all the same")
    func silentPhone() async throws {
        try await ActivityStage.open { stage in
            let phone = try stage.phone()
            try await stage.tellStartToken(of: phone)
            let members =
                #","attributes":{},"alert":{"title":"Lesson","body":"It begins"},"devices":["\#(phone.rawValue)"],"instants":{"endsAt":"\#(stage.time(900))"}"#
            try await stage.create("lesson-42", members)
            let lesson = try await stage.waitForStart(on: phone)
            try await stage.plan("lesson-42", "over", #"{"instant":"endsAt","end":{}}"#)
            #expect(try await stage.change("lesson-42", #"{"patch":{"page":1}}"#).sent == 0)
            stage.simulator.advance(by: .seconds(901))
            _ = try await stage.settled({ try await stage.told("lesson-42") }) { $0.state == "ended" }
            #expect(try await stage.participants("lesson-42").map(\.state) == ["starting"])
            // Whenever it does tell it, it is sent the end.
            try stage.simulator.answerActivityQuestion(allows: true, for: ServerInTest.app, on: phone)
            try await stage.wait(for: lesson.id) { $0.tokenState == .issued }
            try await stage.tellToken(of: lesson, as: "lesson-42")
            try await stage.wait(for: lesson.id) { $0.state == .ended }
        }
    }

    private static let told = #","attributesType":"LessonAttributes","contentState":{"n":0}"#
}
