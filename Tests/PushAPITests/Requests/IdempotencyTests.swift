// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import HTTPTypes
import PushAPI
import PushModel
import PushStore
import StoreTesting
import Testing

@Suite("An idempotency key", .timeLimit(.minutes(20)))
struct IdempotencyTests {
    private static let one = #"{"targets":{"tokens":["ab"]},"payload":{}}"#
    private static let two = #"{"targets":{"tokens":["cd"]},"payload":{}}"#
    private static let path = "/v1/apps/\(TestAPI.app)/notifications"

    private static func headers(_ key: String) throws -> HTTPFields {
        var headers = HTTPFields()
        headers[try #require(HTTPField.Name("Idempotency-Key"))] = key
        return headers
    }

    private static func isReplayed(_ answer: Answer) throws -> Bool {
        answer.headers[try #require(HTTPField.Name("Idempotent-Replayed"))] == "true"
    }

    @Test(
        "has a request carried out once, and its repetitions answered as the first",
        arguments: ["", ":batch"],
        TestStoreBackend.allCases
    )
    func once(kind: String, on store: TestStoreBackend) async throws {
        try await withAPI(TestSetup(store: store)) { api async throws in
            let headers = try Self.headers("order 17")
            let body = kind.isEmpty ? Self.one : #"{"notifications":[{"token":"ab","payload":{}}]}"#
            let first = try await api.call(.post, Self.path + kind, body, headers: headers)
            #expect(first.status == 202)
            #expect(try !Self.isReplayed(first))
            for _ in 0..<2 {
                let again = try await api.call(.post, Self.path + kind, body, headers: headers)
                #expect(again.status == 202)
                #expect(again.text == first.text)
                #expect(again.headers[.location] == first.headers[.location])
                #expect(try Self.isReplayed(again))
            }
            let delivery = FakeDelivery(store: api.store)
            #expect(try await delivery.claim(.urgent) != nil)
            #expect(try await delivery.claim(.urgent) == nil)
        }
    }

    @Test("has a repetition answered as the first although its device is gone by now")
    func changed() async throws {
        try await withAPI { api async throws in
            try await api.register("a", token: 1)
            let headers = try Self.headers("a")
            let body = #"{"targets":{"devices":["a"]},"payload":{}}"#
            let first = try await api.call(.post, Self.path, body, headers: headers)
            #expect(first.status == 202)
            #expect(try await api.call(.delete, "/v1/apps/\(TestAPI.app)/devices/a").status == 204)
            let again = try await api.call(.post, Self.path, body, headers: headers)
            #expect(again.status == 202)
            #expect(again.text == first.text)
            #expect(try Self.isReplayed(again))
            let none = try await api.call(.post, Self.path, body, headers: try Self.headers("b"))
            #expect(none.code == "no_reachable_targets")
        }
    }

    @Test("of another request is refused, also on another path; another caller's is another key")
    func reused() async throws {
        try await withAPI { api async throws in
            let headers = try Self.headers("a")
            #expect(try await api.call(.post, Self.path, Self.one, headers: headers).status == 202)
            let other = try await api.call(.post, Self.path, Self.two, headers: headers)
            #expect(other.status == 422)
            #expect(other.code == "idempotency_key_reused")
            let batch = #"{"notifications":[{"token":"ab","payload":{}}]}"#
            let path = Self.path + ":batch"
            #expect(try await api.call(.post, path, batch, headers: headers).code == "idempotency_key_reused")
            let key = try await api.key(scopes: [.send]).text
            let foreign = try await api.call(.post, Self.path, Self.two, key: key, headers: headers)
            #expect(foreign.status == 202)
            #expect(try !Self.isReplayed(foreign))
        }
    }

    @Test("whose stored answer is corrupt is refused", arguments: [-1, 7000])
    func damaged(status: Int) async throws {
        try await withAPI { api async throws in
            let headers = try Self.headers("a")
            #expect(try await api.call(.post, Self.path, Self.one, headers: headers).status == 202)
            let key = try IdempotencyKey(validating: "a")
            let slot = ScopedIdempotencyKey(app: TestAPI.app, apiKey: api.admin.id, key: key)
            try await api.store.setAnswer(IdempotencyRecord.Answer(status: status, body: []), for: slot)
            let again = try await api.call(.post, Self.path, Self.one, headers: headers)
            #expect(again.code == "store_corrupt")
        }
    }

    @Test("is not used up by a request that was refused")
    func refused() async throws {
        try await withAPI { api async throws in
            let headers = try Self.headers("a")
            #expect(try await api.call(.post, Self.path, "{}", headers: headers).status == 422)
            #expect(try await api.call(.post, Self.path, Self.one, headers: headers).status == 202)
        }
    }

    @Test("breaks no rule but its own", arguments: ["", String(repeating: "x", count: 256)])
    func bad(key: String) async throws {
        try await withAPI { api async throws in
            let answer = try await api.call(.post, Self.path, Self.one, headers: try Self.headers(key))
            #expect(answer.status == 422)
            #expect(answer.fields == ["Idempotency-Key"])
        }
    }

    @Test("of requests that come at the same time has one of them carried out, and all answered alike")
    func concurrent() async throws {
        try await withAPI { api async throws in
            let headers = try Self.headers("a")
            let answers = try await withThrowingTaskGroup(of: Answer.self) { group in
                for _ in 0..<8 {
                    group.addTask { try await api.call(.post, Self.path, Self.one, headers: headers) }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(answers.allSatisfy { $0.status == 202 })
            #expect(Set(answers.map(\.text)).count == 1)
            #expect(try answers.count { try !Self.isReplayed($0) } == 1)
            let delivery = FakeDelivery(store: api.store)
            #expect(try await delivery.claim(.urgent) != nil)
            #expect(try await delivery.claim(.urgent) == nil)
        }
    }

    @Test("with wait has repetitions that come while the first waits answered as the first, whatever comes first")
    func waitingTogether() async throws {
        let (looks, looked) = AsyncStream.makeStream(of: Void.self)
        var setup = TestSetup()
        setup.clock = SelectiveClock(passing: .zero)
        setup.wrap = { LateAnswerStore(base: $0, looks: looks, looked: looked) }
        try await withAPI(setup) { api async throws in
            let delivery = FakeDelivery(store: api.store)
            let headers = try Self.headers("a")
            async let batch = delivery.settleNext { _, _ in .rejected(Rejection(.badDeviceToken)) }
            async let one = api.call(.post, "\(Self.path)?wait=true", Self.one, headers: headers)
            async let two = api.call(.post, "\(Self.path)?wait=true", Self.one, headers: headers)
            let answers = try await [one, two]
            #expect(try await batch != nil)
            #expect(answers.map(\.status) == [200, 200])
            #expect(answers[0].text == answers[1].text)
            #expect(answers[0].json["outcomes"]?.elements.count == 1)
            #expect(try answers.count { try Self.isReplayed($0) } == 1)
        }
    }

    @Test("with wait has repetitions answered with the outcomes, also when the first did not wait")
    func waiting() async throws {
        var setup = TestSetup()
        setup.clock = SelectiveClock(passing: .zero)
        try await withAPI(setup) { api async throws in
            let delivery = FakeDelivery(store: api.store)
            async let batch = delivery.settleNext { _, _ in .rejected(Rejection(.badDeviceToken)) }
            let headers = try Self.headers("a")
            let first = try await api.call(.post, "\(Self.path)?wait=true", Self.one, headers: headers)
            #expect(try await batch != nil)
            #expect(first.json["outcomes"]?.elements.count == 1)
            let again = try await api.call(.post, "\(Self.path)?wait=true", Self.one, headers: headers)
            #expect(again.text == first.text)
            #expect(again.status == 200)
            #expect(try Self.isReplayed(again))

            let other = try Self.headers("b")
            #expect(try await api.call(.post, Self.path, Self.one, headers: other).status == 202)
            let claimed = try #require(try await delivery.claim(.urgent))
            try await delivery.settle(claimed) { _, _ in .failed(.timeout) }
            let later = try await api.call(.post, "\(Self.path)?wait=true", Self.one, headers: other)
            #expect(later.status == 200)
            #expect(later.json["state"]?.text == "completed")
            #expect(later.json["failures"]?.elements.first?["code"]?.text == "timeout")
            #expect(try Self.isReplayed(later))
        }
    }
}
