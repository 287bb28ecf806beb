// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs

extension LiveActivity {
    /// The activity as the control API shows it.
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
    /// The entry as the control API shows it.
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
    /// The entry as the control API shows it.
    var output: JSONOutput { .object([("bundleID", .string(self.bundleID))] + self.entry.members) }
}

extension ActivityAppState {
    /// How the app stands as the control API shows it.
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
    /// The channel as the control API shows it.
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
