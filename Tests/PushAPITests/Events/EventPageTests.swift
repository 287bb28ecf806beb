// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import HTTPTypes
import PushModel
import PushStore
import StoreTesting
import Testing

@Suite("The feed in pages", .timeLimit(.minutes(5)))
struct EventPageTests {
    private static let path = "/v1/apps/\(TestAPI.app)/events"

    @Test("has what was accepted and settled, with what the targets came to")
    func contents() async throws {
        try await withAPI { api async throws in
            let delivery = FakeDelivery(store: api.store)
            let body = #"{"targets":{"tokens":["ab","cd"]},"payload":{}}"#
            let sent = try await api.call(.post, "/v1/apps/\(TestAPI.app)/notifications", body)
            try await delivery.settleNext { index, _ in index == 0 ? .delivered : .failed(.deadline) }
            let answer = try await api.call(.get, Self.path)
            #expect(answer.status == 200)
            let events = answer.json["events"]?.elements ?? []
            #expect(events.map { $0["kind"]?.text } == ["notification.accepted", "notification.settled"])
            #expect(events.allSatisfy { $0["data"]?["notification"] == sent.json["id"] })
            #expect(events.last?["data"]?["failed"] == ["deadline": 1])
            #expect(events.last?["id"] == answer.json["cursor"])
            #expect(answer.json["next"] == nil)
        }
    }

    @Test("goes on behind a cursor, and says whether more follows")
    func paging() async throws {
        try await withAPI { api async throws in
            try await api.append(0..<5)
            let first = try await api.call(.get, "\(Self.path)?limit=3")
            #expect(first.numbers == [0, 1, 2])
            let cursor = try #require(first.json["next"]?.text)
            let second = try await api.call(.get, "\(Self.path)?limit=3&after=\(cursor)")
            #expect(second.numbers == [3, 4])
            #expect(second.json["next"] == nil)
            let end = try #require(second.json["cursor"]?.text)
            #expect(try await api.call(.get, "\(Self.path)?after=\(end)").json["cursor"]?.text == end)
            let latest = try await api.call(.get, "\(Self.path)?after=latest")
            #expect(latest.numbers == [] && latest.json["cursor"]?.text == end)
            try await api.append(5..<6)
            #expect(try await api.call(.get, "\(Self.path)?after=\(end)").numbers == [5])
        }
    }

    @Test("answers the kinds that are asked for")
    func kinds() async throws {
        try await withAPI { api async throws in
            try await api.append(0..<3)
            try await api.append(3..<4, kind: "device.invalidated")
            try await api.append(4..<5, kind: "device.suspected")
            #expect(try await api.call(.get, "\(Self.path)?kinds=device.invalidated").numbers == [3])
            #expect(
                try await api.call(.get, "\(Self.path)?kinds=device.suspected,device.invalidated").numbers == [3, 4]
            )
            #expect(try await api.call(.get, "\(Self.path)?kinds=webhook.disabled").numbers == [])
            for kind in EventType.known {
                #expect(try await api.call(.get, "\(Self.path)?kinds=\(kind)").status == 200)
            }
        }
    }

    @Test(
        "refuses what is no cursor, no kind and no limit",
        arguments: [
            ("after=x", "query.after"), ("after=-1", "query.after"), ("after=", "query.after"),
            ("after=1-2-3", "query.after"), ("kinds=Sushi", "query.kinds"), ("kinds=", "query.kinds"),
            ("kinds=device.suspected,,webhook.disabled", "query.kinds"), ("kinds=device.invalid", "query.kinds"),
            ("kinds=job.called", "query.kinds"), ("limit=0", "query.limit"), ("limit=1001", "query.limit"),
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
                let path = "\(Self.path)?kinds=device.invalidated,device.invalid"
                let answer = try await api.call(.get, path, headers: [.accept: format])
                #expect(answer.status == 422)
                let fault = try #require(answer.json["errors"]?.elements.first)
                #expect(fault["value"] == "'device.invalid'")
                for kind in EventType.known { #expect(fault["rule"]?.text?.contains(kind.rawValue) == true) }
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
                let answer = try await api.call(.get, "\(Self.path)?after=\(cursor)", headers: [.accept: format])
                #expect(answer.status == 410)
                #expect(answer.code == "cursor_expired")
                let rule = try #require(answer.json["errors"]?.elements.first?["rule"]?.text)
                let oldest = try #require(rule.split(separator: "'").dropFirst().first)
                #expect(try await api.call(.get, "\(Self.path)?after=\(oldest)").numbers == [3, 4])
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
                for kinds in ["", "&kinds=device.suspected"] {
                    let path = "\(Self.path)?after=\(number + 1)\(kinds)"
                    let answer = try await api.call(.get, path, headers: [.accept: format])
                    #expect(answer.status == 410)
                    #expect(answer.code == "cursor_expired")
                    #expect(answer.json["errors"]?.elements.first?["rule"]?.text?.contains("'\(end)'") == true)
                }
            }
            #expect(try await api.call(.get, "\(Self.path)?after=\(end)&kinds=device.suspected").status == 200)
        }
    }

    @Test("takes every cursor that it gave, also when nothing is kept any more", arguments: TestStoreBackend.allCases)
    func pruned(on store: TestStoreBackend) async throws {
        try await withAPI(TestSetup(store: store)) { api async throws in
            let start = try #require(try await api.call(.get, "\(Self.path)?after=latest").json["cursor"]?.text)
            #expect(try await api.call(.get, "\(Self.path)?after=\(start)").status == 200)
            try await api.append(0..<3)
            let end = try #require(try await api.call(.get, Self.path).json["cursor"]?.text)
            try await api.store.pruneEvents(before: TestTime.start.addingTimeInterval(1), keeping: 100)
            #expect(try await api.call(.get, Self.path).numbers == [])
            let answer = try await api.call(.get, "\(Self.path)?after=\(end)")
            #expect(answer.status == 200 && answer.json["cursor"]?.text == end)
            try await api.append(3..<4)
            #expect(try await api.call(.get, "\(Self.path)?after=\(end)").numbers == [3])
        }
    }

    @Test("asks for the scope read, and for a key of the app")
    func access() async throws {
        try await withAPI { api async throws in
            let sender = try await api.key(scopes: [.send, .devices])
            #expect(try await api.call(.get, Self.path, key: sender.text).code == "missing_scope")
            try await api.store.createApp(App(id: "com.example.other", createdAt: TestTime.start))
            let other = try await api.key(scopes: [.read], app: "com.example.other")
            #expect(try await api.call(.get, Self.path, key: other.text).code == "key_not_for_app")
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
