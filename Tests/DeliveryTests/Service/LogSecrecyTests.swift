// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import APNsSimulator
import ApusTesting
import Delivery
import Foundation
import PushModel
import PushStore
import SQLiteStore
import Testing

@Suite("What the log holds", .timeLimit(.minutes(20)))
struct LogSecrecyTests {
    @Test("of a batch in which everything goes wrong: ids, and no token, no key, no payload")
    func mixed() async throws {
        try await withTestSimulator { simulator in
            try await DeliveryStage.open { stage in
                let logs = LogRecorder()
                stage.logger = logs.logger
                stage.maximumResends = 0
                stage.configuration.pollInterval = .seconds(3600)
                stage.connect(to: simulator)
                let key = simulator.demoKey
                // Passed over, since it does not open.
                try await stage.addKey(key, environment: .sandbox)
                try await stage.addKey(key, environment: .sandbox, sealedWith: MasterKey.generate())
                let targets = try stage.bootTargets(8, on: simulator)
                let actions: [SimulatorFault.Action] = [
                    .reject(Rejection(.unregistered, inactiveSince: 1)), .reject(Rejection(.badDeviceToken)),
                    .reject(Rejection(.tooManyRequests)), .drop, .reject(Rejection(.serviceUnavailable)),
                    .reject(Rejection(.invalidProviderToken)),
                ]
                for (target, action) in zip(targets, actions) {
                    let match = SimulatorFault.Match(token: target.token.hex)
                    simulator.inject(SimulatorFault(action, match: match, count: 1))
                }
                let other = Target(token: targets[0].token, environment: .production)
                let plan = try stage.plan(targets + [other])
                stage.observed.failSettling([StoreError(code: .locked, message: "another process has it")])
                try await stage.deliver { [stage] in
                    try await stage.accept(plan)
                    // The settlement that the store refused is repeated; nothing else sleeps for so short a time.
                    try await stage.clock.timers(dueWithin: .seconds(1))
                    stage.clock.advance(by: .seconds(1))
                    try await stage.observed.releases(of: [plan.batches[0].id])
                }
                let text = logs.lines.joined(separator: "\n")
                #expect(text.contains(plan.batches[0].id.description))
                #expect(text.contains(plan.notification.id.description))
                let secrets =
                    targets.map(\.token.hex) + key.p8.split(separator: "\n").dropFirst().dropLast().map(String.init)
                    + ["bearer", "eyJ", #""alert""#, "PRIVATE KEY"]
                for secret in secrets {
                    let found = logs.lines.filter { $0.lowercased().contains(secret.lowercased()) }
                    #expect(found.isEmpty)
                }
                #expect(logs.lines.count > 5)
            }
        }
    }
}
