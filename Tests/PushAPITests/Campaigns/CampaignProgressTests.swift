// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import HTTPTypes
import PushModel
import PushStore
import StoreTesting
import Testing

@Suite("How far a campaign has come, over HTTP", .timeLimit(.minutes(20)))
struct CampaignProgressTests {
    private static let path = "/v1/apps/\(TestAPI.app)/campaigns"

    /// Creates a campaign, plans it for so many devices, and settles some of these 10 seconds later.
    private static func run(
        _ api: TestAPI,
        _ setup: TestSetup,
        planned: Int,
        settled: Int
    ) async throws -> CampaignID {
        let body = #"{"audience":{"all":true},"message":{"default":{"notification":{"body":"Hello"}}}}"#
        let answer = try await api.call(.post, Self.path, body)
        let id = try #require((answer.json["id"]?.text).flatMap { CampaignID($0) })
        let now = setup.time.now
        let claimed = try #require(try await api.store.claimCampaigns(now: now).first).campaign
        let plan = CampaignFixtures.plan(claimed)
        try await api.store.advance(FanOutStep(campaign: id, plan: plan), now: now)
        let step = try CampaignFixtures.step(claimed, plan, targets: 0..<planned, isLast: true, now: now)
        try await api.store.advance(step, now: now)
        setup.time.advance(by: 10)
        let batch = try #require(try await api.store.claim(.bulk, now: setup.time.now).first)
        try await api.store.settle(
            Settlement(of: batch, range: 0..<settled, failures: []),
            now: setup.time.now
        )
        return id
    }

    @Test(
        "whoever asks first is told the rate and the time left, by what is stored",
        arguments: TestStoreBackend.allCases
    )
    func rate(on store: TestStoreBackend) async throws {
        let setup = TestSetup(store: store)
        try await withAPI(setup) { api async throws in
            let id = try await Self.run(api, setup, planned: 50, settled: 20)
            for path in ["\(Self.path)/\(id)/progress", "\(Self.path)/\(id)"] {
                let json = try await api.call(.get, path).json
                let progress = json["progress"] ?? json
                #expect(progress["ratePerSecond"] == 2)
                #expect(progress["remainingSeconds"] == 15)
                #expect(progress["attempted"] == 20)
                #expect(progress["blockedBy"] == nil)
            }
        }
    }

    @Test(
        "no time left is told while it is paused, nor while waves are still to come",
        arguments: TestStoreBackend.allCases
    )
    func noTimeLeft(on store: TestStoreBackend) async throws {
        let setup = TestSetup(store: store)
        try await withAPI(setup) { api async throws in
            let id = try await Self.run(api, setup, planned: 50, settled: 20)
            let paths = ["\(Self.path)/\(id)/progress", "\(Self.path)/\(id)"]
            #expect(try await api.call(.get, paths[0]).json["remainingSeconds"] == 15)
            #expect(try await api.call(.post, "\(Self.path)/\(id):pause").json["progress"]?["remainingSeconds"] == nil)
            setup.time.advance(by: 5)
            for path in paths {
                let json = try await api.call(.get, path).json
                let progress = json["progress"] ?? json
                #expect(progress["state"] == "paused")
                #expect(progress["remaining"] == 30)
                #expect(progress["remainingSeconds"] == nil)
            }
        }
    }

    @Test(
        "a standstill is told, however seldom it is asked, and until when it lasts if APNs asked for it",
        arguments: TestStoreBackend.allCases
    )
    func standstill(on store: TestStoreBackend) async throws {
        let setup = TestSetup(store: store)
        try await withAPI(setup) { api async throws in
            let id = try await Self.run(api, setup, planned: 50, settled: 20)
            let path = "\(Self.path)/\(id)/progress"
            #expect(try await api.call(.get, path).json["remainingSeconds"] == 15)
            setup.time.advance(by: 300)
            let still = try await api.call(.get, path).json
            #expect(still["ratePerSecond"] == 0)
            #expect(still["remainingSeconds"] == nil)
            #expect(still["deferredUntil"] == nil)
            let batch = try #require(try await api.store.notification(id.notification)?.batches.first)
            let until = setup.time.now.addingTimeInterval(900)
            try await api.store.setBack(batch.id, worker: StoreFixtures.worker, until: until, now: setup.time.now)
            let deferred = try await api.call(.get, path).json
            #expect(deferred["deferredUntil"]?.text?.hasSuffix("Z") == true)
            #expect(deferred["remainingSeconds"] == nil)
            setup.time.advance(by: 896)
            #expect(try await api.call(.get, path).json["deferredUntil"] == nil)
        }
    }

