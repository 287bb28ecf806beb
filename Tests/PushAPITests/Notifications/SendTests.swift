// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import HTTPTypes
import NIOCore
import PushModel
import PushStore
import StoreTesting
import Testing

@Suite("Sending", .timeLimit(.minutes(20)))
struct SendTests {
    private static let path = "/v1/apps/\(TestAPI.app)/notifications"

    @Test("to tokens stores one batch with headers, payload and targets as they were given")
    func tokens() async throws {
        try await withAPI { api async throws in
            let body = """
                {"targets":{"tokens":["\(TestToken.hex(1))","\(TestToken.hex(2))"],"environment":"production"},
                 "pushType":"alert","priority":5,"expiration":1900000000,"collapseID":"score",
                 "payload":{"aps":{"alert":"x"}}}
                """
            let answer = try await api.call(.post, Self.path, body)
            #expect(answer.status == 202)
            let id = try #require(answer.json["id"]?.text)
            #expect(answer.headers[.location] == "\(Self.path)/\(id)")
            #expect(answer.json["state"]?.text == "accepted")
            #expect(answer.json["targetCount"]?.number == 2)
            #expect(answer.json["remaining"]?.number == 2)

            let batch = try #require(try await FakeDelivery(store: api.store).claim(.urgent)).batch
            #expect(batch.notification.description == id)
            #expect(batch.headers.topic.rawValue == "com.example.app")
            #expect(batch.headers.pushType == .alert)
            #expect(batch.headers.priority == .powerConsiderate)
            #expect(batch.headers.expiration == APNsExpiration(rawValue: 1_900_000_000))
            #expect(batch.headers.collapseID?.rawValue == "score")
            #expect(batch.expiresAt?.timeIntervalSince1970 == 1_900_000_000)
            #expect(
                Array(batch.targets) == [1, 2].map { Target(token: TestToken.token($0), environment: .production) }
            )
        }
    }

    @Test(
        "passes the payload on byte for byte",
        arguments: [
            #"{"aps":{"alert":"テスト通知","badge":1},"device_id":"d-1","date":"2024-06-01","action":"open"}"#,
            "{ \"b\" : 1.0e+2 ,\n\t\"a\":[ 1,2 , {} ], \"a\": \"\\u00e9\\/\", \"n\":null }",
            #"{"n":12345678901234567890.123456789e-400,"e":"\ud83d\ude00"}"#,
            "{}",
        ]
    )
    func payload(_ payload: String) async throws {
        try await withAPI { api async throws in
            let body = "{\"payload\":  \(payload) , \"targets\":{\"tokens\":[\"ab\"]}}"
            #expect(try await api.call(.post, Self.path, body).status == 202)
            let batch = try #require(try await FakeDelivery(store: api.store).claim(.urgent)).batch
            #expect(batch.payload[0].text == payload)
        }
    }

    @Test("writes Apple's payload from the short form")
    func shortForm() async throws {
        try await withAPI { api async throws in
            let body = """
                {"targets":{"tokens":["ab"]},"notification":{"title":"T","subtitle":"S","body":"B","badge":3,
                 "sound":"default","threadID":"t","category":"c","mutableContent":true,"contentAvailable":true,
                 "targetContentID":"w","interruptionLevel":"time-sensitive","relevanceScore":0.5,"filterCriteria":"f",
                 "data":{"order":17,"nested":{"a":[true,null]}}}}
                """
            let answer = try await api.call(.post, Self.path, body)
            #expect(answer.status == 202, "\(answer.text)")
            let batch = try #require(try await FakeDelivery(store: api.store).claim(.urgent)).batch
            let expected = """
                {"aps":{"alert":{"title":"T","subtitle":"S","body":"B"},"badge":3,"sound":"default","thread-id":"t",
                "category":"c","content-available":1,"mutable-content":1,"target-content-id":"w",
                "interruption-level":"time-sensitive","relevance-score":0.5,"filter-criteria":"f"},
                "order":17,"nested":{"a":[true,null]}}
                """
            #expect(try JSONValue(json: batch.payload[0].bytes) == JSONValue(json: Array(expected.utf8)))
        }
    }

    @Test(
        "chooses topic and priority by the push type",
        arguments: [
            ("background", "com.example.app", 5), ("voip", "com.example.app.voip", nil),
            ("liveactivity", "com.example.app.push-type.liveactivity", nil),
            ("pushtotalk", "com.example.app.voip-ptt", 10),
        ] as [(String, String, Int?)]
    )
    func pushType(_ type: String, _ topic: String, _ priority: Int?) async throws {
        try await withAPI { api async throws in
            let body = #"{"targets":{"tokens":["ab"]},"pushType":"\#(type)","payload":{"aps":{}}}"#
            #expect(try await api.call(.post, Self.path, body).status == 202)
            let batch = try #require(try await FakeDelivery(store: api.store).claim(.urgent)).batch
            #expect(batch.headers.topic.rawValue == topic)
            #expect(batch.headers.priority?.rawValue == priority)
        }
    }

    @Test("to devices takes those that can be reached and tells which cannot")
    func devices() async throws {
        try await withAPI { api async throws in
            try await api.register("phone", token: 1)
            try await api.register("tablet", token: 2)
            let body = #"{"targets":{"devices":["phone","nobody","tablet","phone"]},"payload":{"aps":{}}}"#
            let answer = try await api.call(.post, Self.path, body)
            #expect(answer.status == 202)
            #expect(answer.json["targetCount"]?.number == 2)
            #expect(answer.json["skipped"] == ["count": 1, "devices": ["nobody"]])
            let batch = try #require(try await FakeDelivery(store: api.store).claim(.urgent)).batch
            #expect(Array(batch.targets) == [1, 2].map { Target(token: TestToken.token($0), environment: .sandbox) })
        }
    }

    @Test("to users takes all of their devices")
    func users() async throws {
        try await withAPI { api async throws in
            try await api.register("phone", token: 1, more: #","userID":"ann""#)
            try await api.register("tablet", token: 2, more: #","userID":"ann""#)
            try await api.register("other", token: 3, more: #","userID":"bob""#)
            let body = #"{"targets":{"users":["ann","eve"]},"payload":{"aps":{}}}"#
            let answer = try await api.call(.post, Self.path, body)
            #expect(answer.json["targetCount"]?.number == 2)
            #expect(answer.json["skipped"] == ["count": 1, "users": ["eve"]])
            let batch = try #require(try await FakeDelivery(store: api.store).claim(.urgent)).batch
            #expect(Set(batch.targets.map(\.token)) == [TestToken.token(1), TestToken.token(2)])
        }
    }

    @Test(
        "to nobody who can be reached is refused",
        arguments: [
            #"{"devices":["nobody"]}"#, #"{"users":["nobody","eve"]}"#,
        ]
    )
    func nobody(_ targets: String) async throws {
        try await withAPI { api async throws in
            let answer = try await api.call(.post, Self.path, #"{"targets":\#(targets),"payload":{"aps":{}}}"#)
            #expect(answer.status == 422)
            #expect(answer.code == "no_reachable_targets")
        }
    }

    @Test("to more targets than a batch holds makes several batches, in the bulk lane")
    func severalBatches() async throws {
        try await withAPI { api async throws in
            let tokens = (0..<10_001).map { "\"\(String(0x1000_0000 + $0, radix: 16))\"" }.joined(separator: ",")
            let answer = try await api.call(.post, Self.path, #"{"targets":{"tokens":[\#(tokens)]},"payload":{"a":1}}"#)
            #expect(answer.status == 202)
            #expect(answer.json["batchCount"]?.number == 2)
            let delivery = FakeDelivery(store: api.store)
            #expect(try await delivery.claim(.urgent) == nil)
            #expect(try await delivery.claim(.bulk)?.batch.targets.count == 10_000)
            #expect(try await delivery.claim(.bulk)?.batch.targets.count == 1)
        }
    }

    @Test("takes the lane that the caller chooses")
    func lane() async throws {
        try await withAPI { api async throws in
            let body = #"{"targets":{"tokens":["ab"]},"payload":{"a":1},"lane":"bulk"}"#
            #expect(try await api.call(.post, Self.path, body).status == 202)
            let delivery = FakeDelivery(store: api.store)
            #expect(try await delivery.claim(.urgent) == nil)
            #expect(try await delivery.claim(.bulk) != nil)
        }
    }

    @Test("takes 100,000 tokens in one request and settles them in ten batches")
    func hundredThousand() async throws {
        try await withAPI { api async throws in
            var body = ByteBuffer(string: #"{"targets":{"tokens":["#)
            for number in 0..<100_000 {
                let digits = String(number, radix: 16)
                body.writeString(number == 0 ? "\"" : ",\"")
                body.writeString(String(repeating: "0", count: 64 - digits.count) + digits + "\"")
            }
            body.writeString(#"]},"payload":{"aps":{"alert":"x"}}}"#)
            let answer = try await api.call(.post, "/v1/apps/\(TestAPI.app)/notifications", bytes: body)
            #expect(answer.status == 202, "\(answer.text.prefix(300))")
            #expect(answer.json["targetCount"]?.number == 100_000)
            #expect(answer.json["batchCount"]?.number == 10)
            let last = try await api.store.claim(
                lane: .bulk,
                limit: 10,
                worker: "w",
                leaseDuration: .seconds(1),
                now: TestTime.start
            ).last
            #expect(last?.batch.targets.last?.token.bytes.suffix(3) == [0x01, 0x86, 0x9F])
        }
    }
}
