// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import HTTPTypes
import PushAPI
import PushModel
import PushStore
import Testing

@Suite("A batch of notifications", .timeLimit(.minutes(20)))
struct BatchTests {
    private static let path = "/v1/apps/\(TestAPI.app)/notifications:batch"

    /// A clock on which neither the limit nor the re-check ever comes.
    private static var patient: TestSetup {
        var setup = TestSetup()
        setup.clock = SelectiveClock(passing: .zero)
        return setup
    }

    private static func body(_ items: [String], more: String = "") -> String {
        #"{"notifications":[\#(items.joined(separator: ","))]\#(more)}"#
    }

    @Test("is stored with each payload byte for byte, and answered with each apns-id in the order of the request")
    func accepted() async throws {
        try await withAPI { api async throws in
            let items = (0..<3000).map { streamLine($0, $0.isMultiple(of: 3) ? #","priority":5"# : "") }
            let answer = try await api.call(.post, Self.path, Self.body(items))
            #expect(answer.status == 202)
            #expect(answer.json["targetCount"]?.number == 3000)
            #expect(answer.json["batchCount"]?.number == 2)
            let ids = answer.json["apnsIDs"]?.elements.compactMap { $0.text.flatMap { APNsID(canonical: $0) } } ?? []
            #expect(Set(ids).count == 3000)
            let delivery = FakeDelivery(store: api.store)
            var batches: [BatchID: Batch] = [:]
            for _ in 0..<2 {
                let batch = try #require(try await delivery.claim(.bulk)).batch
                batches[batch.id] = batch
            }
            for (number, id) in ids.enumerated() {
                let (batch, index) = BatchID.locate(id)
                guard batches[batch]?.payload[index].text == #"{"n":\#(number)}"# else {
                    Issue.record("notification \(number) has another payload")
                    return
                }
            }
        }
    }

    @Test("is waited for, and answers each outcome in the order of the request, whatever its batch")
    func waited() async throws {
        try await withAPI(Self.patient) { api async throws in
            let items = [
                #"{"id":"a\u0062","token":"ab01","payload":{}}"#, #"{"token":"ab02","payload":{},"priority":5}"#,
                #"{"id":"c","token":"ab03","payload":{}}"#,
            ]
            let delivery = FakeDelivery(store: api.store)
            async let settled: Void = delivery.settleAll { _, target in
                target.token.bytes.last == 3 ? .failed(.timeout) : .delivered
            } _: { batch in
                // The first batch has two targets, and the second one.
                batch.targets.count > 1
            }
            async let answer = api.call(.post, "\(Self.path)?wait=true", Self.body(items))
            try await settled
            let outcomes = try await answer.json["outcomes"]?.elements ?? []
            #expect(outcomes.map { $0["index"]?.number } == [0, 1, 2])
            #expect(outcomes.map { $0["id"]?.text } == ["ab", nil, "c"])
            #expect(outcomes.map { $0["token"]?.text } == ["ab01", "ab02", "ab03"])
            #expect(outcomes.map { $0["state"]?.text } == ["delivered", "delivered", "failed"])
            #expect(try await answer.json["apnsIDs"]?.elements == outcomes.compactMap { $0["apnsID"] })
        }
    }

    @Test("is refused whole when anything is wrong, with the index of each fault")
    func faults() async throws {
        try await withAPI { api async throws in
            let items = [
                streamLine(0), #"{"token":"x","payload":{}}"#, "7", #"{"token":"ab","payload":{},"priority":3}"#,
                #"{"token":"ab"}"#, streamLine(5), #"{"payload":{}}"#,
            ]
            let answer = try await api.call(.post, Self.path, Self.body(items))
            #expect(answer.status == 422)
            #expect(
                answer.fields == [
                    "notifications[1].token", "notifications[2]", "notifications[3].priority", "notifications[4]",
                    "notifications[6].token",
                ]
            )
            #expect(try await FakeDelivery(store: api.store).claim(.urgent) == nil)
        }
    }

    @Test(
        "is refused when it is empty, too large, or none",
        arguments: [
            ("{}", 422, "notifications"), (#"{"notifications":[]}"#, 422, "notifications"),
            (#"{"notifications":{}}"#, 422, "notifications"), (#"{"notifications":[],"x":1}"#, 422, "notifications"),
            (body((0...10_000).map { streamLine($0) }), 413, "notifications"),
            (body([streamLine(1)], more: #","lane":"fast""#), 422, "lane"), ("[]", 422, "body"),
        ]
    )
    func refused(body: String, status: Int, field: String) async throws {
        try await withAPI { api async throws in
            let answer = try await api.call(.post, Self.path, body)
            #expect(answer.status == status)
            #expect(answer.fields.first == field)
        }
    }

    @Test("of 10,000 is taken; the lane may be chosen")
    func full() async throws {
        try await withAPI { api async throws in
            let body = Self.body((0..<10_000).map { streamLine($0) }, more: #","lane":"urgent""#)
            #expect(try await api.call(.post, Self.path, body).status == 202)
            let claimed = try await FakeDelivery(store: api.store).claim(.urgent)
            #expect(claimed?.batch.targets.count == 10_000)
            #expect(claimed?.batch.payload[9999].text == #"{"n":9999}"#)
        }
    }
}
