// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import APNsSimulator
import Foundation
import StoreTesting
import Testing

@Suite("A lesson on a phone, from its start to its end", .timeLimit(.minutes(20)))
struct LessonTests {
    @Test("is changed when that was planned, also when the lesson takes longer", arguments: TestStoreBackend.allCases)
    func planned(store: TestStoreBackend) async throws {
        try await ActivityStage.open(on: store) { stage in
            let phone = try stage.phone()
            let lesson = try stage.start(on: phone)
            let instants = #","attributesType":"\#(ActivityStage.type)","contentState":{"status":"active"}"#
            let ends = #","instants":{"endsAt":"\#(stage.time(1800))"}"#
            let receipt = try await stage.tellToken(of: lesson, as: "lesson-42", instants + ends)
            #expect(receipt.state == "active")
            try await stage.plan(
                "lesson-42",
                "ending",
                #"{"instant":"endsAt","offsetSeconds":-900,"patch":{"status":"ending"}}"#
            )
            try await stage.plan(
                "lesson-42",
                "over",
                #"{"instant":"endsAt","patch":{"status":"over"},"end":{"afterSeconds":300}}"#
            )

            stage.simulator.advance(by: .seconds(900))
            let ending = try await stage.wait(for: lesson.id) { $0.contentState["status"] == "ending" }
            #expect(ending.state == .active)

            // It takes ten minutes longer: what was planned for the end moves with it.
            try await stage.change("lesson-42", #"{"instants":{"endsAt":"\#(stage.time(1500))"}}"#)
            stage.simulator.advance(by: .seconds(900))
            #expect(try await stage.told("lesson-42").state == "active")
            stage.simulator.advance(by: .seconds(600))
            let over = try await stage.wait(for: lesson.id) { $0.state == .ended }
            #expect(over.contentState["status"] == "over")
            let pushes = over.timeline.map(\.change).filter { $0 == .updated || $0 == .ended }
            #expect(pushes == [.updated, .ended])

            // The simulator's clock goes on by itself too.
            stage.simulator.advance(by: .seconds(100))
            #expect(stage.simulator.activity(lesson.id)?.state == .ended)
            stage.simulator.advance(by: .seconds(201))
            #expect(stage.simulator.activity(lesson.id)?.state == .dismissed)
            #expect(try await stage.told("lesson-42").state == "ended")
            let kinds = try await stage.timeline("lesson-42").map(\.type)
            let expected = [
                "registered", "token_received", "transition_scheduled", "transition_scheduled", "updated",
                "instants_changed", "ended",
            ]
            #expect(kinds == expected)
        }
    }

    @Test(
        "started by a push: the app is woken, and its token brings what has changed since",
        arguments: TestStoreBackend.allCases
    )
    func started(store: TestStoreBackend) async throws {
        try await ActivityStage.open(on: store) { stage in
            let phone = try stage.phone()
            try await stage.tellStartToken(of: phone)
            let start =
                #","attributes":{"child":"A"},"alert":{"title":"Lesson","body":"It begins"},"devices":["\#(phone.rawValue)","other"]"#
            let receipt = try await stage.create("lesson-42", start)
            #expect(receipt.sent == 1)
            #expect(receipt.notStartable == ["other"])
            let lesson = try await stage.waitForStart(on: phone)
            #expect(lesson.attributes == ["child": "A"])
            let calls = try #require(stage.simulator.device(phone)?.calls)
            #expect(calls.map(\.name).contains(.activityUpdates))

            // The person has not allowed it yet, so that there is no token; meanwhile the lesson goes on.
            #expect(try await stage.participants("lesson-42").map(\.state) == ["starting"])
            for page in 1...2 {
                let change = try await stage.change("lesson-42", #"{"patch":{"page":\#(page)}}"#)
                #expect(change.sent == 0 && change.pending == 0)
            }
            try stage.simulator.answerActivityQuestion(allows: true, for: ServerInTest.app, on: phone)
            try await stage.wait(for: lesson.id) { $0.tokenState == .issued }
            #expect(try await stage.tellToken(of: lesson, as: "lesson-42").sent == 1)
            try await stage.wait(for: lesson.id) { $0.contentState == ["page": 2, "status": "active"] }
            // Told once more, as apps do, it brings nothing new.
            #expect(try await stage.tellToken(of: lesson, as: "lesson-42").sent == 0)

            try await stage.change("lesson-42", #"{"end":{"dismissal":"immediate"}}"#)
            let over = try await stage.wait(for: lesson.id) { $0.state == .dismissed }
            #expect(!over.timeline.map(\.change).contains(.ignored))
        }
    }

    @Test("whose token rotates is shown on by the new one, also when a push to the old one came to nothing")
    func rotated() async throws {
        try await ActivityStage.open { stage in
            let lesson = try stage.start(on: try stage.phone())
            try await stage.create("lesson-42")
            try await stage.tellToken(of: lesson, as: "lesson-42")
            try stage.simulator.rotateActivityToken(lesson.id)
            try await stage.change("lesson-42", #"{"patch":{"page":1}}"#)
            let ended = try await stage.settled({ try await stage.participants("lesson-42") }) {
                $0[0].state == "ended"
            }
            #expect(ended[0].reason == "ExpiredToken")
            try await stage.tellToken(of: lesson, as: "lesson-42")
            try await stage.wait(for: lesson.id) { $0.contentState["page"] == 1 }

            // In time, nothing is lost in the first place.
            try stage.simulator.rotateActivityToken(lesson.id)
            try await stage.tellToken(of: lesson, as: "lesson-42")
            try await stage.change("lesson-42", #"{"patch":{"page":2}}"#)
            try await stage.wait(for: lesson.id) { $0.contentState["page"] == 2 }
            let kinds = try await stage.timeline("lesson-42").map(\.type)
            #expect(kinds.filter { $0.hasPrefix("token") } == ["token_received", "token_received", "token_rotated"])
        }
    }

    @Test("that a phone tells of when it is over is ended there at once")
    func late() async throws {
        try await ActivityStage.open { stage in
            let lesson = try stage.start(on: try stage.phone())
            try await stage.create("lesson-42")
            try await stage.change("lesson-42", #"{"patch":{"status":"over"},"end":{"afterSeconds":300}}"#)
            #expect(try await stage.tellToken(of: lesson, as: "lesson-42").sent == 1)
            let over = try await stage.wait(for: lesson.id) { $0.state == .ended }
            #expect(over.contentState["status"] == "over")
        }
    }
}
