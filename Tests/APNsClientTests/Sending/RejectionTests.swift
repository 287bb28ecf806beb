// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import APNsClient
import APNsSimulator
import ApusTesting
import Crypto
import Foundation
import Testing

@Suite("Rejections are values", .timeLimit(.minutes(20)))
struct RejectionTests {
    @Test("outcomes stand in the order of the targets, whatever became of each")
    func order() async throws {
        try await withTestSimulator { simulator in
            let tokens = try simulator.bootDevices(3, apps: [app])
            let gone = try #require(simulator.devices()?[1].id)
            let before = Int64(Date().timeIntervalSince1970 * 1000)
            try simulator.uninstall(app, from: gone)
            let targets = [tokens[0], try .sample(1), tokens[1], tokens[2], try .sample(2)]
            let destination = try simulator.destination()
            let outcomes = try await RunningClient.with { running in
                await running.client.send(try .sample(tokens: targets), to: destination)
            }
            #expect(outcomes.map { $0 == .accepted } == [true, false, false, true, false])
            #expect(outcomes[1] == .rejected(Rejection(.badDeviceToken)))
            #expect(outcomes[4] == .rejected(Rejection(.badDeviceToken)))
            guard case .rejected(let rejection) = outcomes[2] else {
                Issue.record("\(outcomes[2]) is no rejection")
                return
            }
            #expect(rejection.status == 410)
            #expect(rejection.reason == .unregistered)
            let inactiveSince = try #require(rejection.inactiveSince)
            #expect((before - 1000...before + 60_000).contains(inactiveSince))
        }
    }

    @Test("a payload that is too large is refused for each target")
    func tooLarge() async throws {
        try await withTestSimulator { simulator in
            let tokens = try simulator.bootDevices(3, apps: [app])
            let batch = try SendBatch.sample(String(repeating: "x", count: 5000), tokens: tokens)
            let destination = try simulator.destination()
            let outcomes = try await RunningClient.with { running in
                await running.client.send(batch, to: destination)
            }
            #expect(outcomes == Array(repeating: .rejected(Rejection(.payloadTooLarge)), count: 3))
        }
    }

    @Test("a key that APNs does not know is refused as InvalidProviderToken, and not sent again")
    func unknownKey() async throws {
        try await withTestSimulator { simulator in
            let token = try #require(try simulator.bootDevice(apps: [app]).token(app))
            let key = try ProviderKey(
                keyID: "ABCDE12345",
                teamID: "TEAM123456",
                pem: P256.Signing.PrivateKey().pemRepresentation
            )
            let destination = try simulator.destination(credential: .key(key))
            let outcome = try await RunningClient.with { running in
                await running.client.send(try .sample(), payload: try .sample(), token: token, to: destination)
            }
            #expect(outcome == .rejected(Rejection(.invalidProviderToken)))
            #expect(simulator.statistics.requests == 1)
        }
    }

    @Test(
        "what APNs says of its own state is told to the caller",
        arguments: [RejectionReason.tooManyRequests, .internalServerError, .serviceUnavailable, .init(rawValue: "New")]
    )
    func faults(reason: RejectionReason) async throws {
        try await withTestSimulator { simulator in
            let token = try #require(try simulator.bootDevice(apps: [app]).token(app))
            simulator.inject(SimulatorFault(.reject(Rejection(reason)), count: 1))
            let destination = try simulator.destination()
            let outcome = try await RunningClient.with { running in
                await running.client.send(try .sample(), payload: try .sample(), token: token, to: destination)
            }
            #expect(outcome == .rejected(Rejection(reason)))
        }
    }
}
