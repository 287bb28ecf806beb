// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A JSON value that is about to be written.
///
/// A notification's payload goes in as it came, byte for byte.
indirect enum JSONOutput {
    case null
    case bool(Bool)
    case integer(Int)
    case number(Double)
    case string(String)
    /// JSON text that is known to be well-formed.
    case raw([UInt8])
    case array([JSONOutput])
    /// Members in the order in which they are written.
    case object([(String, JSONOutput)])

    /// A moment as text: RFC 3339 in UTC with milliseconds; one that a calendar cannot write is the nearest that it can.
    static func date(_ date: Date) -> JSONOutput {
        let seconds = min(
            max(date.timeIntervalSince1970, SimulatorTimeRange.range.lowerBound),
            SimulatorTimeRange.latest
        )
        return .string(
            Date(timeIntervalSince1970: seconds).formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
        )
    }

    static func optionalDate(_ date: Date?) -> JSONOutput { date.map { .date($0) } ?? .null }

    /// A number, without a fraction where it has none.
    static func decimal(_ value: Double) -> JSONOutput {
        Int(exactly: value).map { .integer($0) } ?? .number(value)
    }

    static func optional(_ string: String?) -> JSONOutput { string.map { .string($0) } ?? .null }

    var bytes: [UInt8] {
        var output: [UInt8] = []
        self.write(to: &output)
        return output
    }

    private func write(to output: inout [UInt8]) {
        switch self {
        case .null: output += Array("null".utf8)
        case .bool(let value): output += Array((value ? "true" : "false").utf8)
        case .integer(let value): output += Array(String(value).utf8)
        case .number(let value): output += Array("\(value)".utf8)
        case .string(let value): Self.write(value, to: &output)
        case .raw(let bytes): output += bytes
        case .array(let values):
            output.append(UInt8(ascii: "["))
            for (position, value) in values.enumerated() {
                if position > 0 { output.append(UInt8(ascii: ",")) }
                value.write(to: &output)
            }
            output.append(UInt8(ascii: "]"))
        case .object(let members):
            output.append(UInt8(ascii: "{"))
            for (position, member) in members.enumerated() {
                if position > 0 { output.append(UInt8(ascii: ",")) }
                Self.write(member.0, to: &output)
                output.append(UInt8(ascii: ":"))
                member.1.write(to: &output)
            }
            output.append(UInt8(ascii: "}"))
        }
    }

    private static func write(_ string: String, to output: inout [UInt8]) {
        output.append(UInt8(ascii: "\""))
        for byte in string.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): output += [UInt8(ascii: "\\"), byte]
            case UInt8(ascii: "\n"): output += Array("\\n".utf8)
            case 0..<0x20:
                output += Array("\\u00".utf8) + Array(Hex.text(CollectionOfOne(byte)).utf8)
            default: output.append(byte)
            }
        }
        output.append(UInt8(ascii: "\""))
    }
}

extension VirtualDevice {
    /// The identity and the state of the device.
    var stateMembers: [(String, JSONOutput)] {
        [
            ("id", .string(self.id.rawValue)),
            ("name", .optional(self.traits.name)),
            ("environment", .string(self.environment.rawValue)),
            ("online", .bool(self.isOnline)),
            ("locked", .bool(self.traits.isLocked)),
            ("lowPower", .bool(self.traits.isLowPower)),
            ("systemName", .string(self.traits.systemName)),
            ("systemVersion", .string(self.traits.systemVersion.description)),
        ]
    }

