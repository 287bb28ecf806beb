// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

package import PushModel
package import PushStore

extension DeviceStore {
    /// The devices of users, in the order of their registration.
    package func installations(of app: AppID, users: [UserID]) async throws -> [DeviceID] {
        try await self.devices(of: app, users: users, limit: 100_000).map(\.installation)
    }

    /// The targets of the devices of users.
    package func targets(of app: AppID, users: [UserID]) async throws -> [UserID: [Target]] {
        let devices = try await self.devices(of: app, users: users, limit: 100_000)
        return Dictionary(grouping: devices, by: \.user).mapValues { $0.map(\.target) }
    }
}
