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

@Suite("What failed, and sending it again", .timeLimit(.minutes(20)))
struct DeadLetterTests {
    private static let path = "/v1/apps/\(TestAPI.app)/notifications"

    /// What becomes of the tokens 1, 2 and so on.
    private static let outcomes: [Outcome] = [
        .delivered, .rejected(Rejection(.unregistered, inactiveSince: 1_770_000_000_000)),
        .rejected(Rejection(.tooManyRequests)), .failed(.timeout), .rejected(Rejection(.payloadTooLarge)),
        .rejected(Rejection(.invalidProviderToken)),
    ]

    private static func send(_ api: TestAPI, more: String = "") async throws -> String {
        let tokens = Self.outcomes.indices.map { "\"\(TestToken.hex(UInt8($0 + 1)))\"" }.joined(separator: ",")
        let body = #"{"targets":{"tokens":[\#(tokens)]},"payload":{"n":1},"collapseID":"x"\#(more)}"#
        let answer = try await api.call(.post, Self.path, body)
        return try #require(answer.json["id"]?.text)
    }

    private static func settle(_ api: TestAPI) async throws {
        let delivery = FakeDelivery(store: api.store)
        let claimed = try #require(try await delivery.claim(.urgent))
        try await delivery.settle(claimed) { index, _ in Self.outcomes[index] }
    }

    @Test(
        "failures are listed, all of them or by what they are",
        arguments: [
            ("", [1, 2, 3, 4, 5]), ("?retryable=true", [2, 3, 5]), ("?retryable=false", [1, 4]),
            ("?reason=Unregistered", [1]), ("?reason=timeout&retryable=true", [3]), ("?reason=None", []),
        ]
    )
    func listed(query: String, indices: [Int]) async throws {
        try await withAPI { api async throws in
            let id = try await Self.send(api)
            #expect(try await api.call(.get, "\(Self.path)/\(id)/failures").json["failures"] == .array([]))
            try await Self.settle(api)
            let answer = try await api.call(.get, "\(Self.path)/\(id)/failures\(query)")
            #expect(answer.status == 200)
            #expect(answer.json["failures"]?.elements.compactMap { $0["index"]?.number } == indices)
        }
    }

    @Test("failures come in pages")
    func pages() async throws {
        try await withAPI { api async throws in
            let id = try await Self.send(api)
            try await Self.settle(api)
            var indices: [Int] = []
            var after = ""
            repeat {
                let answer = try await api.call(.get, "\(Self.path)/\(id)/failures?limit=2\(after)")
                indices += answer.json["failures"]?.elements.compactMap { $0["index"]?.number } ?? []
                after = answer.json["nextCursor"]?.text.map { "&cursor=\($0)" } ?? ""
            } while !after.isEmpty
            #expect(indices == [1, 2, 3, 4, 5])
        }
    }

    @Test("what expired before its turn is among the failures, and is sent again")
    func expired() async throws {
        try await withAPI { api async throws in
            let id = try await Self.send(api)
            let claimed = try #require(try await FakeDelivery(store: api.store).claim(.urgent))
            try await api.store.close(claimed.batch.id, worker: claimed.worker, as: .expired, now: TestTime.start)
            let answer = try await api.call(.get, "\(Self.path)/\(id)/failures?reason=expired")
            #expect(answer.json["failures"]?.elements.count == Self.outcomes.count)
            let again = try await api.call(.post, "\(Self.path)/\(id):resend")
            #expect(again.status == 202)
            #expect(again.json["targetCount"]?.number == Self.outcomes.count)
        }
    }

