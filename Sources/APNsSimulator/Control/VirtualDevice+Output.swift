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
            ("locked", .bool(self.traits.isLocked)),
            ("lowPower", .bool(self.traits.isLowPower)),
            ("systemName", .string(self.traits.systemName)),
            ("systemVersion", .string(self.traits.systemVersion.description)),
            ("acknowledgementDelay", .decimal(self.traits.acknowledgementDelay)),
            ("tokens", .object(tokens.map { ($0.key, .string($0.value.hex)) })),
            ("apps", .array(self.apps.map { $0.output })),
            ("waiting", .integer(self.waitingNotifications)),
        ]
        if withNotifications {
            members.append(("notifications", .array(self.notifications.map { .object($0.members) })))
            members.append(("dropped", .integer(self.droppedNotifications)))
            members.append(("shown", .array(self.shown.map(\.output))))
            members.append(("droppedShown", .integer(self.droppedShown)))
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
            ("state", .string(self.traits.state.rawValue)),
            ("permission", .string(self.traits.permission.rawValue)),
            ("backgroundModes", .array(self.traits.backgroundModes.sorted().map { .string($0) })),
            ("supportsLiveActivities", .bool(self.traits.supportsLiveActivities)),
            ("supportsFrequentUpdates", .bool(self.traits.supportsFrequentUpdates)),
            ("hasServiceExtension", .bool(self.traits.hasServiceExtension)),
            ("presentation", .array(self.traits.presentation.sorted().map { .string($0) })),
            ("completion", .string(self.traits.completion.rawValue)),
            ("debugged", .bool(self.traits.isDebugged)),
            ("badge", self.badge.map { .integer($0) } ?? .null),
            ("waiting", .bool(self.isWaiting)),
            ("held", .bool(self.isHolding)),
        ])
    }
}

extension ShownNotification {
    var output: JSONOutput {
        .object([
            ("identifier", .string(self.identifier)), ("apnsID", .string(self.apnsID.description)),
            ("bundleID", .string(self.bundleID)), ("at", .date(self.at)), ("title", .optional(self.title)),
            ("subtitle", .optional(self.subtitle)), ("body", .optional(self.body)),
            ("threadID", .optional(self.threadID)), ("category", .optional(self.category)),
            ("interruptionLevel", .string(self.interruptionLevel)),
            ("relevanceScore", self.relevanceScore.map { .decimal($0) } ?? .null), ("sound", .optional(self.sound)),
            ("quiet", .bool(self.isQuiet)), ("payload", .payload(self.payload)),
        ])
    }
}

extension AppCall {
    var output: JSONOutput {
        let arguments = self.arguments.sorted { $0.key < $1.key }
        return .object([
            ("number", .integer(self.number)), ("at", .date(self.at)), ("bundleID", .string(self.bundleID)),
            ("call", .string(self.name.rawValue)), ("apnsID", .optional(self.apnsID?.description)),
            ("userInfo", self.userInfo.map { .payload($0) } ?? .null),
            ("arguments", .object(arguments.map { ($0.key, .string($0.value)) })),
            ("launches", .bool(self.launches)), ("deadline", self.deadline.map { .date($0) } ?? .null),
            ("completedAt", self.completedAt.map { .date($0) } ?? .null), ("result", .optional(self.result)),
            ("missedDeadline", .bool(self.missedDeadline)),
        ])
    }
}

extension JSONOutput {
    /// A payload as it came; one that is no JSON object is shown as text.
    fileprivate static func payload(_ bytes: [UInt8]) -> JSONOutput {
        let isObject = bytes.withUnsafeBufferPointer { JSONSyntax.isObject($0) }
        return isObject ? .raw(bytes) : .string(String(decoding: bytes, as: UTF8.self))
    }
}

extension ReceivedNotification {
    /// The notification as the control API shows it.
    ///
    /// A payload that is no JSON object is shown as text.
    var members: [(String, JSONOutput)] {
        let headers = self.headers.sorted { $0.key < $1.key }
        return [
            ("bundleID", .string(self.bundleID)),
            ("payload", .payload(self.payload)),
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
