// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import APNsSimulator
import CommandLineSupport
import Foundation
import StoreTesting
import Testing

@testable import apus

@Suite("A match that is broadcast to phones", .timeLimit(.minutes(20)))
struct BroadcastTests {
    @Test(
        "is shown by all who subscribe: each state once and in order, the newest last, and then its end",
        arguments: TestStoreBackend.allCases
    )
    func order(store: TestStoreBackend) async throws {
        try await ActivityStage.open(on: store) { stage in
            let phones = try await stage.match(phones: 20)
            for score in 1...40 { try await stage.change("match", #"{"patch":{"score":\#(score)}}"#) }
            for phone in phones { try await stage.wait(for: phone) { $0.contentState["score"] == 40 } }
            try await stage.change("match", #"{"patch":{"score":41},"end":{"afterSeconds":300}}"#)
            for phone in phones {
                let shown = try await stage.wait(for: phone) { $0.state == .ended }
                #expect(shown.contentState["score"] == 41)
                #expect(shown.tokenState == .none)
                let pushes = shown.timeline.filter { $0.origin == .broadcast }
                #expect(!pushes.map(\.change).contains(.ignored))
                #expect(Set(pushes.compactMap(\.apnsID)).count == pushes.count)
            }
            let channel = try #require(stage.simulator.channels(of: ServerInTest.app).first)
            let stamps = try channel.messages.map { try Self.timestamp($0.payload) }
            #expect(zip(stamps, stamps.dropFirst()).allSatisfy { $0 < $1 }, "\(stamps)")
            // One push for all phones, and none for what was overtaken.
            #expect(channel.broadcasts <= 41)
            #expect(channel.messages.allSatisfy { $0.deliveries == phones.count && $0.storedUntil == nil })
            let sent = try await stage.timeline("match").filter {
                ["updated", "ended", "pending_updates_sent"].contains($0.type)
            }
            #expect(sent.count >= 41)
            #expect(try await stage.told("match").state == "ended")
            try await stage.deleteChannel("final")
        }
    }

    @Test("reaches a phone that was offline with its newest state where the channel stores it, and else with the next")
    func offline() async throws {
        for (storage, score) in [("most_recent", 2), ("none", 0)] as [(String, JSONValue)] {
            try await ActivityStage.open { stage in
                let phones = try await stage.match(phones: 2, #","messageStoragePolicy":"\#(storage)""#)
                let away = try #require(stage.simulator.activity(phones[1])).device
                try stage.simulator.setOnline(false, away)
                for score in 1...2 {
                    try await stage.change("match", #"{"patch":{"score":\#(score)}}"#)
                    try await stage.wait(for: phones[0]) { $0.contentState["score"] == .integer(Int64(score)) }
                }
                try stage.simulator.setOnline(true, away)
                #expect(stage.simulator.activity(phones[1])?.contentState["score"] == score, "\(storage)")
                try await stage.change("match", #"{"patch":{"score":3}}"#)
                for phone in phones { try await stage.wait(for: phone) { $0.contentState["score"] == 3 } }
            }
        }
    }

    @Test(
        "is started by a push on phones that subscribe, and on older ones that tell a token: all show what changes",
        arguments: TestStoreBackend.allCases
    )
    func started(store: TestStoreBackend) async throws {
        try await ActivityStage.open(on: store) { stage in
            let (new, old) = (try stage.phone(), try stage.phone())
            try await stage.tellStartToken(of: new, #","channels":true"#)
            try await stage.tellStartToken(of: old)
            try await stage.makeChannel("final", #","messageStoragePolicy":"none""#)
            let receipt = try await stage.create(
                "match",
                #","channel":"final","attributes":{},"alert":{"title":"Final","body":"It begins"},"devices":["\#(new.rawValue)","\#(old.rawValue)"]"#
            )
            #expect(receipt.sent == 2)
            #expect(receipt.state == "active")
            let subscribed = try await stage.waitForStart(on: new)
            let telling = try await stage.waitForStart(on: old)
            let channel = try #require(stage.simulator.channels(of: ServerInTest.app).first)
            #expect(subscribed.pushType == .channel(channel.id))
            #expect(channel.subscribers == [subscribed.id])
            try stage.simulator.answerActivityQuestion(allows: true, for: ServerInTest.app, on: old)
            try await stage.wait(for: telling.id) { $0.tokenState == .issued }
            try await stage.tellToken(of: telling, as: "match")

            try await stage.change("match", #"{"patch":{"score":1}}"#)
            for phone in [subscribed.id, telling.id] {
                try await stage.wait(for: phone) { $0.contentState["score"] == 1 }
            }
            try await stage.change("match", #"{"end":{"dismissal":"immediate"}}"#)
            for phone in [subscribed.id, telling.id] { try await stage.wait(for: phone) { $0.state == .dismissed } }
        }
    }

    @Test("changes when that was planned, in one push to all")
    func planned() async throws {
        try await ActivityStage.open { stage in
            let phones = try await stage.match(phones: 3)
            try await stage.plan("match", "break", #"{"at":"\#(stage.time(900))","patch":{"score":"break"}}"#)
            try await stage.plan("match", "over", #"{"at":"\#(stage.time(1800))","end":{"afterSeconds":60}}"#)
            stage.simulator.advance(by: .seconds(901))
            for phone in phones { try await stage.wait(for: phone) { $0.contentState["score"] == "break" } }
            stage.simulator.advance(by: .seconds(900))
            for phone in phones { try await stage.wait(for: phone) { $0.state == .ended } }
            let channel = try #require(stage.simulator.channels(of: ServerInTest.app).first)
            // One that a lapse of the lease has sent once more counts once: the clock runs fast here.
            #expect(Set(channel.messages.map(\.requestID)).count == 2)
        }
    }

    @Test(
        "is sent again after what APNs refuses for a while or leaves unanswered, and says so of a channel that is gone"
    )
    func failures() async throws {
        try await ActivityStage.open { stage in
            let phones = try await stage.match(phones: 2)
            stage.simulator.inject(SimulatorFault(.drop, count: 1))
            try await stage.change("match", #"{"patch":{"score":1}}"#)
            for phone in phones { try await stage.wait(for: phone) { $0.contentState["score"] == 1 } }

            // It waits to be sent again; a newer state takes its place, and its time.
            stage.simulator.inject(SimulatorFault(.reject(Rejection(.tooManyRequests)), count: 1))
            try await stage.change("match", #"{"patch":{"score":2}}"#)
            _ = try await stage.settled({ try await stage.isDeferred("match") }) { $0 }
            try await stage.change("match", #"{"patch":{"score":3}}"#)
            stage.simulator.advance(by: .seconds(120))
            for phone in phones {
                let shown = try await stage.wait(for: phone) { $0.contentState["score"] == 3 }
                #expect(!shown.timeline.map(\.change).contains(.ignored))
            }

            try await stage.deleteElsewhere(try #require(try await stage.channel("final").id))
            try await stage.change("match", #"{"patch":{"score":4}}"#)
            let story = try await stage.settled({ try await stage.timeline("match") }) { entries in
                entries.contains { $0.type == "channel_deleted" }
            }
            #expect(story.last?.detail == "ChannelNotRegistered")
            #expect(try await stage.change("match", #"{"patch":{"score":5}}"#).sent == 0)
            #expect(await stage.refusal { try await stage.create("next", #","channel":"final""#) } == "channel_deleted")
            #expect(await stage.refusal { try await stage.deleteChannel("final") } == "channel_in_use")
            try await stage.change("match", #"{"end":{}}"#)
            try await stage.deleteChannel("final")

            // Made anew it takes another activity.
            let channel = try #require(try await stage.makeChannel("final").id)
            try await stage.create("next", #","channel":"final""#)
            let request = ActivityRequest(
                bundleID: ServerInTest.app,
                attributesType: ActivityStage.type,
                contentState: ["score": 0],
                pushType: .channel(channel)
            )
            let phone = try stage.simulator.startActivity(request, on: try stage.phone()).id
            try await stage.change("next", #"{"patch":{"score":6}}"#)
            try await stage.wait(for: phone) { $0.contentState["score"] == 6 }
        }
    }

    @Test("is bound to a channel that there is, and only as it can be")
    func binding() async throws {
        try await ActivityStage.open { stage in
            #expect(await stage.refusal { try await stage.create("a", #","channel":"none""#) } == "channel_not_found")
            #expect(await stage.refusal { try await stage.create("a", #","delivery":"channel""#) } == "invalid_request")
            stage.simulator.inject(SimulatorFault(.drop, count: 1, deliversFirst: true))
            #expect(await stage.refusal { try await stage.makeChannel("final") } == "apns_unavailable")
            #expect(await stage.refusal { try await stage.create("a", #","channel":"final""#) } == "channel_not_ready")
            try await stage.makeChannel("final")
            try await stage.create("a", #","channel":"final","delivery":"devices""#)
            struct Bound: Decodable {
                struct Channel: Decodable {
                    let name: String
                    let messageStoragePolicy: String
                    let delivery: String
                }
                let channel: Channel
            }
            let bound: Bound = try await stage.backend.call(.get, ActivityStage.path("a")).decoded()
            #expect(bound.channel.name == "final")
            #expect(bound.channel.messageStoragePolicy == "most_recent")
            #expect(bound.channel.delivery == "devices")
            struct Page: Decodable {
                struct Participant: Decodable {
                    let device: String?
                    let channel: String?
                    let origin: String?
                }
                let participants: [Participant]
            }
            let page: Page = try await stage.backend.call(.get, "\(ActivityStage.path("a"))/participants").decoded()
            #expect(page.participants.map(\.channel) == ["final"])
            #expect(page.participants.map(\.device) == [nil])
        }
    }

    private static func timestamp(_ payload: [UInt8]) throws -> Int64 {
        guard case .integer(let number)? = try JSONValue(json: payload)["aps"]?["timestamp"] else { return 0 }
        return number
    }
}

extension ActivityStage {
    /// Makes the channel `final`, phones on which the app has started the match, and the match itself.
    func match(phones count: Int, _ members: String = #","messageStoragePolicy":"none""#) async throws -> [ActivityID] {
        let channel = try #require(try await self.makeChannel("final", members).id)
        let phones = try (0..<count).map { _ in
            let request = ActivityRequest(
                bundleID: ServerInTest.app,
                attributesType: Self.type,
                contentState: ["score": 0],
                pushType: .channel(channel)
            )
            return try self.simulator.startActivity(request, on: try self.phone()).id
        }
        let receipt = try await self.create("match", #","channel":"final""#)
        #expect(receipt.sent == 0)
        return phones
    }
}