    func output(withNotifications: Bool = false) -> JSONOutput {
        let tokens = self.tokens.sorted { $0.key < $1.key }
        var members = self.stateMembers
        members += [
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

extension DeliveredNotification {
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

extension AppCallback {
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
        let isObject = bytes.withUnsafeBufferPointer { JSONValidator.isObject($0) }
        return isObject ? .raw(bytes) : .string(String(decoding: bytes, as: UTF8.self))
    }
}

extension ReceivedNotification {
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
    var output: JSONOutput {
        .object(
            [("sequence", .integer(Int(self.sequence))), ("device", .string(self.device.rawValue))]
                + self.notification.members
        )
    }
}

extension LiveActivity {
    var output: JSONOutput {
        .object([
            ("id", .string(self.id.rawValue)),
            ("device", .string(self.device.rawValue)),
            ("bundleID", .string(self.bundleID)),
            ("attributesType", .string(self.attributesType)),
            ("attributes", .json(self.attributes)),
            ("state", .string(self.state.rawValue)),
            ("contentState", .json(self.contentState)),
            ("staleDate", .optionalDate(self.staleDate)),
            ("relevanceScore", .number(self.relevanceScore)),
            ("pushType", .string(self.pushType.name)),
            ("channel", .optional(self.pushType.channel)),
            ("token", .optional(self.token?.hex)),
            ("tokenState", .string(self.tokenState.rawValue)),
            ("startDate", .date(self.startDate)),
            ("endDate", .optionalDate(self.endDate)),
            ("dismissalDate", .optionalDate(self.dismissalDate)),
            ("timestamp", .optionalDate(self.timestamp)),
            ("timeline", .array(self.timeline.map { .object($0.members) })),
            ("dropped", .integer(self.droppedEntries)),
        ])
    }
}

extension ActivityPushType {
    /// The word for it in the control API.
    var name: String {
        switch self {
        case .none: "none"
        case .token: "token"
        case .channel: "channel"
        }
    }

    var channel: String? { if case .channel(let id) = self { id } else { nil } }
}

extension ActivityTimelineEntry {
    var members: [(String, JSONOutput)] {
        [
            ("at", .date(self.at)),
            ("change", .string(self.change.rawValue)),
            ("origin", .string(self.origin.rawValue)),
            ("state", .optional(self.state?.rawValue)),
            ("cause", .optional(self.cause?.rawValue)),
            ("detail", .optional(self.detail)),
            ("apnsID", .optional(self.apnsID?.description)),
        ]
    }
}

extension ActivityLogEntry {
    var output: JSONOutput { .object([("bundleID", .string(self.bundleID))] + self.entry.members) }
}

extension AppActivityStatus {
    var output: JSONOutput {
        let tokens = self.pushToStartTokens.sorted { $0.key < $1.key }
        return .object([
            ("bundleID", .string(self.bundleID)),
            ("enabled", .bool(self.settings.areActivitiesEnabled)),
            ("frequentPushesEnabled", .bool(self.settings.frequentPushesEnabled)),
            ("permission", .string(self.permission.rawValue)),
            ("nextRequestFailure", .optional(self.settings.nextRequestFailure?.rawValue)),
            ("pushToStartTokens", .object(tokens.map { ($0.key, .string($0.value.hex)) })),
        ])
    }
}

extension BroadcastChannel {
    var output: JSONOutput {
        .object([
            ("id", .string(self.id)),
            ("bundleID", .string(self.bundleID)),
            ("environment", .string(self.environment.rawValue)),
            ("storagePolicy", .integer(self.storagePolicy.rawValue)),
            ("createdAt", .date(self.createdAt)),
            ("broadcasts", .integer(self.broadcasts)),
            ("subscribers", .array(self.subscribers.map { .string($0.rawValue) })),
            ("messages", .array(self.messages.map(\.output))),
        ])
    }
}

extension BroadcastChannel.Message {
    fileprivate var output: JSONOutput {
        .object([
            ("number", .integer(self.number)),
            ("payload", .raw(self.payload)),
            ("priority", .integer(self.priority)),
            ("requestID", .string(self.requestID.description)),
            ("uniqueID", .string(self.uniqueID.description)),
            ("acceptedAt", .date(self.acceptedAt)),
            ("storedUntil", .optionalDate(self.storedUntil)),
            ("deliveries", .integer(self.deliveries)),
        ])
    }
}

extension JSONOutput {
    /// A value that came in, written again.
    static func json(_ value: JSONValue) -> JSONOutput { (try? value.json()).map { .raw($0) } ?? .null }
}
