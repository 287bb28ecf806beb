// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import HTTPTypes
import PushModel
import PushStore
import StoreTesting
import Testing

@Suite("Token validations over HTTP", .timeLimit(.minutes(20)))
struct TokenValidationTests {
    private static let path = "/v1/apps/\(TestAPI.app)/token-validations"
    private static let campaigns = "/v1/apps/\(TestAPI.app)/campaigns"

    @Test("one is created, shown, listed and called off, and is no campaign that people see")
    func life() async throws {
        try await withAPI { api async throws in
            for number in 1...3 { try await api.register("i\(number)", token: UInt8(number)) }
            let body = #"{"name":"Spring","audience":{"all":true},"durationSeconds":60,"fixEnvironment":true}"#
            let answer = try await api.call(.post, Self.path, body)
            #expect(answer.status == 201)
            let id = try #require(answer.json["id"]?.text)
            #expect(answer.headers[.location] == "\(Self.path)/\(id)")
            #expect(answer.json["state"] == "scheduled")
            #expect(answer.json["phase"] == "checking")
            #expect(answer.json["report"]?["checked"] == 0)
            #expect(try await api.call(.get, "\(Self.path)/\(id)").json == answer.json)
            let stored = try await api.store.campaign(try #require(CampaignID(id)))?.campaign
            #expect(stored?.tokenValidation == TokenValidation(durationSeconds: 60, devices: 3, fixesEnvironment: true))

            for verb in ["pause", "resume", "cancel"] {
                #expect(try await api.call(.post, "\(Self.path)/\(id):\(verb)").status == 200)
            }
            let ended = try await api.call(.post, "\(Self.path)/\(id):resume")
            #expect(ended.code == "token_validation_ended")
            #expect(try await api.call(.get, "\(Self.campaigns)/\(id)").code == "campaign_not_found")
            #expect(try await api.call(.post, "\(Self.campaigns)/\(id):pause").code == "campaign_not_found")
        }
    }

    @Test(
        "until when all that is left waits is told in each phase that waits for outcomes, and while it runs",
        arguments: TestStoreBackend.allCases
    )
    func deferred(on store: TestStoreBackend) async throws {
        let setup = TestSetup(store: store)
        try await withAPI(setup) { api async throws in
            let created = try await api.call(.post, Self.path, #"{"audience":{"all":true},"durationSeconds":0}"#)
            let id = try #require((created.json["id"]?.text).flatMap { CampaignID($0) })
            let path = "\(Self.path)/\(id)"
            func deferral() async throws -> String? {
                let answer = try await api.call(.get, path)
                #expect(answer.status == 200, "\(answer.text)")
                return answer.json["deferredUntil"]?.text
            }
            let now = setup.time.now
            let claimed = try #require(try await api.store.claimCampaigns(now: now).first).campaign
            let wave = CampaignFanOut.Wave(due: claimed.planningTime, zones: .any)
            let plan = CampaignFanOut(waves: [wave], lastPlace: .max, isTokenValidation: true)
            try await api.store.advance(FanOutStep(campaign: id, plan: plan), now: now)
            // More is to be planned yet: that something waits is not all there is to say.
            let part = try CampaignFixtures.step(claimed, plan, targets: 0..<2, now: now)
            try await api.store.advance(part, now: now)
            let batch = try #require(try await api.store.claim(.bulk, now: now).first)
            let until = now.addingTimeInterval(900)
            try await api.store.setBack(batch.batch.id, worker: batch.worker, until: until, now: now)
            #expect(try await deferral() == nil)
            let last = try CampaignFixtures.step(claimed, part.plan, targets: 2..<2, isLast: true, now: now)
            try await api.store.advance(last, now: now)
            #expect(try await deferral()?.hasSuffix("Z") == true)
            setup.time.advance(by: 896)
            #expect(try await deferral() == nil)
            setup.time.advance(by: -60)
            #expect(try await deferral() != nil)
            #expect(try await api.call(.post, "\(path):pause").status == 200)
            #expect(try await deferral() == nil)
        }
    }

    @Test("they and campaigns are listed apart, page by page")
    func lists() async throws {
        let setup = TestSetup()
        try await withAPI(setup) { api async throws in
            var ids: [String] = []
            for number in 0..<6 {
                setup.time.advance(by: 1)
                let isValidation = number.isMultiple(of: 2)
                let message = #"{"audience":{"all":true},"message":{"default":{"notification":{"body":"x"}}}}"#
                let answer = try await api.call(
                    .post,
                    isValidation ? Self.path : Self.campaigns,
                    isValidation ? #"{"durationSeconds":0}"# : message
                )
                ids.append(try #require(answer.json["id"]?.text))
            }
            let first = try await api.call(.get, "\(Self.path)?limit=2")
            #expect(first.json["tokenValidations"]?.elements.compactMap { $0["id"]?.text } == [ids[4], ids[2]])
            let next = try #require(first.json["nextCursor"]?.text)
            let second = try await api.call(.get, "\(Self.path)?limit=2&cursor=\(next)")
            #expect(second.json["tokenValidations"]?.elements.compactMap { $0["id"]?.text } == [ids[0]])
            #expect(second.json["nextCursor"] == nil)
            let campaigns = try await api.call(.get, Self.campaigns)
            #expect(campaigns.json["campaigns"]?.elements.compactMap { $0["id"]?.text } == [ids[5], ids[3], ids[1]])
            let shown = try await api.call(.get, "\(Self.path)/\(ids[1])")
            #expect(shown.code == "token_validation_not_found")
        }
    }

    @Test(
        "what is wrong with one is named, and nothing is stored",
        arguments: [
            ("{}", ["durationSeconds"]), (#"{"durationSeconds":-1}"#, ["durationSeconds"]),
            (#"{"durationSeconds":604801}"#, ["durationSeconds"]),
            (
                #"{"durationSeconds":1,"audience":{"weather":1},"fixEnvironment":"yes"}"#,
                ["audience.weather", "fixEnvironment"]
            ),
            (#"{"durationSeconds":1,"startAt":"soon","ratePerSecond":1}"#, ["startAt", "ratePerSecond"]),
        ]
    )
    func bad(body: String, fields: [String]) async throws {
        try await withAPI { api async throws in
            let answer = try await api.call(.post, Self.path, body)
            #expect(answer.status == 400 || answer.status == 422)
            #expect(answer.fields == fields)
            #expect(try await api.call(.get, Self.path).json["tokenValidations"]?.elements.isEmpty == true)
        }
    }

    @Test("need the scope of campaigns; reading is enough to look")
    func scopes() async throws {
        try await withAPI { api async throws in
            let reader = try await api.key(scopes: [.read]).text
            let refused = try await api.call(.post, Self.path, #"{"durationSeconds":0}"#, key: reader)
            #expect(refused.code == "insufficient_scope")
            #expect(try await api.call(.get, Self.path, key: reader).status == 200)
        }
    }
}
