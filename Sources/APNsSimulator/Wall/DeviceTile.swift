// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs

/// A device as the wall shows it.
struct DeviceTile: Sendable {
    /// The number of shown notifications in a tile.
    static let shownCount = 6

    /// The device without its notifications.
    let device: VirtualDevice
    /// The latest shown notifications, newest first.
    let shown: [DeliveredNotification]
    let shownCount: Int
    /// The Live Activities that are not dismissed.
    let activities: [LiveActivity]
    let latest: SimulatorEvent?
    /// The latest discarded notification, until the device shows another one.
    let discarded: SimulatorEvent?
}

extension SimulatorState {
    /// The tile of a device, which has a full state from now on.
    mutating func tile(_ index: DeviceIndex) -> DeviceTile {
        self.giveState(index)
        let device = self.snapshot(index, withNotifications: false)
        let state = self.devices.state(index) ?? DeviceRecord()
        let outcome = state.history.last { $0.kind == .discarded || $0.kind == .shown }
        return DeviceTile(
            device: device,
            shown: state.shown.suffix(DeviceTile.shownCount).reversed(),
            shownCount: state.shown.count,
            activities: self.activities.activities(of: device.id).map { LiveActivity($0) }
                .filter { $0.state != .dismissed },
            latest: state.history.last,
            discarded: outcome?.kind == .discarded ? outcome : nil
        )
    }
}

extension DeviceTile {
    var output: JSONOutput {
        let device = self.device
        let members: [(String, JSONOutput)] = [
            ("waiting", .integer(device.waitingNotifications)),
            (
                "apps",
                .array(
                    device.apps.map { app in
                        .object([
                            ("bundleID", .string(app.bundleID)),
                            ("state", .string(app.traits.state.rawValue)),
                            ("permission", .string(app.traits.permission.rawValue)),
                            ("badge", app.badge.map { .integer($0) } ?? .null),
                            ("waiting", .bool(app.isWaiting)),
                            ("held", .bool(app.isHolding)),
                        ])
                    }
                )
            ),
            ("shownCount", .integer(self.shownCount)),
            ("shown", .array(self.shown.map(\.wallOutput))),
            ("activities", .array(self.activities.map(\.wallOutput))),
            ("latest", self.latest?.output ?? .null),
            ("discarded", self.discarded?.output ?? .null),
        ]
        return .object(device.stateMembers + members)
    }
}

extension DeliveredNotification {
    fileprivate var wallOutput: JSONOutput {
        .object([
            ("apnsID", .string(self.apnsID.description)), ("bundleID", .string(self.bundleID)), ("at", .date(self.at)),
            ("title", .optional(self.title)), ("subtitle", .optional(self.subtitle)), ("body", .optional(self.body)),
            ("interruptionLevel", .string(self.interruptionLevel)), ("quiet", .bool(self.isQuiet)),
        ])
    }
}

extension LiveActivity {
    fileprivate var wallOutput: JSONOutput {
        .object([
            ("id", .string(self.id.rawValue)), ("bundleID", .string(self.bundleID)),
            ("attributesType", .string(self.attributesType)), ("state", .string(self.state.rawValue)),
            ("contentState", .json(self.contentState)),
        ])
    }
}
