// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs

/// The broadcast channel to which an activity is bound: its updates and its end go out as one push to all who
/// subscribe.
public struct ActivityChannel: Hashable, Sendable, Codable {
    public let name: ChannelName
    public let id: APNsChannelID
    public let environment: APNsEnvironment

    /// The messages that APNs stores for offline devices.
    public let policy: MessageStoragePolicy

    public let delivery: PushDeliveryMode

    public init(
        name: ChannelName,
        id: APNsChannelID,
        environment: APNsEnvironment,
        policy: MessageStoragePolicy,
        delivery: PushDeliveryMode = .automatic
    ) {
        self.name = name
        self.id = id
        self.environment = environment
        self.policy = policy
        self.delivery = delivery
    }

    /// A binding to a channel; `nil` unless APNs has it, and it is to stay.
    public init?(_ channel: BroadcastChannel, delivery: PushDeliveryMode = .automatic) {
        guard case .active(let id) = channel.state else { return nil }
        self.init(
            name: channel.name,
            id: id,
            environment: channel.environment,
            policy: channel.policy,
            delivery: delivery
        )
    }

    public var target: Target {
        // An identifier has as many bytes as a token may have, and is taken to APNs as one is.
        guard let bytes = try? DeviceToken(bytes: Array(self.id.rawValue.utf8)) else {
            // Cannot trap: an `APNsChannelID` has 1 to 100 bytes, as a `DeviceToken` may have.
            preconditionFailure("an identifier of a channel has 1 to 100 bytes")
        }
        return Target(token: bytes, environment: self.environment)
    }
}

/// How devices on which a push starts an activity receive its updates.
///
/// It does not concern devices on which the app starts the activity: they subscribe, or register a token, as the app
/// decides.
public enum PushDeliveryMode: String, Hashable, Sendable, Codable, CaseIterable {
    /// Devices that support it subscribe, as far as is known; the others register a token, and are sent a push each.
    case automatic

    /// All devices register a token.
    case devices

    /// They all subscribe; those of the other environment cannot be reached.
    case channel
}
