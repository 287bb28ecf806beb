// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import HTTPTypes
import NIOCore
import PushAPI
import PushModel
import PushStore
import StoreTesting
import Synchronization
import Testing

@Suite("A stream", .timeLimit(.minutes(20)))
struct StreamTests {
    @Test(
        "acknowledges every line, tells every outcome once, and says at its end how many there were",
        arguments: TestStoreBackend.allCases
    )
    func whole(on store: TestStoreBackend) async throws {
        try await withAPI(TestSetup(store: store)) { api async throws in
            let answers = try await api.stream((1...5000).map { streamLine($0) }) { _, target in
                target.token.bytes.last == 7 ? .rejected(Rejection(.badDeviceToken)) : .delivered
            }
            #expect(answers.through == 5000)
            #expect(answers.outcomes.count == 5000)
            let bad = (1...5000).filter { $0 % 256 == 7 }
            #expect(answers.outcomes.filter { $0.value == "BadDeviceToken" }.keys.sorted() == bad)
            #expect(answers.outcomes.values.count { $0 == "delivered" } == 5000 - bad.count)
            let end = try #require(answers.end)
            #expect(end["reason"]?.text == "completed")
            #expect(end["linesRead"]?.number == 5000)
            #expect(end["accepted"]?.number == 5000)
            #expect(end["delivered"]?.number == 5000 - bad.count)
            #expect(end["rejected"]?.number == bad.count)
            #expect(end["pending"]?.number == 0)
            #expect(answers.ofType("resumed").isEmpty)
        }
    }

    @Test("passes each payload on byte for byte, with its own headers and environment, in the urgent lane")
    func content() async throws {
        try await withAPI { api async throws in
            let sent = Mutex<[String: Batch]>([:])
            let lines = [
                #"{"id":"a\"1","token":"AB01","payload":{ "aps" : {"alert":"寿司 🍣"} } }"#,
                #" {"token":"ab02","environment":"production","payload":{"b":1},"pushType":"background"} "#,
                #"{"payload":{"c":1},"token":"ab03","priority":5,"expiration":0,"collapseID":"x"}"#,
                #"{"token":"ab04","notification":{"body":"Hi"}}"#,
                #"{"token":"ab05","payload":{"e":1},"environment":null}"#,
            ]
            let changes = FakeDelivery(store: api.store)
            let headers: HTTPFields = [.contentType: "application/x-ndjson"]
            async let answer = api.call(
                .post,
                TestAPI.streamPath,
                bytes: ByteBuffer(string: lines.joined(separator: "\n")),
                headers: headers
            )
            try await changes.settleAll { _, _ in
                .delivered
            } _: { batch in
                sent.withLock { sent in
                    for (index, target) in batch.targets.enumerated() {
                        sent["\(target.token.hex) \(target.environment) \(batch.payload[index].text)"] = batch
                    }
                    return sent.count < lines.count
                }
            }
            let batches = sent.withLock(\.self)
            #expect(
                batches.keys.sorted() == [
                    #"ab01 sandbox { "aps" : {"alert":"寿司 🍣"} }"#, #"ab02 production {"b":1}"#,
                    #"ab03 sandbox {"c":1}"#, #"ab04 sandbox {"aps":{"alert":"Hi"}}"#, #"ab05 sandbox {"e":1}"#,
                ]
            )
            #expect(batches.values.allSatisfy { $0.lane == .urgent })
            let background = batches[#"ab02 production {"b":1}"#]
            #expect(background?.headers.pushType == .background)
            #expect(background?.headers.priority == .powerConsiderate)
            let collapsing = batches[#"ab03 sandbox {"c":1}"#]
            #expect(collapsing?.headers.collapseID?.rawValue == "x")
            #expect(collapsing?.headers.expiration == .once)
            #expect(batches[#"ab01 sandbox { "aps" : {"alert":"寿司 🍣"} }"#]?.targets.count == 3)
            let answers = StreamAnswers(try await answer.text)
            #expect(answers.outcomes.count == 5)
            #expect(answers.ofType("outcome").compactMap { $0["id"]?.text } == [#"a"1"#])
        }
    }

    @Test("tells outcomes under the apns-id by which they can be asked for")
    func identifiers() async throws {
        try await withAPI { api async throws in
            let answers = try await api.stream([streamLine(1)])
            let id = try #require(answers.ofType("outcome").first?["apnsID"]?.text)
            let path = "/v1/apps/\(TestAPI.app)/notifications/by-apns-id/\(id)"
            let answer = try await api.call(.get, path)
            #expect(answer.json["outcome"]?["state"]?.text == "delivered")
        }
    }

    @Test("ends when outcomes take too long, and says how many are to come")
    func pending() async throws {
        var setup = TestSetup()
        setup.configuration.stream.patience = .milliseconds(1)
        try await withAPI(setup) { api async throws in
            let headers: HTTPFields = [.contentType: "application/x-ndjson"]
            let body = ByteBuffer(string: (1...3).map { streamLine($0) + "\n" }.joined())
            let answer = try await api.call(.post, TestAPI.streamPath, bytes: body, headers: headers)
            let answers = StreamAnswers(answer.text)
            #expect(answers.through == 3)
            #expect(answers.outcomes.isEmpty)
            #expect(answers.end?["reason"]?.text == "outcomes_pending")
            #expect(answers.end?["pending"]?.number == 3)
        }
    }

    @Test("is refused as a whole for what is wrong with the request")
    func refused() async throws {
        var setup = TestSetup()
        setup.configuration.stream.maximumStreams = 0
        try await withAPI(setup) { api async throws in
            let headers: HTTPFields = [.contentType: "application/x-ndjson"]
            func open(_ query: String, headers: HTTPFields = headers) async throws -> Answer {
                try await api.call(.post, TestAPI.streamPath + query, bytes: ByteBuffer(string: ""), headers: headers)
            }
            #expect(try await open("?from=2").fields == ["query.from"])
            #expect(try await open("?stream=&from=x").fields == ["query.stream", "query.from"])
            #expect(try await open("?stream=a&outcomesAfter=-1").fields == ["query.outcomesAfter"])
            #expect(try await open("?other=1").fields == ["query.other"])
            #expect(try await open("?stream=a&from=2").code == "stream_gap")
            #expect(try await open("", headers: [.contentType: "application/json"]).code == "unsupported_media_type")
            #expect(try await open("").code == "too_many_streams")
            let key = try #require(HTTPField.Name("Idempotency-Key"))
            var named = headers
            named[key] = "a"
            #expect(try await open("", headers: named).fields == ["Idempotency-Key"])
        }
    }
}
