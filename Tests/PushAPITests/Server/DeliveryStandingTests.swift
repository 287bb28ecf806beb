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

@Suite("How delivery stands", .timeLimit(.minutes(20)))
struct DeliveryStandingTests {
    private static let path = "/v1/apps/\(TestAPI.app)/delivery"

    /// Knows of a refused credential in the sandbox.
    private struct Inspector: DeliveryStatusProvider {
        func circuits(of app: AppID) -> [DeliveryCircuit] {
            let kind = RoutingKey(app: app, environments: [.sandbox], pushType: .alert)
            let since = TestTime.start.addingTimeInterval(-5)
            return [
                DeliveryCircuit(
                    environment: .sandbox,
                    credential: "key",
                    state: "open",
                    trouble: .init(cause: "credential", reason: "InvalidProviderToken", since: since),
                    nextProbeAt: TestTime.start.addingTimeInterval(20),
                    kinds: [kind]
                )
            ]
        }
    }

    @Test("is told by environment and credential: state, reason, next attempt, and what waits")
    func lines() async throws {
        var setup = TestSetup()
        setup.delivery = Inspector()
        try await withAPI(setup) { api async throws in
            let path = "/v1/apps/\(TestAPI.app)/notifications"
            for _ in 0..<3 { try await api.call(.post, path, #"{"targets":{"tokens":["ab"]},"payload":{}}"#) }
            let answer = try await api.call(.get, Self.path)
            #expect(answer.status == 200)
            #expect(answer.json["isDelivering"] == .bool(true))
            let line = try #require(answer.json["circuits"]?.elements.first)
            #expect(line["environment"]?.text == "sandbox")
            #expect(line["credential"]?.text == "key")
            #expect(line["state"]?.text == "open")
            #expect(line["cause"]?.text == "credential")
            #expect(line["reason"]?.text == "InvalidProviderToken")
            #expect(line["since"]?.text != nil)
            #expect(line["nextProbeAt"]?.text != nil)
            for waiting in [line["queues"], answer.json["queues"]] {
                #expect(waiting?.elements.count == 1)
                #expect(waiting?.elements.first?["lane"]?.text == "urgent")
                #expect(waiting?.elements.first?["batches"]?.number == 3)
            }
        }
    }

    @Test(
        "without delivery in this process it is told what others found out, with what waits for it",
        arguments: TestStoreBackend.allCases
    )
    func pauses(on store: TestStoreBackend) async throws {
        let setup = TestSetup(store: store)
        try await withAPI(setup) { api async throws in
            let path = "/v1/apps/\(TestAPI.app)/notifications"
            for environment in ["sandbox", "sandbox", "production"] {
                let body = #"{"targets":{"tokens":["ab"],"environment":"\#(environment)"},"payload":{}}"#
                #expect(try await api.call(.post, path, body).status == 202)
            }
            let now = setup.time.now
            let line = OpenCircuit.Circuit(app: TestAPI.app, environment: .sandbox, credential: "key-1")
            try await api.store.notePause(
                OpenCircuit(
                    line: line,
                    pushTypes: [.alert],
                    cause: "credential",
                    reason: "ExpiredProviderToken",
                    since: now.addingTimeInterval(-5),
                    nextProbeAt: now.addingTimeInterval(10)
                )
            )
            let answer = try await api.call(.get, Self.path)
            #expect(answer.json["isDelivering"] == .bool(false))
            #expect(answer.json["circuits"] == .array([]))
            let pauses = answer.json["openCircuits"]?.elements
            #expect(pauses?.count == 1)
            #expect(pauses?.first?["environment"] == "sandbox")
            #expect(pauses?.first?["credential"] == "key-1")
            #expect(pauses?.first?["cause"] == "credential")
            #expect(pauses?.first?["reason"] == "ExpiredProviderToken")
            #expect(pauses?.first?["since"]?.text?.hasSuffix("Z") == true)
            #expect(pauses?.first?["nextProbeAt"]?.text?.hasSuffix("Z") == true)
            #expect(pauses?.first?["queues"]?.elements.first?["batches"] == 2)
            setup.time.advance(by: 10 + OpenCircuit.patience)
            #expect(try await api.call(.get, Self.path).json["openCircuits"] == .array([]))
            setup.time.advance(by: -60)
            #expect(try await api.call(.get, Self.path).json["openCircuits"]?.elements.count == 1)
            try await api.store.endPause(of: line)
            #expect(try await api.call(.get, Self.path).json["openCircuits"] == .array([]))
        }
    }

    @Test("without delivery in this process there are no lines, but what waits is known")
    func elsewhere() async throws {
        try await withAPI { api async throws in
            let answer = try await api.call(.get, Self.path)
            #expect(answer.json["isDelivering"] == .bool(false))
            #expect(answer.json["circuits"] == .array([]))
            #expect(answer.json["openCircuits"] == .array([]))
            #expect(answer.json["queues"] == .array([]))
            #expect(try await api.call(.get, "/v1/apps/com.example.none/delivery").code == "app_not_found")
        }
    }
}
