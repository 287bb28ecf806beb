// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import PushModel
import PushStore

/// The devices of a soak: those that the simulator has, and a few that APNs does not know.
struct SoakPopulation: Sendable {
    let configuration: SoakConfiguration
    let tokens: [DeviceToken]

    /// Registers all in an empty store, and makes a key of the API.
    ///
    /// Returns the key.
    func register(in store: any PushStore) async throws -> String {
        let app = try AppID(validating: SoakConfiguration.app)
        let now = Date()
        try await store.createApp(App(id: app, name: "soak", defaultEnvironment: .sandbox, createdAt: now))
        var dice = SeededDice(seed: self.configuration.seed, use: "strangers")
        let strangers = try (0..<self.configuration.strangers).map { _ in
            try DeviceToken(bytes: (0..<32).map { _ in UInt8.random(in: 0...255, using: &dice) })
        }
        let registrations = try (self.tokens + strangers).enumerated().map { number, token in
            DeviceRegistration(
                app: app,
                installation: try InstallationID(validating: "installation-\(number)"),
                token: token,
                environment: .sandbox
            )
        }
        for start in stride(from: 0, to: registrations.count, by: 5000) {
            let part = Array(registrations[start..<min(start + 5000, registrations.count)])
            try await store.register(part, now: now)
        }
        return try await LocalKeyBook(store: store).create(KeyDraft(name: "soak", scopes: [.admin])).key ?? ""
    }
}
