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

@Suite("Publishing to topics", .timeLimit(.minutes(20)))
struct PublicationTests {
    private static let app = "/v1/apps/\(TestAPI.app)"
    private static let path = "\(app)/topics/news"

    /// Six phones: 1 wants goals, 2 all, 3 is Anna's, who wants cards, 4 told the topic itself, 5 is subscribed to
    /// another topic, 6 wants payloads with a score.
    private static func populate(_ api: TestAPI) async throws {
        for number in 1...6 {
            let more = number == 3 ? #","userID":"anna""# : number == 4 ? #","topics":["news"]"# : ""
            try await api.register("phone-\(number)", token: UInt8(number), more: more)
        }
        try await api.call(.put, self.path)
        try await api.call(.put, "\(self.app)/topics/other")
        for (topic, body) in [
            ("news", #"{"device":"phone-1","filter":{"kind":["goal"]}}"#), ("news", #"{"device":"phone-2"}"#),
            ("news", #"{"user":"anna","filter":{"kind":["card"]}}"#), ("other", #"{"device":"phone-5"}"#),
            ("news", #"{"device":"phone-6","filter":{"score":[{"exists":true}]},"filterScope":"payload"}"#),
        ] {
            let answer = try await api.call(.post, "\(self.app)/topics/\(topic)/subscriptions", body)
            #expect(answer.status == 201, "\(answer.text)")
        }
    }

    @Test(
        "reaches those whose filters it passes, and those that want all",
        arguments: TestStoreBackend.allCases,
        [
            (#"{"payload":{"aps":{}}}"#, [2, 4]), (#"{"attributes":{"kind":"goal"},"payload":{}}"#, [1, 2, 4]),
            (#"{"attributes":{"kind":["card","goal"]},"payload":{}}"#, [1, 2, 3, 4]),
            (#"{"attributes":{"kind":1},"payload":{"score":"{{1:0}}"}}"#, [2, 4, 6]),
        ] as [(String, [UInt8])]
    )
    func filters(on store: TestStoreBackend, publication: (String, [UInt8])) async throws {
        let (text, phones) = publication
        try await withAPI(TestSetup(store: store)) { api async throws in
            try await Self.populate(api)
            let answer = try await api.call(.post, "\(Self.path)/notifications", text)
            #expect(answer.status == 202, "\(answer.text)")
            #expect(answer.json["notification"]?["targetCount"]?.number == phones.count)
            let claimed = try await api.store.claim(now: TestTime.start.addingTimeInterval(60))
            let batch = try #require(claimed.first?.batch)
            #expect(Array(batch.targets).map(\.token) == phones.map { TestToken.token($0) })
            #expect(batch.lane == .urgent)
            guard case .shared(let payload) = batch.payload else { throw TopicFixtures.Refusal() }
            let body = try JSONValue(json: Array(text.utf8))
            #expect(try JSONValue(json: payload.bytes) == body["payload"])
            let location = try #require(answer.headers[.location])
            #expect(try await api.call(.get, location).json["id"] == answer.json["notification"]?["id"])
        }
    }

    @Test("comes to nothing where nobody wants it, and is refused where there is no such topic")
    func nobody() async throws {
        try await withAPI { api async throws in
            let body = #"{"notification":{"title":"x"}}"#
            #expect(try await api.call(.post, "\(Self.path)/notifications", body).code == "topic_not_found")
            try await api.call(.put, Self.path)
            for wait in ["", "?wait=true"] {
                let answer = try await api.call(.post, "\(Self.path)/notifications\(wait)", body)
                #expect(answer.status == 200)
                #expect(answer.json == ["topic": "news"])
            }
        }
    }

    @Test("is waited for until every device has its outcome")
    func waiting() async throws {
        var setup = TestSetup()
        setup.clock = SelectiveClock(passing: .zero)
        try await withAPI(setup) { api async throws in
            try await Self.populate(api)
            let delivery = FakeDelivery(store: api.store)
            async let batch = delivery.settleNext { index, _ in
                index == 0 ? .rejected(Rejection(.unregistered, inactiveSince: 1_770_000_001_500)) : .delivered
            }
            let answer = try await api.call(.post, "\(Self.path)/notifications?wait=true", #"{"payload":{}}"#)
            #expect(try await batch != nil)
            #expect(answer.status == 200)
            #expect(answer.json["notification"]?["state"] == "completed")
            #expect(answer.json["notification"]?["failures"]?.elements.count == 1)
        }
    }

    @Test("is done once for each name of a request", arguments: TestStoreBackend.allCases)
    func once(on store: TestStoreBackend) async throws {
        try await withAPI(TestSetup(store: store)) { api async throws in
            try await Self.populate(api)
            let headers: HTTPFields = [try #require(HTTPField.Name("Idempotency-Key")): "goal-17"]
            let path = "\(Self.path)/notifications"
            let answers = try await withThrowingTaskGroup(of: Answer.self) { group -> [Answer] in
                for _ in 0..<4 {
                    group.addTask { try await api.call(.post, path, #"{"payload":{}}"#, headers: headers) }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(Set(answers.map(\.text)).count == 1)
            #expect(Set(answers.map(\.status)) == [202])
            let claimed = try await api.store.claim(now: TestTime.start.addingTimeInterval(60))
            #expect(claimed.count == 1)
            let other = try await api.call(.post, path, #"{"payload":{"a":1}}"#, headers: headers)
            #expect(other.code == "idempotency_key_reused")
        }
    }

    @Test("becomes a campaign when there are more devices than one batch has", arguments: TestStoreBackend.allCases)
    func campaign(on store: TestStoreBackend) async throws {
        try await withAPI(TestSetup(store: store)) { api async throws in
            try await api.call(.put, Self.path)
            let count = Batch.maximumTargets
            for start in stride(from: 0, to: count, by: 500) {
                let registrations = try (start..<(start + 500)).map { number in
                    try StoreFixtures.registration(
                        DeviceID(unchecked: "device \(number)"),
                        token: number,
                        profile: DeviceProfile(topics: ["news"])
                    )
                }
                try await api.store.register(registrations, now: TestTime.start)
            }
            let answer = try await api.call(.post, "\(Self.path)/notifications?wait=true", #"{"payload":{"a":"{{b"}}"#)
            #expect(answer.status == 202, "\(answer.text)")
            #expect(answer.json["notification"] == nil)
            #expect(answer.json["campaign"]?["name"] == "topic news")
            let location = try #require(answer.headers[.location])
            let shown = try await api.call(.get, location)
            #expect(shown.json["audience"] == answer.json["campaign"]?["audience"])
            let id = try #require(answer.json["campaign"]?["id"]?.text.flatMap { CampaignID($0) })
            let campaign = try #require(try await api.store.campaign(id)?.campaign)
            let found = try await api.store.count(of: campaign.audience, app: campaign.app, through: nil)
            #expect(found == count)
            // Nobody writes such an audience by hand.
            let copy =
                #"{"name":"x","audience":\#(String(decoding: try campaign.audience.json.json(), as: UTF8.self)),"#
            let refused = try await api.call(
                .post,
                "\(Self.app)/campaigns",
                copy + #""message":{"default":{"payload":{}}}}"#
            )
            #expect(refused.code == "invalid_request", "\(refused.text)")
        }
    }

    @Test(
        "is refused with the field that is wrong",
        arguments: [
            ("{}", "body"), (#"{"payload":{},"notification":{"title":"x"}}"#, "body"),
            (#"{"payload":{},"attributes":{"a":true}}"#, "attributes.a"),
            (#"{"payload":{},"attributes":{"a b":"c"}}"#, "attributes.a b"),
            (#"{"payload":{},"attributes":{"a":[{}]}}"#, "attributes.a"), (#"{"payload":{},"lane":"x"}"#, "lane"),
            (#"{"payload":{},"targets":{}}"#, "targets"),
        ]
    )
    func bad(body: String, field: String) async throws {
        try await withAPI { api async throws in
            try await Self.populate(api)
            let answer = try await api.call(.post, "\(Self.path)/notifications", body)
            #expect(answer.code == "invalid_request", "\(answer.text)")
            #expect(answer.fields.contains(field), "\(answer.text)")
            #expect(try await api.store.claim(now: TestTime.start.addingTimeInterval(60)).isEmpty)
        }
    }

    @Test("is refused when the payload is too large once its braces are escaped")
    func braces() async throws {
        try await withAPI { api async throws in
            try await Self.populate(api)
            let text = String(repeating: "{{ ", count: 1300)
            let answer = try await api.call(.post, "\(Self.path)/notifications", #"{"payload":{"a":"\#(text)"}}"#)
            #expect(answer.code == "payload_too_large", "\(answer.text)")
        }
    }
}
