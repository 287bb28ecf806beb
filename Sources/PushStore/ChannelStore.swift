// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs
public import PushModel

/// The broadcast channels, and the state of each.
///
/// APNs creates or deletes a channel between two calls. A process that ends there leaves a channel that is `creating` or
/// `deleting`; the next call of the same kind continues with it.
public protocol ChannelStore: Sendable {
    /// Stores a channel in the state `creating` before APNs creates it; replaces one in that state.
    ///
    /// - Returns: the channel of that name in another state, which stays; otherwise `nil`.
    func beginChannel(_ channel: BroadcastChannel) async throws -> BroadcastChannel?

    /// Stores a channel that APNs has, in the state `active`; returns `false` if its name or its ID is taken.
    func keep(_ channel: BroadcastChannel) async throws -> Bool

    func channel(_ name: ChannelName, of app: AppID) async throws -> BroadcastChannel?

    /// The channels of an app in an environment, by their names; an app that does not exist has none.
    func channels(of app: AppID, in environment: APNsEnvironment) async throws -> [BroadcastChannel]

    /// Stores that APNs will delete a channel; no activity uses the channel from then on.
    func beginDeletion(ofChannel name: ChannelName, of app: AppID) async throws -> DeleteChannelResult

    /// Forgets a channel, unless it has changed since it was read.
    @discardableResult
    func forget(_ channel: BroadcastChannel) async throws -> Bool
}

public enum DeleteChannelResult: Hashable, Sendable {
    /// It is `deleting` now; or still `creating`, when APNs never said that it has made it.
    case begun(BroadcastChannel)

    /// An activity is bound to it that is not over: nothing changed.
    case inUse(ActivityID)
    case unknown
}

/// How channels are written down, alike in all stores: 0 creating, 1 active, 2 deleting.
extension BroadcastChannel {
    package init(stored row: StoredRow) throws {
        let id = try row.text("channel").flatMap(APNsChannelID.init(rawValue:))
        let state: State
        switch (try row.number("state"), id) {
        case (0, nil): state = .creating
        case (1, let id?): state = .active(id)
        case (2, let id?): state = .deleting(id)
        default: throw StoreError.damaged("channel")
        }
        guard let policy = MessageStoragePolicy(rawValue: try row.number("policy")) else {
            throw StoreError.damaged("channel")
        }
        self.init(
            app: try row.identifier("app_id"),
            name: try row.identifier("name"),
            environment: APNsEnvironment(stored: try row.number("environment")),
            policy: policy,
            state: state,
            createdAt: try row.date("created_at")
        )
    }

    package var storedState: Int {
        switch self.state {
        case .creating: 0
        case .active: 1
        case .deleting: 2
        }
    }
}
