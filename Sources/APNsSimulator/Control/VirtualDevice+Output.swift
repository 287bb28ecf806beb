// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs

extension VirtualDevice {
    /// The device as the control API shows it.
    func output(withNotifications: Bool = false) -> JSONOutput {
        let tokens = self.tokens.sorted { $0.key < $1.key }
        var members: [(String, JSONOutput)] = [
            ("id", .string(self.id.rawValue)),
            ("environment", .string(self.environment.rawValue)),
            ("online", .bool(self.isOnline)),
            ("tokens", .object(tokens.map { ($0.key, .string($0.value.hex)) })),
            ("apps", .array(self.apps.map { $0.output })),
            ("waiting", .integer(self.waitingNotifications)),
        ]
        if withNotifications {
            members.append(("notifications", .array(self.notifications.map { .object($0.members) })))
            members.append(("dropped", .integer(self.droppedNotifications)))
        }
        return .object(members)
    }
}

extension VirtualDevice.App {
    var output: JSONOutput {
        let tokens = self.tokens.sorted { $0.key < $1.key }
        return .object([
            ("bundleID", .string(self.bundleID)),
            ("tokens", .object(tokens.map { ($0.key, .string($0.value.hex)) })),
        ])
    }
}

extension ReceivedNotification {
    /// The notification as the control API shows it.
    ///
    /// A payload that is no JSON object is shown as text.
    var members: [(String, JSONOutput)] {
        let isObject = self.payload.withUnsafeBufferPointer { JSONSyntax.isObject($0) }
        let headers = self.headers.sorted { $0.key < $1.key }
        return [
            ("bundleID", .string(self.bundleID)),
            ("payload", isObject ? .raw(self.payload) : .string(String(decoding: self.payload, as: UTF8.self))),
            ("apnsID", .string(self.apnsID.description)),
            ("headers", .object(headers.map { ($0.key, .string($0.value)) })),
            ("receivedAt", .date(self.receivedAt)),
        ]
    }
}

extension Delivery {
    /// The delivery as a line of the live feed.
    var output: JSONOutput {
        .object(
            [("sequence", .integer(Int(self.sequence))), ("device", .string(self.device.rawValue))]
                + self.notification.members
        )
    }
}
