// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import PushModel
import PushStore

/// Finds the tokens of a target selection.
struct RecipientResolver: Sendable {
    let store: any DeviceStore

    /// The recipients of a selection.
    ///
    /// If users have more devices together than a notification can have targets, each is sent to on the latest ones.
    /// - Throws: ``Problem`` `.noReachableTargets` when there are none.
    func recipients(of selection: TargetSelection, app: App) async throws -> Recipients {
        let recipients: Recipients
        switch selection {
        case .tokens(let tokens, let environment):
            let environment = environment ?? app.defaultEnvironment
            let targets = tokens.map { Target(token: $0, environment: environment) }
            recipients = Recipients(elements: targets.map { Recipient(target: $0) })
        case .devices(let devices):
            recipients = try await self.recipients(of: devices, app: app)
        case .users(let users):
            recipients = try await self.recipients(of: users, app: app)
        }
        guard !recipients.elements.isEmpty else {
            throw Problem(.noReachableTargets, "No device of those that 'targets' names can be reached.")
        }
        return recipients
    }

    private func recipients(of devices: [DeviceID], app: App) async throws -> Recipients {
        let targets = try await self.store.targets(of: app.id, installations: devices)
        var recipients = Recipients()
        for device in devices {
            if let target = targets[device] {
                recipients.elements.append(Recipient(target: target, device: device))
            } else {
                recipients.skippedDevices.append(device)
            }
        }
        return recipients
    }

    private func recipients(of users: [UserID], app: App) async throws -> Recipients {
        let limit = BatchedNotification.maximumTargets
        let devices = try await self.store.devices(of: app.id, users: users, limit: limit)
        let targets = Dictionary(grouping: devices, by: \.user).mapValues { $0.map(\.target) }
        var recipients = Recipients()
        for user in users {
            if let own = targets[user], !own.isEmpty {
                recipients.elements += own.map { Recipient(target: $0, user: user) }
            } else {
                recipients.skippedUsers.append(user)
            }
        }
        return recipients
    }
}

/// One target of a notification, and its name in the request.
struct Recipient: Sendable {
    var target: Target
    var device: DeviceID?
    var user: UserID?
}

/// The recipients of a ``TargetSelection``.
struct Recipients: Sendable {
    /// Who is sent to, in the caller's order.
    var elements: [Recipient] = []

    /// Devices that are not registered, or known to be gone.
    var skippedDevices: [DeviceID] = []

    /// Users without a device that can be reached.
    var skippedUsers: [UserID] = []
}
