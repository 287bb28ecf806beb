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
    /// The rounds in their order, each with the registrations of one app.
    private(set) var rounds: [ArraySlice<DeviceRegistration>] = []

    init(_ registrations: [DeviceRegistration]) {
        var start = 0
        var installations: Set<InstallationID> = []
        var targets: Set<Target> = []
        for (place, registration) in registrations.enumerated() {
            let target = Target(token: registration.token, environment: registration.environment)
            let isOfAnotherApp = registration.app != registrations[start].app
            if isOfAnotherApp || installations.contains(registration.installation) || targets.contains(target) {
                self.rounds.append(registrations[start..<place])
                start = place
                installations = []
                targets = []
            }
            installations.insert(registration.installation)
            targets.insert(target)
        }
        if start < registrations.count { self.rounds.append(registrations[start...]) }
    }
}
