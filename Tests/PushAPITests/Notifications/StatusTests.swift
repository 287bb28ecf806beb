// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import HTTPTypes
import PushModel
import PushStore
import Testing

@Suite("What became of a notification", .timeLimit(.minutes(20)))
struct StatusTests {
    private static let path = "/v1/apps/\(TestAPI.app)/notifications"

    /// Sends to three tokens, of which the second turns out to be dead.
    private static func sendThree(_ api: TestAPI) async throws -> (id: String, batch: Batch) {
        let delivery = FakeDelivery(store: api.store)
        let tokens = ([1, 2, 3] as [UInt8]).map { "\"\(TestToken.hex($0))\"" }.joined(separator: ",")
        let answer = try await api.call(.post, Self.path, #"{"targets":{"tokens":[\#(tokens)]},"payload":{}}"#)
        let batch = try await delivery.settleNext { index, _ in
            index == 1 ? .rejected(Rejection(.unregistered, inactiveSince: 1_770_000_000_000)) : .delivered
        }
        let id = try #require(answer.json["id"]?.text)
        return (id, try #require(batch))
    }

    @Test("is told by its id, with the failures")
    func byID() async throws {
        try await withAPI { api async throws in
            let (id, batch) = try await Self.sendThree(api)
            let answer = try await api.call(.get, "\(Self.path)/\(id.uppercased())")
            #expect(answer.status == 200)
            #expect(answer.json["state"]?.text == "completed")
            #expect(answer.json["counts"]?["delivered"]?.number == 2)
            #expect(answer.json["counts"]?["rejected"] == ["Unregistered": 1])
            let failures = answer.json["failures"]?.elements ?? []
            #expect(failures.count == 1)
            #expect(failures.first?["index"]?.number == 1)
            #expect(failures.first?["token"]?.text == TestToken.hex(2))
            #expect(failures.first?["apnsID"]?.text == batch.id.apnsID(at: 1).description)
        }
    }

    @Test("is told for one target by its apns-id")
    func byAPNsID() async throws {
        try await withAPI { api async throws in
            let (id, batch) = try await Self.sendThree(api)
            for (index, state) in ["delivered", "rejected", "delivered"].enumerated() {
                let path = "\(Self.path)/by-apns-id/\(batch.id.apnsID(at: index))"
                let answer = try await api.call(.get, path)
                #expect(answer.status == 200)
                #expect(answer.json["notification"]?.text == id)
                #expect(answer.json["outcome"]?["index"]?.number == index)
                #expect(answer.json["outcome"]?["state"]?.text == state)
            }
            let beyond = "\(Self.path)/by-apns-id/\(batch.id.apnsID(at: 3))"
            #expect(try await api.call(.get, beyond).code == "notification_not_found")
        }
    }

    @Test("is accepted, then sending, then settled")
    func states() async throws {
        try await withAPI { api async throws in
            let sent = try await api.call(.post, Self.path, #"{"targets":{"tokens":["ab"]},"payload":{}}"#)
            let path = "\(Self.path)/\(sent.json["id"]?.text ?? "")"
            #expect(try await api.call(.get, path).json["state"]?.text == "accepted")
            let delivery = FakeDelivery(store: api.store)
            let claimed = try #require(try await delivery.claim(.urgent))
            #expect(try await api.call(.get, path).json["state"]?.text == "sending")
            let pending = try await api.call(.get, "\(Self.path)/by-apns-id/\(claimed.batch.id.apnsID(at: 0))")
            #expect(pending.json["outcome"]?["state"]?.text == "pending")
            try await delivery.settle(claimed)
            #expect(try await api.call(.get, path).json["state"]?.text == "completed")
        }
    }

    @Test("is told in pages where much failed, with the place of each in the request")
    func pages() async throws {
        try await withAPI { api async throws in
            let delivery = FakeDelivery(store: api.store)
            let tokens = (0..<10_005).map { "\"\(String(0x1000_0000 + $0, radix: 16))\"" }.joined(separator: ",")
            let body = #"{"targets":{"tokens":[\#(tokens)]},"payload":{}}"#
            let sent = try await api.call(.post, Self.path, body)
            for _ in 0..<2 {
                let claimed = try #require(try await delivery.claim(.bulk))
                try await delivery.settle(claimed) { index, _ in
                    index % 2500 == 4 ? .rejected(Rejection(.badDeviceToken)) : .delivered
                }
            }
            var indices: [Int] = []
            var path = "\(Self.path)/\(sent.json["id"]?.text ?? "")?limit=2"
            let first = path
            var next: String?
            repeat {
                let answer = try await api.call(.get, path)
                indices += answer.json["failures"]?.elements.compactMap { $0["index"]?.number } ?? []
                next = answer.json["nextCursor"]?.text
                path = "\(first)&cursor=\(next ?? "")"
            } while next != nil
            #expect(indices == [4, 2504, 5004, 7504, 10_004])
        }
    }

    @Test("is found by the path of its notification, too")
    func onePath() async throws {
        try await withAPI { api async throws in
            let (_, batch) = try await Self.sendThree(api)
            let id = batch.id.apnsID(at: 1)
            let answer = try await api.call(.get, "\(Self.path)/\(id)")
            #expect(answer.status == 200)
            #expect(answer.json["outcome"]?["apnsID"]?.text == "\(id)")
            #expect(answer.json["notification"]?.text == "\(batch.notification)")
        }
    }

    @Test(
        "is not told to another app, nor for what was never sent",
        arguments: [
            "00000000-0000-7000-8000-000000000000", "not-a-uuid",
        ]
    )
    func unknown(_ id: String) async throws {
        try await withAPI { api async throws in
            try await api.store.createApp(App(id: "com.example.other", createdAt: TestTime.start))
            let (own, batch) = try await Self.sendThree(api)
            let other = "/v1/apps/com.example.other/notifications"
            for path in [
                "\(Self.path)/\(id)", "\(Self.path)/by-apns-id/\(id)", "\(other)/\(own)",
                "\(other)/by-apns-id/\(batch.id.apnsID(at: 0))", "\(other)/\(batch.id.apnsID(at: 0))",
            ] {
                let answer = try await api.call(.get, path)
                #expect(answer.status == 404)
                #expect(answer.code == "notification_not_found")
            }
        }
    }
}
