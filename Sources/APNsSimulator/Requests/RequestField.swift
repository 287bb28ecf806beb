// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// A field of a request that the rules read.
///
/// All others are ignored, as APNs ignores them.
enum RequestField: Int, CaseIterable {
    case method, path, authorization, topic, pushType, apnsID, expiration, priority, collapseID, channelID,
        requestID

    /// The name on the wire.
    var name: StaticString {
        switch self {
        case .method: ":method"
        case .path: ":path"
        case .authorization: "authorization"
        case .topic: "apns-topic"
        case .pushType: "apns-push-type"
        case .apnsID: "apns-id"
        case .expiration: "apns-expiration"
        case .priority: "apns-priority"
        case .collapseID: "apns-collapse-id"
        case .channelID: "apns-channel-id"
        case .requestID: "apns-request-id"
        }
    }

    /// The fields that a device is told of with a notification.
    static let notification: [RequestField] = [.topic, .pushType, .apnsID, .expiration, .priority, .collapseID]

    /// The field of this name, or `nil` for one that is not read.
    ///
    /// The length decides, then one comparison.
    init?(_ name: UnsafeBufferPointer<UInt8>) {
        let candidate: RequestField
        switch name.count {
        case 5: candidate = .path
        case 7: candidate = name[0] == UInt8(ascii: ":") ? .method : .apnsID
        case 10: candidate = .topic
        case 13: candidate = name[1] == UInt8(ascii: "u") ? .authorization : .priority
        case 14: candidate = .pushType
        case 15:
            switch name[5] {
            case UInt8(ascii: "c"): candidate = .channelID
            case UInt8(ascii: "r"): candidate = .requestID
            default: candidate = .expiration
            }
        case 16: candidate = .collapseID
        default: return nil
        }
        guard name.equals(candidate.name) else { return nil }
        self = candidate
    }
}
