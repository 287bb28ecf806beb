// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs
public import Foundation

/// A broadcast channel of an app: APNs sends one push to it to all subscribed devices.
///
/// It is created at APNs, in one environment, and identified here by a name. Its message storage never changes.
public struct BroadcastChannel: Hashable, Sendable {
    /// How far it has come, here and at APNs.
    public enum State: Hashable, Sendable {
        /// APNs is creating it, or the response was lost: then APNs may have created a channel that the server does not
        /// know.
        ///
        /// Can transition to: `active` when APNs has created it. It is deleted here when APNs rejects it, and when it
        /// is deleted.
        case creating

        /// APNs has it, under this identifier.
        ///
        /// Can transition to: `deleting`.
        case active(APNsChannelID)

        /// APNs is deleting it, or the response was lost. It is deleted here when APNs no longer has it.
        case deleting(APNsChannelID)
    }

    public let app: AppID

    /// Its name within the app, in all environments.
    public let name: ChannelName

    /// The environment in which it was made: channels of one are unknown in the other.
    public let environment: APNsEnvironment

    /// The messages that APNs stores for offline devices.
    public let policy: MessageStoragePolicy

    public var state: State

    /// When it was made; kept to the millisecond.
    public let createdAt: Date

    public init(
        app: AppID,
        name: ChannelName,
        environment: APNsEnvironment,
        policy: MessageStoragePolicy,
        state: State = .creating,
        createdAt: Date
    ) {
        self.app = app
        self.name = name
        self.environment = environment
        self.policy = policy
        self.state = state
        self.createdAt = createdAt
    }

    /// APNs' identifier; `nil` while that is not known.
    public var channelID: APNsChannelID? {
        switch self.state {
        case .creating: nil
        case .active(let id), .deleting(let id): id
        }
    }

    /// The same channel, which APNs has under an identifier.
    public func made(as id: APNsChannelID) -> BroadcastChannel {
        var channel = self
        channel.state = .active(id)
        return channel
    }
}
