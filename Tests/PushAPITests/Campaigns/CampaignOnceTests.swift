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

@Suite("A campaign or token validation with an idempotency key", .timeLimit(.minutes(20)))
struct CampaignOnceTests {
    /// What is created, and where.
    enum Kind: String, CaseIterable {
        case campaigns
        case tokenValidations = "token-validations"

        var path: String { "/v1/apps/\(TestAPI.app)/\(self.rawValue)" }

        var body: String {
            switch self {
            case .campaigns: #"{"audience":{"all":true},"message":{"default":{"notification":{"body":"x"}}}}"#
            case .tokenValidations: #"{"durationSeconds":60}"#
            }
        }
    }

    private static func headers(_ key: String) throws -> HTTPFields {
        var headers = HTTPFields()
        headers[try #require(HTTPField.Name("Idempotency-Key"))] = key
        return headers
    }

    private static func isReplayed(_ answer: Answer) throws -> Bool {
        answer.headers[try #require(HTTPField.Name("Idempotent-Replayed"))] == "true"
    }

    private static func count(_ api: TestAPI) async throws -> Int {
        try await api.store.campaigns(of: TestAPI.app, after: nil, limit: 100).elements.count
    }

    @Test(
        "is created once, and repetitions are answered as the first, byte for byte",
        arguments: Kind.allCases,
        TestStoreBackend.allCases
    )
    func once(kind: Kind, on store: TestStoreBackend) async throws {
        let setup = TestSetup(store: store)
        try await withAPI(setup) { api async throws in
            let headers = try Self.headers("sale")
            let first = try await api.call(.post, kind.path, kind.body, headers: headers)
            #expect(first.status == 201)
            #expect(try !Self.isReplayed(first))
            let location = try #require(first.headers[.location])
            // What has become of it meanwhile changes nothing about the answer.
            #expect(try await api.call(.post, "\(location):pause").status == 200)
            setup.time.advance(by: 60)
            for _ in 0..<2 {
                let again = try await api.call(.post, kind.path, kind.body, headers: headers)
                #expect(again.status == 201)
                #expect(again.text == first.text)
                #expect(again.headers[.location] == location)
                #expect(try Self.isReplayed(again))
            }
            #expect(try await Self.count(api) == 1)
            let other = try await api.call(.post, kind.path, kind.body, headers: try Self.headers("sale 2"))
            #expect(try !Self.isReplayed(other))
            #expect(try await Self.count(api) == 2)
        }
    }

    @Test("is created once although the store's answer was lost", arguments: Kind.allCases)
    func lostAnswer(kind: Kind) async throws {
        var setup = TestSetup()
        let faults = StoreFaults(1, of: "createCampaign(_:noting:)")
        setup.wrap = { ProbedStore($0, StoreProbe(after: { try faults.check($0) })) }
        try await withAPI(setup) { api async throws in
            let headers = try Self.headers("sale")
            let first = try await api.call(.post, kind.path, kind.body, headers: headers)
            #expect(first.status == 503)
            let second = try await api.call(.post, kind.path, kind.body, headers: headers)
            #expect(second.status == 201)
            #expect(try Self.isReplayed(second))
            let found = try await api.store.campaigns(of: TestAPI.app, after: nil, limit: 9).elements
            #expect(found.map(\.campaign.id.description) == [second.json["id"]?.text])
        }
    }

    @Test("that comes several times at once is created once, and all are answered alike", arguments: Kind.allCases)
    func concurrent(kind: Kind) async throws {
        try await withAPI { api async throws in
            let headers = try Self.headers("sale")
            let answers = try await withThrowingTaskGroup(of: Answer.self) { group in
                for _ in 0..<8 {
                    group.addTask { try await api.call(.post, kind.path, kind.body, headers: headers) }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(answers.allSatisfy { $0.status == 201 })
            #expect(Set(answers.map(\.text)).count == 1)
            #expect(try answers.count { try !Self.isReplayed($0) } == 1)
            #expect(try await Self.count(api) == 1)
        }
    }

    @Test("is refused where the key named another request, and a refused request uses up no key")
    func reused() async throws {
        try await withAPI { api async throws in
            let headers = try Self.headers("sale")
            let (campaign, validation) = (Kind.campaigns, Kind.tokenValidations)
            #expect(try await api.call(.post, campaign.path, "{}", headers: headers).status == 422)
            #expect(try await api.call(.post, campaign.path, campaign.body, headers: headers).status == 201)
            let other = try await api.call(.post, validation.path, validation.body, headers: headers)
            #expect(other.status == 422)
            #expect(other.code == "idempotency_key_reused")
            let body = campaign.body.replacing("\"x\"", with: "\"y\"")
            #expect(try await api.call(.post, campaign.path, body, headers: headers).code == "idempotency_key_reused")
            #expect(try await Self.count(api) == 1)
        }
    }

    @Test("is answered as the first although a time that it names has passed by now")
    func passed() async throws {
        let setup = TestSetup()
        try await withAPI(setup) { api async throws in
            let end = TestTime.start.addingTimeInterval(60).formatted(.iso8601)
            let body = Kind.campaigns.body.dropLast() + #","expiresAt":"\#(end)"}"#
            let headers = try Self.headers("sale")
            let first = try await api.call(.post, Kind.campaigns.path, String(body), headers: headers)
            #expect(first.status == 201)
            setup.time.advance(by: 3600)
            let again = try await api.call(.post, Kind.campaigns.path, String(body), headers: headers)
            #expect(again.text == first.text)
        }
    }
}
