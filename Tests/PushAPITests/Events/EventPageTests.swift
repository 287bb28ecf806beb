// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import HTTPTypes
import PushModel
import PushStore
import StoreTesting
import Testing

@Suite("The feed in pages", .timeLimit(.minutes(20)))
struct EventPageTests {
    private static let path = "/v1/apps/\(TestAPI.app)/events"

    @Test("has what was accepted and settled, with what the targets came to")
    func contents() async throws {
        try await withAPI { api async throws in
            let delivery = FakeDelivery(store: api.store)
            let body = #"{"targets":{"tokens":["ab","cd"]},"payload":{}}"#
            let sent = try await api.call(.post, "/v1/apps/\(TestAPI.app)/notifications", body)
            try await delivery.settleNext { index, _ in index == 0 ? .delivered : .failed(.timeout) }
            let answer = try await api.call(.get, Self.path)
            #expect(answer.status == 200)
            let events = answer.json["events"]?.elements ?? []
            #expect(events.map { $0["type"]?.text } == ["notification.accepted", "notification.completed"])
            #expect(events.allSatisfy { $0["data"]?["notification"] == sent.json["id"] })
            #expect(events.last?["data"]?["failed"] == ["timeout": 1])
            #expect(events.last?["id"] == answer.json["cursor"])
            #expect(answer.json["nextCursor"] == nil)
        }
    }

    @Test("goes on behind a cursor, and says whether more follows")
    func paging() async throws {
        try await withAPI { api async throws in
            try await api.append(0..<5)
            let first = try await api.call(.get, "\(Self.path)?limit=3")
            #expect(first.numbers == [0, 1, 2])
            let cursor = try #require(first.json["nextCursor"]?.text)
            let second = try await api.call(.get, "\(Self.path)?limit=3&cursor=\(cursor)")
            #expect(second.numbers == [3, 4])
            #expect(second.json["nextCursor"] == nil)
            let end = try #require(second.json["cursor"]?.text)
            #expect(try await api.call(.get, "\(Self.path)?cursor=\(end)").json["cursor"]?.text == end)
            let latest = try await api.call(.get, "\(Self.path)?cursor=latest")
            #expect(latest.numbers == [] && latest.json["cursor"]?.text == end)
            try await api.append(5..<6)
            #expect(try await api.call(.get, "\(Self.path)?cursor=\(end)").numbers == [5])
        }
    }

    @Test("begins a number of events before its end, also before a stream of what follows")
    func latest() async throws {
        try await withAPI { api async throws in
            #expect(try await api.call(.get, "\(Self.path)?latest=10").numbers == [])
            try await api.append(0..<4)
            // All apps share the numbers of events.
            try await api.call(.post, "/v1/apps", #"{"id":"com.example.other"}"#)
            let other = NewEvent(app: "com.example.other", time: TestTime.start, kind: .deviceSuspected, data: [:])
            try await api.store.append(Array(repeating: other, count: 20))
            try await api.append(4..<5, kind: "device.suspected")
            let last = try await api.call(.get, "\(Self.path)?latest=2")
            #expect(last.numbers == [3, 4])
            #expect(last.json["nextCursor"] == nil)
            #expect(try await api.call(.get, "\(Self.path)?latest=1000").numbers == [0, 1, 2, 3, 4])
            #expect(try await api.call(.get, "\(Self.path)?latest=3&types=device.suspected").numbers == [4])
            let end = try #require(last.json["cursor"]?.text)
            let lastEventID = try #require(HTTPField.Name("Last-Event-ID"))
            let continued = try await api.call(.get, "\(Self.path)?latest=2", headers: [lastEventID: end])
            #expect(continued.numbers == [])
            for wrong in ["latest=0", "latest=1001", "latest=1e999", "latest=2&cursor=1"] {
                let answer = try await api.call(.get, "\(Self.path)?\(wrong)")
                #expect(answer.fields == ["query.latest"], "\(wrong)")
            }
        }
    }

    @Test("answers the kinds that are asked for")
    func kinds() async throws {
        try await withAPI { api async throws in
            try await api.append(0..<3)
            try await api.append(3..<4, kind: "device.invalidated")
            try await api.append(4..<5, kind: "device.suspected")
            #expect(try await api.call(.get, "\(Self.path)?types=device.invalidated").numbers == [3])
            #expect(
                try await api.call(.get, "\(Self.path)?types=device.suspected,device.invalidated").numbers == [3, 4]
            )
            #expect(try await api.call(.get, "\(Self.path)?types=webhook.disabled").numbers == [])
            for kind in EventType.known {
                #expect(try await api.call(.get, "\(Self.path)?types=\(kind)").status == 200)
            }
        }
    }

    @Test(
        "refuses what is no cursor, no kind and no limit",
        arguments: [
            ("cursor=x", "query.cursor"), ("cursor=-1", "query.cursor"), ("cursor=", "query.cursor"),
            ("cursor=1-2-3", "query.cursor"), ("types=Sushi", "query.types"), ("types=", "query.types"),
            ("types=device.suspected,,webhook.disabled", "query.types"), ("types=device.invalid", "query.types"),
            ("types=job.triggered", "query.types"), ("limit=0", "query.limit"), ("limit=1001", "query.limit"),
            ("since=1", "query.since"),
        ]
    )
    func badQueries(query: String, field: String) async throws {
        try await withAPI { api async throws in
            let answer = try await api.call(.get, "\(Self.path)?\(query)")
            #expect(answer.status == 422)
            #expect(answer.fields == [field])
        }
    }