    @Test("what may pass is sent again as a new notification that names the old one, with all else as it was")
    func resent() async throws {
        try await withAPI { api async throws in
            let id = try await Self.send(api, more: #","expiration":1900000000"#)
            try await Self.settle(api)
            let answer = try await api.call(.post, "\(Self.path)/\(id):resend", #"{"expiration":2000000000}"#)
            #expect(answer.status == 202)
            #expect(answer.json["resendOf"]?.text == id)
            #expect(answer.json["targetCount"]?.number == 3)
            let location = try #require(answer.headers[.location])
            #expect(try await api.call(.get, location).json["resendOf"]?.text == id)

            let delivery = FakeDelivery(store: api.store)
            let claimed = try #require(try await delivery.claim(.urgent))
            #expect(claimed.batch.targets.map(\.token) == ([3, 4, 6] as [UInt8]).map(TestToken.token))
            #expect(String(decoding: claimed.batch.payload[0].bytes, as: UTF8.self) == #"{"n":1}"#)
            #expect(claimed.batch.headers.collapseID?.rawValue == "x")
            #expect(claimed.batch.headers.expiration == APNsExpiration(rawValue: 2_000_000_000))
            #expect(claimed.batch.expiresAt == Date(timeIntervalSince1970: 2_000_000_000))
            try await delivery.settle(claimed) { index, _ in index == 2 ? .failed(.connectionLost) : .delivered }
            // The place of a target is its place in the new notification.
            let failures = try await api.call(.get, "\(location)/failures").json["failures"]?.elements ?? []
            #expect(failures.map { $0["index"]?.number } == [2])
            #expect(try await api.call(.post, "\(location):resend").status == 202)
        }
    }

    @Test("nothing is sent again while the notification is not final")
    func notFinal() async throws {
        try await withAPI { api async throws in
            let id = try await Self.send(api)
            let answer = try await api.call(.post, "\(Self.path)/\(id):resend", "{}")
            #expect(answer.status == 409)
            #expect(answer.code == "notification_not_completed")
        }
    }

    @Test(
        "what was sent again says so, and is not among what may be sent again any more",
        arguments: TestStoreBackend.allCases
    )
    func listedAgain(on store: TestStoreBackend) async throws {
        var setup = TestSetup(store: store)
        setup.configuration.resend.maximumTargets = 2
        try await withAPI(setup) { api async throws in
            let id = try await Self.send(api)
            try await Self.settle(api)
            func list(_ query: String = "") async throws -> [(index: Int?, resentBy: String?)] {
                let answer = try await api.call(.get, "\(Self.path)/\(id)/failures\(query)")
                #expect(answer.status == 200, "\(answer.text)")
                return (answer.json["failures"]?.elements ?? []).map { ($0["index"]?.number, $0["resentBy"]?.text) }
            }
            let first = try await api.call(.post, "\(Self.path)/\(id):resend").json["id"]?.text
            #expect(first != nil)
            var all = try await list()
            #expect(all.map(\.index) == [1, 2, 3, 4, 5])
            #expect(all.map(\.resentBy) == [nil, first, first, nil, nil])
            #expect(try await list("?retryable=true").map(\.index) == [5])
            #expect(try await list("?retryable=true&reason=timeout").isEmpty)
            #expect(try await list("?reason=timeout").map(\.resentBy) == [first])
            #expect(try await list("?retryable=false").map(\.index) == [1, 4])
            // A place that lies before what was sent again brings nothing of it back.
            let page = try await api.call(.get, "\(Self.path)/\(id)/failures?limit=1")
            let after = try #require(page.json["nextCursor"]?.text)
            #expect(try await list("?retryable=true&cursor=\(after)").map(\.index) == [5])

            let second = try await api.call(.post, "\(Self.path)/\(id):resend").json["id"]?.text
            #expect(second != nil)
            all = try await list()
            #expect(all.map(\.resentBy) == [nil, first, first, nil, second])
            #expect(try await list("?retryable=true").isEmpty)
        }
    }

    @Test("nothing is sent again twice, and the refusal names the first one")
    func twice() async throws {
        try await withAPI { api async throws in
            let id = try await Self.send(api)
            try await Self.settle(api)
            let first = try await api.call(.post, "\(Self.path)/\(id):resend")
            let second = try await api.call(.post, "\(Self.path)/\(id):resend")
            #expect(second.status == 409)
            #expect(second.code == "notification_already_resent")
            #expect(second.json["detail"]?.text?.contains(first.json["id"]?.text ?? "none") == true)
        }
    }

    @Test(
        "what is too much for one call is sent again by the next ones, each target once",
        arguments: [(2, 9, 9 << 20), (9, 1, 9 << 20), (9, 9, 1)],
        TestStoreBackend.allCases
    )
    func inParts(limits: (targets: Int, batches: Int, bytes: Int), on store: TestStoreBackend) async throws {
        var setup = TestSetup(store: store)
        setup.configuration.resend.maximumTargets = limits.targets
        setup.configuration.resend.maximumBatches = limits.batches
        setup.configuration.resend.maximumPayloadBytes = limits.bytes
        try await withAPI(setup) { api async throws in
            // Two batches, since their headers differ: of the first one two targets fail, of the other one.
            let items = [(1, 5), (2, 5), (3, 5), (4, 10), (5, 10)].map { token, priority in
                #"{"token":"\#(TestToken.hex(UInt8(token)))","payload":{"n":\#(token)},"priority":\#(priority)}"#
            }
            let body = #"{"notifications":[\#(items.joined(separator: ","))]}"#
            let sent = try await api.call(.post, "\(Self.path):batch", body)
            let id = try #require(sent.json["id"]?.text)
            let delivery = FakeDelivery(store: api.store)
            for _ in 0..<2 {
                let claimed = try #require(try await delivery.claim(.urgent))
                try await delivery.settle(claimed) { _, target in
                    [1, 3, 5].contains(target.token.bytes[0]) ? .failed(.timeout) : .delivered
                }
            }
            let first = try await api.call(.post, "\(Self.path)/\(id):resend")
            #expect(first.status == 202, "\(first.text)")
            #expect(first.json["targetCount"]?.number == 2)
            #expect(first.json["hasMore"] == .bool(true))
            let second = try await api.call(.post, "\(Self.path)/\(id):resend")
            #expect(second.status == 202, "\(second.text)")
            #expect(second.json["targetCount"]?.number == 1)
            #expect(second.json["hasMore"] == nil)
            #expect(second.json["resendOf"]?.text == id)
            let third = try await api.call(.post, "\(Self.path)/\(id):resend")
            #expect(third.code == "notification_already_resent")
            let listed = try await api.call(.get, "\(Self.path)/\(id)/failures").json["failures"]?.elements ?? []
            let ids = [first, first, second].map { $0.json["id"]?.text }
            #expect(listed.map { $0["resentBy"]?.text } == ids)
            #expect(third.json["detail"]?.text?.contains(second.json["id"]?.text ?? "none") == true)
            var payloads: [UInt8: String] = [:]
            while let claimed = try await delivery.claim(.urgent) {
                for (index, target) in claimed.batch.targets.enumerated() {
                    let payload = String(decoding: claimed.batch.payload[index].bytes, as: UTF8.self)
                    #expect(payloads.updateValue(payload, forKey: target.token.bytes[0]) == nil)
                }
                try await delivery.settle(claimed)
            }
            #expect(payloads == [1: #"{"n":1}"#, 3: #"{"n":3}"#, 5: #"{"n":5}"#])
        }
    }

    @Test("there has to be something that may pass")
    func nothing() async throws {
        try await withAPI { api async throws in
            let delivery = FakeDelivery(store: api.store)
            let sent = try await api.call(.post, Self.path, #"{"targets":{"tokens":["ab"]},"payload":{}}"#)
            let claimed = try #require(try await delivery.claim(.urgent))
            try await delivery.settle(claimed) { _, _ in .rejected(Rejection(.badDeviceToken)) }
            let answer = try await api.call(.post, "\(Self.path)/\(sent.json["id"]?.text ?? ""):resend")
            #expect(answer.status == 422)
            #expect(answer.code == "nothing_to_resend")
        }
    }

    @Test(
        "a wrong request is refused with the field",
        arguments: [
            (HTTPRequest.Method.get, "/failures?retryable=maybe", "", "query.retryable"),
            (.get, "/failures?cursor=x", "", "query.cursor"), (.get, "/failures?wait=true", "", "query.wait"),
            (.post, ":resend", #"{"expiration":-1}"#, "expiration"), (.post, ":resend", #"{"lane":"bulk"}"#, "lane"),
        ]
    )
    func wrong(method: HTTPRequest.Method, rest: String, body: String, field: String) async throws {
        try await withAPI { api async throws in
            let id = try await Self.send(api)
            let answer = try await api.call(method, "\(Self.path)/\(id)\(rest)", body.isEmpty ? nil : body)
            #expect(answer.status == 422)
            #expect(answer.json["errors"]?.elements.first?["field"]?.text == field)
        }
    }

    @Test("another app's notification is not found")
    func otherApp() async throws {
        try await withAPI { api async throws in
            try await api.store.createApp(App(id: "com.example.other", createdAt: TestTime.start))
            let id = try await Self.send(api)
            let other = "/v1/apps/com.example.other/notifications/\(id)"
            #expect(try await api.call(.get, "\(other)/failures").code == "notification_not_found")
            #expect(try await api.call(.post, "\(other):resend").code == "notification_not_found")
        }
    }
}
