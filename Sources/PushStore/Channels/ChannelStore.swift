// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs
public import PushModel

/// The broadcast channels that were made, or are about to be, and how far that has come.
///
/// A channel is made and deleted at APNs, between two calls: a process that dies there leaves one that is `creating` or
/// `deleting`, which the next call of the same kind goes on with.
public protocol ChannelStore: Sendable {
    /// Takes note that a channel is about to be made, so that its name is taken.
    ///
    /// One that is being made already gives way: nobody knows whether anybody still does that.
    /// - Parameter channel: the channel, which is `creating`.
    /// - Returns: the channel that has the name, when there is one that APNs has or had; `nil` when this one is noted.
    /// - Throws: ``StoreError`` `.notFound` when there is no such app.
    func beginChannel(_ channel: BroadcastChannel) async throws -> BroadcastChannel?

    /// Keeps a channel that APNs has.
    ///
    /// - Parameter channel: the channel, which is `active`.
    /// - Returns: whether it is kept; not when another one has its name by now, or it is kept under another name.
    /// - Throws: ``StoreError`` `.notFound` when there is no such app.
    func keep(_ channel: BroadcastChannel) async throws -> Bool

    /// A channel; `nil` when there is none of that name.
    func channel(_ name: ChannelName, of app: AppID) async throws -> BroadcastChannel?

    /// The channels of an app in an environment, by their names; an app that does not exist has none.
    func channels(of app: AppID, in environment: APNsEnvironment) async throws -> [BroadcastChannel]

    /// A channel is about to be deleted at APNs: nothing is bound to it from then on.
    ///
    /// - Parameters:
    ///   - name: its name.
    ///   - app: its app.
    /// - Returns: what became of it.
    /// - Throws: ``StoreError``.
    func beginDeletion(ofChannel name: ChannelName, of app: AppID) async throws -> ChannelDeletion

    /// Forgets a channel, unless it has changed since it was read.
    ///
    /// - Parameter channel: the channel as it was read.
    /// - Returns: whether it was there like that.
    /// - Throws: ``StoreError``.
    @discardableResult
    func forget(_ channel: BroadcastChannel) async throws -> Bool
}

/// What became of the wish to delete a channel.
public enum ChannelDeletion: Hashable, Sendable {
    /// It is `deleting` now; or still `creating`, when APNs never said that it has made it.
    case begun(BroadcastChannel)

    /// An activity is bound to it that is not over: nothing changed.
    case inUse(ActivityID)

    /// There is no such channel.
    case unknown
}