    @Test("a kind that does not exist is refused with those that do")
    func unknownKind() async throws {
        try await withAPI { api async throws in
            for format in ["application/json", "text/event-stream"] {
                let path = "\(Self.path)?types=device.invalidated,device.invalid"
                let answer = try await api.call(.get, path, headers: [.accept: format])
                #expect(answer.status == 422)
                let fault = try #require(answer.json["errors"]?.elements.first)
                #expect(fault["actual"] == "'device.invalid'")
                for kind in EventType.known { #expect(fault["expected"]?.text?.contains(kind.rawValue) == true) }
            }
        }
    }

    @Test("refuses a cursor of which events are gone, and names the oldest one that will do")
    func expired() async throws {
        try await withAPI { api async throws in
            try await api.append(0..<5)
            let cursor = try #require(try await api.call(.get, "\(Self.path)?limit=1").json["cursor"]?.text)
            try await api.store.pruneEvents(before: .distantPast, keeping: 2)
            for format in ["application/json", "text/event-stream", "application/x-ndjson"] {
                let answer = try await api.call(.get, "\(Self.path)?cursor=\(cursor)", headers: [.accept: format])
                #expect(answer.status == 410)
                #expect(answer.code == "cursor_expired")
                let rule = try #require(answer.json["errors"]?.elements.first?["expected"]?.text)
                let oldest = try #require(rule.split(separator: "'").dropFirst().first)
                #expect(try await api.call(.get, "\(Self.path)?cursor=\(oldest)").numbers == [3, 4])
            }
            #expect(try await api.call(.get, Self.path).numbers == [3, 4])
        }
    }

    @Test(
        "refuses a cursor beyond the end, as after a restore, and says up to where",
        arguments: TestStoreBackend.allCases
    )
    func beyond(on store: TestStoreBackend) async throws {
        try await withAPI(TestSetup(store: store)) { api async throws in
            try await api.append(0..<3)
            let end = try #require(try await api.call(.get, Self.path).json["cursor"]?.text)
            let number = try #require(Int(end))
            for format in ["application/json", "text/event-stream", "application/x-ndjson"] {
                for kinds in ["", "&types=device.suspected"] {
                    let path = "\(Self.path)?cursor=\(number + 1)\(kinds)"
                    let answer = try await api.call(.get, path, headers: [.accept: format])
                    #expect(answer.status == 410)
                    #expect(answer.code == "cursor_expired")
                    #expect(answer.json["errors"]?.elements.first?["expected"]?.text?.contains("'\(end)'") == true)
                }
            }
            #expect(try await api.call(.get, "\(Self.path)?cursor=\(end)&types=device.suspected").status == 200)
        }
    }

    @Test("takes every cursor that it gave, also when nothing is kept any more", arguments: TestStoreBackend.allCases)
    func pruned(on store: TestStoreBackend) async throws {
        try await withAPI(TestSetup(store: store)) { api async throws in
            let start = try #require(try await api.call(.get, "\(Self.path)?cursor=latest").json["cursor"]?.text)
            #expect(try await api.call(.get, "\(Self.path)?cursor=\(start)").status == 200)
            try await api.append(0..<3)
            let end = try #require(try await api.call(.get, Self.path).json["cursor"]?.text)
            try await api.store.pruneEvents(before: TestTime.start.addingTimeInterval(1), keeping: 100)
            #expect(try await api.call(.get, Self.path).numbers == [])
            let answer = try await api.call(.get, "\(Self.path)?cursor=\(end)")
            #expect(answer.status == 200 && answer.json["cursor"]?.text == end)
            try await api.append(3..<4)
            #expect(try await api.call(.get, "\(Self.path)?cursor=\(end)").numbers == [3])
        }
    }

    @Test("asks for the scope read, and for a key of the app")
    func access() async throws {
        try await withAPI { api async throws in
            let sender = try await api.key(scopes: [.send, .devices])
            #expect(try await api.call(.get, Self.path, key: sender.text).code == "insufficient_scope")
            try await api.store.createApp(App(id: "com.example.other", createdAt: TestTime.start))
            let other = try await api.key(scopes: [.read], app: "com.example.other")
            #expect(try await api.call(.get, Self.path, key: other.text).code == "api_key_app_mismatch")
            let reader = try await api.key(scopes: [.read], app: TestAPI.app)
            #expect(try await api.call(.get, Self.path, key: reader.text).status == 200)
            #expect(try await api.call(.get, "/v1/apps/com.example.none/events").code == "app_not_found")
        }
    }
}

extension TestAPI {
    /// Appends events that tell their numbers.
    func append(_ numbers: some Sequence<Int>, kind: String = "sushi.served") async throws {
        let events = numbers.map { number in
            NewEvent(
                app: Self.app,
                time: TestTime.start,
                kind: EventType(rawValue: kind),
                data: ["number": .integer(Int64(number))]
            )
        }
        try await self.store.append(events)
    }
}

extension Answer {
    /// The numbers of a page's events.
    var numbers: [Int] { self.json["events"]?.elements.compactMap { $0["data"]?["number"]?.number } ?? [] }
}
