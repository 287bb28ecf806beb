// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import HTTPTypes
import PushAPI
import PushModel
import PushStore
import Testing

@Suite("Waiting for outcomes", .timeLimit(.minutes(20)))
struct WaitTests {
    private static let path = "/v1/apps/\(TestAPI.app)/notifications?wait=true"

    /// A clock on which neither the limit nor the re-check ever comes.
    private static var patient: TestSetup {
        var setup = TestSetup()
        setup.clock = SelectiveClock(passing: .zero)
        return setup
    }

    @Test("answers as soon as the notification is settled, with every outcome in order")
    func settled() async throws {
        try await withAPI(Self.patient) { api async throws in
            for (index, name) in ["a", "b", "c", "d"].enumerated() { try await api.register(name, token: UInt8(index)) }
            let delivery = FakeDelivery(store: api.store)
            async let batch = delivery.settleNext { index, _ in
                switch index {
                case 1: .rejected(Rejection(.unregistered, inactiveSince: 1_770_000_001_500))
                case 2: .failed(.timeout)
                default: .delivered
                }
            }
            let body = #"{"targets":{"devices":["a","b","c","d","e"]},"payload":{"aps":{}}}"#
            let answer = try await api.call(.post, Self.path, body)
            let id = try #require(try await batch?.id)
            #expect(answer.status == 200)
            #expect(answer.json["state"]?.text == "completed")
            #expect(answer.json["remaining"]?.number == 0)
            #expect(
                answer.json["counts"] == ["delivered": 2, "rejected": ["Unregistered": 1], "failed": ["timeout": 1]]
            )
            #expect(answer.json["skipped"]?["devices"] == ["e"])
            let outcomes = answer.json["outcomes"]?.elements ?? []
            #expect(outcomes.map { $0["device"]?.text } == ["a", "b", "c", "d"])
            #expect(outcomes.map { $0["state"]?.text } == ["delivered", "rejected", "failed", "delivered"])
            #expect(outcomes.map { $0["apnsID"]?.text } == (0..<4).map { id.apnsID(at: $0).description })
            #expect(outcomes[1]["status"]?.number == 410)
            #expect(outcomes[1]["reason"]?.text == "Unregistered")
            #expect(outcomes[1]["inactiveSince"]?.text == "2026-02-02T02:40:01.500Z")
            #expect(outcomes[2]["code"]?.text == "timeout")
        }
    }

    @Test("answers 202 with the id when the limit is reached first")
    func limit() async throws {
        var setup = TestSetup()
        setup.clock = SelectiveClock(passing: setup.configuration.maximumWait)
        try await withAPI(setup) { api async throws in
            let answer = try await api.call(.post, Self.path, #"{"targets":{"tokens":["ab"]},"payload":{}}"#)
            #expect(answer.status == 202)
            #expect(answer.json["state"]?.text == "accepted")
            let location = try #require(answer.headers[.location])
            #expect(try await api.call(.get, location).json["id"] == answer.json["id"])
        }
    }

    @Test("finds out by itself what another process settled")
    func recheck() async throws {
        var setup = TestSetup()
        setup.clock = SelectiveClock(passing: setup.configuration.recheckInterval)
        setup.wrap = { SilentStore(base: $0) }
        try await withAPI(setup) { api async throws in
            let base = try #require((api.store as? SilentStore)?.base)
            let delivery = FakeDelivery(store: base)
            async let batch = delivery.settleNext()
            let answer = try await api.call(.post, Self.path, #"{"targets":{"tokens":["ab"]},"payload":{}}"#)
            #expect(answer.status == 200)
            #expect(try await batch != nil)
        }
    }

    @Test("serves many callers at once, each with its own outcome")
    func many() async throws {
        try await withAPI(Self.patient) { api async throws in
            let delivery = FakeDelivery(store: api.store)
            // Calls that are stored together are signalled once.
            async let _ = delivery.settleAll()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<20 {
                    group.addTask {
                        let token = TestToken.hex(UInt8(number))
                        let body = #"{"targets":{"tokens":["\#(token)"]},"payload":{}}"#
                        let answer = try await api.call(.post, Self.path, body)
                        #expect(answer.status == 200)
                        #expect(answer.json["outcomes"]?.elements.map { $0["token"]?.text } == [token])
                    }
                }
                try await group.waitForAll()
            }
        }
    }

    @Test("lists the failures of a large notification instead of every outcome")
    func large() async throws {
        try await withAPI(Self.patient) { api async throws in
            let delivery = FakeDelivery(store: api.store)
            async let batch = delivery.settleNext { index, _ in
                index % 2 == 0 ? .delivered : .rejected(Rejection(.badDeviceToken))
            }
            let tokens = (0..<1200).map { "\"\(String(0x1000 + $0, radix: 16))\"" }.joined(separator: ",")
            let body = #"{"targets":{"tokens":[\#(tokens)]},"payload":{}}"#
            let answer = try await api.call(.post, Self.path, body)
            _ = try await batch
            #expect(answer.status == 200)
            #expect(answer.json["outcomes"] == nil)
            #expect(answer.json["failures"]?.elements.count == 100)
            #expect(answer.json["failures"]?.elements.last?["index"]?.number == 199)
            #expect(answer.json["nextCursor"]?.text != nil)
        }
    }
}
