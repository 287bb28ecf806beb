// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import APNsSimulator
import CommandLineSupport
import Foundation
import StoreTesting
import Testing

@testable import apus

@Suite("A lesson that is started for an audience", .timeLimit(.minutes(20)))
struct RolloutTests {
    private static let start = #","attributes":{"child":"A"},"alert":{"title":"Lesson","body":"It begins"}"#

    /// The phones of a topic that are to be reached, and those that are not.
    private struct Phones {
        var reached: [VirtualDeviceID] = []
        var withoutToken: [VirtualDeviceID] = []
        var elsewhere: [VirtualDeviceID] = []

        var all: [VirtualDeviceID] { self.reached + self.withoutToken + self.elsewhere }
    }

    /// Switches phones on that register: every fourth is not subscribed, every fifth tells no start token.
    private func phones(_ count: Int, _ stage: ActivityStage, _ more: String = "") async throws -> Phones {
        var phones = Phones()
        for number in 0..<count {
            let phone = try stage.phone()
            let topics = number.isMultiple(of: 4) ? "" : #""lessons""#
            let token = try #require(stage.simulator.device(phone)?.token(ServerInTest.app))
            _ = try await stage.client.call(
                .put,
                "/v1/apps/\(ServerInTest.app)/devices/\(phone.rawValue)",
                body: Data(#"{"token":"\#(token.hex)","topics":[\#(topics)]}"#.utf8)
            )
            if !number.isMultiple(of: 5) { try await stage.tellStartToken(of: phone, more) }
            if topics.isEmpty {
                phones.elsewhere.append(phone)
            } else if number.isMultiple(of: 5) {
                phones.withoutToken.append(phone)
            } else {
                phones.reached.append(phone)
            }
        }
        return phones
    }

    private func rollout(_ name: String, _ stage: ActivityStage) async throws -> RolloutResponse {
        let told = try await stage.settled({ try await stage.told(name) }) { told in
            told.rollouts?.allSatisfy(\.isOver) ?? false
        }
        return try #require(told.rollouts?.last)
    }

    @Test(
        "starts on each phone of a few hundred once, whose tokens arrive, and which all show what changes and the end",
        arguments: TestStoreBackend.allCases
    )
    func life(store: TestStoreBackend) async throws {
        var switches = APNsSimulatorOptions()
        switches.activities.hourlyBudget = nil
        try await ActivityStage.open(on: store, switches: switches) { stage in
            let phones = try await self.phones(300, stage)
            let receipt = try await stage.create("lesson-42", Self.start + #","topic":"lessons""#)
            #expect(receipt.sent == 0)
            // While it spreads, it goes on.
            try await stage.change("lesson-42", #"{"patch":{"page":1}}"#)
            var shown: [ActivityID] = []
            for phone in phones.reached {
                let lesson = try await stage.waitForStart(on: phone)
                try stage.simulator.answerActivityQuestion(allows: true, for: ServerInTest.app, on: phone)
                try await stage.wait(for: lesson.id) { $0.tokenState == .issued }
                try await stage.tellToken(of: lesson, as: "lesson-42")
                shown.append(lesson.id)
            }
            let rollout = try await self.rollout("lesson-42", stage)
            #expect(rollout.state == "completed")
            #expect(rollout.startsSent == phones.reached.count)
            #expect(rollout.skipped.withoutToken == phones.withoutToken.count)
            #expect(rollout.remaining == 0)
            for lesson in shown { try await stage.wait(for: lesson) { $0.contentState["page"] == 1 } }

            try await stage.change("lesson-42", #"{"patch":{"page":2}}"#)
            for lesson in shown { try await stage.wait(for: lesson) { $0.contentState["page"] == 2 } }
            try await stage.change("lesson-42", #"{"patch":{"status":"over"},"end":{"dismissal":"immediate"}}"#)
            for lesson in shown {
                let over = try await stage.wait(for: lesson) { $0.state == .dismissed }
                #expect(!over.timeline.map(\.change).contains(.ignored))
            }
            for phone in phones.all {
                let count = phones.reached.contains(phone) ? 1 : 0
                #expect(stage.simulator.activities(on: phone).count == count, "\(phone)")
            }
            let kinds = try await stage.timeline("lesson-42").map(\.type)
            #expect(kinds.filter { $0.hasPrefix("rollout") } == ["rollout_completed"])
        }
    }

    @Test(
        "a second rollout starts the activity on devices registered later, and on no device twice",
        arguments: TestStoreBackend.allCases
    )
    func again(store: TestStoreBackend) async throws {
        try await ActivityStage.open(on: store) { stage in
            let early = try await self.phones(20, stage)
            let named = early.reached[0]
            let members = #","devices":["\#(named.rawValue)"],"audience":{"topic":"lessons"}"#
            let receipt = try await stage.create("lesson-42", Self.start + members)
            #expect(receipt.sent == 1)
            for phone in early.reached { _ = try await stage.waitForStart(on: phone) }
            let first = try await self.rollout("lesson-42", stage)
            #expect(first.startsSent == early.reached.count - 1)
            #expect(first.skipped.alreadyParticipating == 1)

            let late = try await self.phones(20, stage)
            let path = "\(ActivityStage.path("lesson-42")):start"
            _ = try await stage.backend.call(.post, path, body: Data(#"{"topic":"lessons"}"#.utf8))
            for phone in late.reached { _ = try await stage.waitForStart(on: phone) }
            let second = try await self.rollout("lesson-42", stage)
            #expect(second.id != first.id)
            #expect(second.startsSent == late.reached.count)
            #expect(second.skipped.alreadyParticipating == early.reached.count)
            for phone in early.reached + late.reached {
                #expect(stage.simulator.activities(on: phone).count == 1)
            }
        }
    }

    @Test(
        "has phones subscribe to its channel, on which all are sent what changes",
        arguments: TestStoreBackend.allCases
    )
    func broadcast(store: TestStoreBackend) async throws {
        try await ActivityStage.open(on: store) { stage in
            let phones = try await self.phones(60, stage, #","channels":true"#)
            try await stage.makeChannel("final", #","messageStoragePolicy":"most_recent""#)
            let members = #","channel":"final","delivery":"channel","topic":"lessons""#
            try await stage.create("match", Self.start + members)
            var shown: [ActivityID] = []
            for phone in phones.reached { shown.append(try await stage.waitForStart(on: phone).id) }
            #expect(try await self.rollout("match", stage).startsSent == phones.reached.count)
            try await stage.change("match", #"{"patch":{"score":1}}"#)
            for match in shown { try await stage.wait(for: match) { $0.contentState["score"] == 1 } }
            try await stage.change("match", #"{"end":{"dismissal":"immediate"}}"#)
            for match in shown { try await stage.wait(for: match) { $0.state == .dismissed } }
            let channel = try #require(stage.simulator.channels(of: ServerInTest.app).first)
            #expect(channel.broadcasts == 2)
        }
    }
}
