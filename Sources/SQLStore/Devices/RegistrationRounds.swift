// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import PushModel
import PushStore

/// Registrations cut into rounds that can each be written at once with the same effect as one after the other.
///
/// Within a round no installation and no token of an app comes twice.
struct RegistrationRounds {
    private struct Name: Hashable {
        let app: AppID
        let installation: InstallationID
    }

    private struct Holding: Hashable {
        let app: AppID
        let target: Target
    }

    /// The rounds in their order, each with the registrations of one app.
    private(set) var rounds: [ArraySlice<DeviceRegistration>] = []

    init(_ registrations: [DeviceRegistration]) {
        var start = 0
        var names: Set<Name> = []
        var holdings: Set<Holding> = []
        for (place, registration) in registrations.enumerated() {
            let target = Target(token: registration.token, environment: registration.environment)
            let name = Name(app: registration.app, installation: registration.installation)
            let holding = Holding(app: registration.app, target: target)
            let isOfAnotherApp = registration.app != registrations[start].app
            if isOfAnotherApp || names.contains(name) || holdings.contains(holding) {
                self.rounds.append(registrations[start..<place])
                start = place
                names = []
                holdings = []
            }
            names.insert(name)
            holdings.insert(holding)
        }
        if start < registrations.count { self.rounds.append(registrations[start...]) }
    }
}
