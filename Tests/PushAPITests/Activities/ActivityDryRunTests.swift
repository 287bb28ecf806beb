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

@Suite("A start of a Live Activity that is only asked about", .timeLimit(.minutes(20)))
struct ActivityDryRunTests {
    private static let path = "/v1/apps/\(TestAPI.app)/activities"
    private static let content =
        #""attributesType":"Lesson","attributes":{"child":1},"contentState":{"n":1},"alert":{"title":"a","body":"b"}"#

    @Test("says how many phones would be sent to, and starts nothing", arguments: TestStoreBackend.allCases)
    func start(store: TestStoreBackend) async throws {
        try await withAPI(TestSetup(store: store)) { api async throws in
            for (index, name) in ["phone", "tablet", "watch"].enumerated() {
                try await api.register(name, token: UInt8(index), more: #","userID":"u1""#)
            }
            for (number, name) in ["phone", "tablet"].enumerated() {
                let path = "/v1/apps/\(TestAPI.app)/devices/\(name)/start-tokens/Lesson"
                let token = #"{"token":"\#(TestToken.hex(UInt8(9 + number)))"}"#
                #expect(try await api.call(.put, path, token).status == 204)
            }
            let dry = try await api.call(
                .post,
                "\(Self.path)?dryRun=true",
                #"{"id":"l",\#(Self.content),"users":["u1"]}"#
            )
            #expect(dry.status == 200, "\(dry.text)")
            #expect(dry.json["dryRun"] == true)
            #expect(dry.json["sent"]?.number == 2)
            #expect(dry.json["notStartable"] == ["watch"])
            #expect(dry.json["notification"] == nil)
            #expect(dry.json["alreadyParticipating"] == nil)
            #expect(try await api.call(.get, Self.path).json["activities"] == [])
            let all = #"{"id":"l",\#(Self.content),"audience":{"all":true}}"#
            let wide = try await api.call(.post, "\(Self.path)?dryRun=true", all)
            #expect(wide.json["audience"]?.number == 3, "\(wide.text)")
            #expect(wide.json["rollout"] == nil)

            let one = #"{"id":"l",\#(Self.content),"devices":["phone"]}"#
            #expect(try await api.call(.post, Self.path, one).json["sent"]?.number == 1)
            #expect(try await api.call(.post, "\(Self.path)?dryRun=true", one).code == "activity_exists")
            for _ in 0..<2 {
                let more = #"{"devices":["phone","tablet","watch"]}"#
                let asked = try await api.call(.post, "\(Self.path)/l:start?dryRun=true", more)
                #expect(asked.json["sent"]?.number == 1, "\(asked.text)")
                #expect(asked.json["notStartable"] == ["watch"])
                #expect(asked.json["alreadyParticipating"]?.number == 1)
            }
            let phones = try await api.call(.get, "\(Self.path)/l/participants")
            #expect(phones.json["participants"]?.elements.count == 1)
        }
    }

    @Test("is refused as the start would be")
    func refused() async throws {
        try await withAPI { api async throws in
            let path = "\(Self.path)?dryRun=true"
            let bare = try await api.call(.post, path, #"{"id":"l","attributesType":"Lesson","devices":["a"]}"#)
            #expect(bare.code == "activity_not_startable")
            #expect(try await api.call(.post, "\(Self.path)/l:start?dryRun=true", #"{"devices":["a"]}"#).status == 404)
            #expect(try await api.call(.post, "\(Self.path)?dryRun=maybe", "{}").code == "invalid_request")
        }
    }
}