    @Test("what it waits for is told as it was noted, and not once it is paused", arguments: TestStoreBackend.allCases)
    func waiting(on store: TestStoreBackend) async throws {
        let setup = TestSetup(store: store)
        try await withAPI(setup) { api async throws in
            let id = try await Self.run(api, setup, planned: 50, settled: 20)
            let now = setup.time.now
            try await api.store.notePause(
                OpenCircuit(
                    line: OpenCircuit.Circuit(app: TestAPI.app, environment: .production, credential: "key-1"),
                    pushTypes: [.alert],
                    cause: "credential",
                    reason: "ExpiredProviderToken",
                    since: now,
                    nextProbeAt: now.addingTimeInterval(10)
                )
            )
            let path = "\(Self.path)/\(id)"
            let waiting = try await api.call(.get, "\(path)/progress").json["blockedBy"]?.elements
            #expect(waiting?.count == 1)
            #expect(waiting?.first?["environment"] == "production")
            #expect(waiting?.first?["credential"] == "key-1")
            #expect(waiting?.first?["cause"] == "credential")
            #expect(waiting?.first?["reason"] == "ExpiredProviderToken")
            #expect(waiting?.first?["since"]?.text?.hasSuffix("Z") == true)
            #expect(waiting?.first?["nextProbeAt"]?.text?.hasSuffix("Z") == true)
            #expect(try await api.call(.post, "\(path):resume").json["progress"]?["blockedBy"]?.elements.count == 1)
            let paused = try await api.call(.post, "\(path):pause")
            #expect(paused.json["progress"]?["state"] == "paused")
            #expect(paused.json["progress"]?["blockedBy"] == nil)
        }
    }

    @Test(
        "one that is created paused waits until it is resumed, and can be tested before",
        arguments: TestStoreBackend.allCases
    )
    func createdPaused(on store: TestStoreBackend) async throws {
        try await withAPI(TestSetup(store: store)) { api async throws in
            try await api.register("one", token: 1)
            let body = #"{"audience":{"all":true},"message":{"default":{"payload":{}}},"startPaused":true}"#
            let answer = try await api.call(.post, Self.path, body)
            #expect(answer.status == 201, "\(answer.text)")
            #expect(answer.json["startPaused"] == true)
            #expect(answer.json["progress"]?["state"] == "paused")
            let path = "\(Self.path)/\(try #require(answer.json["id"]?.text))"
            #expect(try await api.call(.get, path).json == answer.json)
            #expect(try await api.store.claimCampaigns(now: .distantFuture).isEmpty)
            #expect(try await api.call(.post, "\(path):test", #"{"devices":["one"]}"#).status == 202)
            let resumed = try await api.call(.post, "\(path):resume")
            #expect(resumed.json["progress"]?["state"] == "scheduled")
            #expect(try await api.store.claimCampaigns(now: .distantFuture).count == 1)
        }
    }

    @Test(
        "a test with an idempotency key is sent once, however often it is asked for",
        arguments: TestStoreBackend.allCases
    )
    func testOnce(on store: TestStoreBackend) async throws {
        try await withAPI(TestSetup(store: store)) { api async throws in
            try await api.register("one", token: 1)
            try await api.register("two", token: 2)
            let body = #"{"audience":{"all":true},"message":{"default":{"payload":{}}},"startPaused":true}"#
            let id = try #require(try await api.call(.post, Self.path, body).json["id"]?.text)
            var headers = HTTPFields()
            headers[try #require(HTTPField.Name("Idempotency-Key"))] = "look"
            let path = "\(Self.path)/\(id):test"
            let first = try await api.call(.post, path, #"{"devices":["one"]}"#, headers: headers)
            #expect(first.status == 202)
            // Whom it would reach now changes nothing about the answer.
            try await api.store.removeDevice("one", of: TestAPI.app)
            let again = try await api.call(.post, path, #"{"devices":["one"]}"#, headers: headers)
            #expect(again.status == 202)
            #expect(again.text == first.text)
            #expect(again.headers[.location] == first.headers[.location])
            #expect(again.headers[try #require(HTTPField.Name("Idempotent-Replayed"))] == "true")
            let other = try await api.call(.post, path, #"{"devices":["two"]}"#, headers: headers)
            #expect(other.code == "idempotency_key_reused")
            // Of two that come at once one is sent.
            headers[try #require(HTTPField.Name("Idempotency-Key"))] = "both"
            let named = headers
            async let one = api.call(.post, path, #"{"devices":["two"]}"#, headers: named)
            async let two = api.call(.post, path, #"{"devices":["two"]}"#, headers: named)
            let texts = try await [one.text, two.text]
            #expect(texts[0] == texts[1])
            let delivery = FakeDelivery(store: api.store)
            var sent = 0
            while let claimed = try await delivery.claim(.urgent) {
                sent += claimed.batch.targets.count
                try await delivery.settle(claimed)
            }
            #expect(sent == 2)
        }
    }
}
