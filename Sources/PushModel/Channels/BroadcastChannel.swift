// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs
public import Foundation

/// A broadcast channel of an app: whoever subscribes to it gets what is sent to it once.
///
/// It is made at APNs, in one environment, and known here by a name. What it keeps never changes.
public struct BroadcastChannel: Hashable, Sendable {
    /// How far it has come, here and at APNs.
    public enum State: Hashable, Sendable {
        /// APNs is being asked to make it, or its answer was lost: then it may have made one that nobody knows of.
        ///
        /// Can transition to: `active` when APNs has made it; it is forgotten when APNs has refused, and when it is deleted.
        case creating

        /// APNs has it, under this identifier.
        ///
        /// Can transition to: `deleting`.
        case active(APNsChannelID)

        /// APNs is being asked to delete it, or its answer was lost. It is forgotten once APNs has it no more.
        case deleting(APNsChannelID)
    }

    public let app: AppID

    /// Its name within the app, in all environments.
    public let name: ChannelName

    /// The environment in which it was made: channels of one are unknown in the other.
    public let environment: APNsEnvironment

    /// What it keeps for phones that are offline.
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
