// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import PushModel
import PushStore

/// Creates and deletes channels, here and at APNs, so that an operation can be completed after a crash.
struct ChannelProvisioner: Sendable {
    let store: any ChannelStore

    /// Calls APNs; `nil` if this server has no channel manager.
    let manager: (any ChannelManager)?

    /// Creates a channel.
    ///
    /// It reserves the name before the request to APNs. If the result at APNs is unknown, the name stays reserved by a
    /// channel in the state `creating`, and the next call creates another one.
    /// - Throws: ``Problem``; `StoreError`.
    func create(_ draft: BroadcastChannel) async throws -> BroadcastChannel {
        let manager = try self.required()
        if let known = try await self.store.beginChannel(draft) { throw Problem.taken(known) }
        let id: APNsChannelID
        do {
            id = try await manager.create(draft.policy, for: draft.app, in: draft.environment)
        } catch {
            let mayHaveHappened = (error as? ChannelManagementError)?.mayHaveHappened ?? false
            if !mayHaveHappened { try await self.store.forget(draft) }
            throw Problem.managing(error)
        }
        let channel = draft.made(as: id)
        guard try await self.store.keep(channel) else {
            // Another call with this name was faster, so no client knows this channel.
            try? await manager.delete(id, for: draft.app, in: draft.environment)
            throw Problem.taken(try await self.store.channel(draft.name, of: draft.app) ?? channel)
        }
        return channel
    }

    /// Registers an existing channel of APNs that this server does not know.
    ///
    /// APNs must store messages for the channel according to `policy`; `nil` accepts every policy.
    /// - Throws: ``Problem``; `StoreError`.
    func adopt(
        _ id: APNsChannelID,
        as draft: BroadcastChannel,
        keeping policy: MessageStoragePolicy?
    ) async throws -> BroadcastChannel {
        let manager = try self.required()
        let found: MessageStoragePolicy?
        do {
            found = try await manager.policy(of: id, for: draft.app, in: draft.environment)
        } catch {
            throw Problem.managing(error)
        }
        guard let found else {
            throw Problem(.channelNotFound, "APNs has no channel of this id in \(draft.environment.rawValue).")
        }
        if let policy, policy != found {
            throw Problem(
                .invalidRequest,
                at: FieldPath.root.member("messageStoragePolicy"),
                expected: "\(found.word), as APNs has it for this channel",
                got: policy.word
            )
        }
        let channel = BroadcastChannel(
            app: draft.app,
            name: draft.name,
            environment: draft.environment,
            policy: found,
            state: .active(id),
            createdAt: draft.createdAt
        )
        guard try await self.store.keep(channel) else {
            if let known = try await self.store.channel(draft.name, of: draft.app) { throw Problem.taken(known) }
            throw Problem(.channelExists, "The app has this channel under another name.")
        }
        return channel
    }

    /// Deletes a channel at APNs, and then forgets it.
    ///
    /// - Throws: ``Problem``; `StoreError`.
    func delete(_ name: ChannelName, of app: AppID) async throws {
        let manager = try self.required()
        let channel: BroadcastChannel
        switch try await self.store.beginDeletion(ofChannel: name, of: app) {
        case .unknown: throw Problem.unknownChannel
        case .inUse(let activity):
            throw Problem(.channelInUse, "Activity '\(activity)' is bound to the channel, and is not over.")
        case .begun(let begun): channel = begun
        }
        if let id = channel.channelID {
            do {
                try await manager.delete(id, for: app, in: channel.environment)
            } catch {
                throw Problem.managing(error)
            }
        }
        try await self.store.forget(channel)
    }

    /// Whether APNs has a channel; `nil` if its channel ID is unknown.
    ///
    /// - Throws: ``Problem`` if APNs does not respond.
    func existsAtAPNs(_ channel: BroadcastChannel) async throws -> Bool? {
        guard let id = channel.channelID else { return nil }
        let manager = try self.required()
        do {
            return try await manager.policy(of: id, for: channel.app, in: channel.environment) != nil
        } catch {
            throw Problem.managing(error)
        }
    }

    /// Checks that APNs still has a channel before an activity is bound to it.
    ///
    /// If APNs does not respond, the channel counts as existing; otherwise the first broadcast reports the error.
    /// - Throws: ``Problem`` `.channelDeleted`.
    func check(_ channel: ActivityChannel, of app: AppID) async throws(Problem) {
        guard let manager else { return }
        let policy: MessageStoragePolicy?
        do {
            policy = try await manager.policy(of: channel.id, for: app, in: channel.environment)
        } catch {
            return
        }
        guard policy == nil else { return }
        throw Problem(
            .channelDeleted,
            "APNs has deleted the channel '\(channel.name)' in \(channel.environment.rawValue)."
        )
    }

    /// All channels that APNs has of an app in an environment.
    ///
    /// - Throws: ``Problem`` when APNs does not say.
    func list(_ app: AppID, in environment: APNsEnvironment) async throws -> [APNsChannelID] {
        let manager = try self.required()
        do {
            return try await manager.list(for: app, in: environment)
        } catch {
            throw Problem.managing(error)
        }
    }

    private func required() throws(Problem) -> any ChannelManager {
        guard let manager else {
            throw Problem(
                .apnsUnavailable,
                "This server has no channel manager. Send the request to a process that runs `apus serve`."
            )
        }
        return manager
    }
}

extension Problem {
    static var unknownChannel: Problem {
        Problem(.channelNotFound, "The app has no channel of the name in the path.")
    }

    static func taken(_ channel: BroadcastChannel) -> Problem {
        switch channel.state {
        case .deleting: Problem(.channelExists, "The channel of this name is being deleted: `DELETE` it again first.")
        case .active, .creating:
            Problem(
                .channelExists,
                "The app has a channel of this name in \(channel.environment.rawValue), whose message storage is "
                    + "\(channel.policy.word)."
            )
        }
    }

    /// Converts a failure of channel management; other errors are not changed.
    static func managing(_ error: any Error) -> any Error {
        guard let failure = error as? ChannelManagementError else { return error }
        switch failure.code {
        case .noCredential: return Problem(.credentialRequired, failure.message, cause: failure)
        case .unreachable:
            return Problem(.apnsUnavailable, "APNs cannot be reached: \(failure.message)", cause: failure)
        case .lost:
            let detail = "The response of APNs was lost, so APNs may have executed the request: \(failure.message)"
            return Problem(.apnsUnavailable, detail, cause: failure)
        case .rejected(let rejection): return Problem(managing: rejection, cause: failure)
        }
    }

    private init(managing rejection: Rejection, cause: any Error) {
        let code: ProblemCode =
            switch rejection.reason {
            case .cannotCreateChannelConfig: .channelLimitExceeded
            case .featureNotEnabled: .broadcastDisabled
            case _ where rejection.status == 429 || rejection.status >= 500: .apnsUnavailable
            default: .apnsRejected
            }
        let words = rejection.reason.entry.map { ": \($0.meaning)" } ?? ""
        self.init(code, "APNs responded \(rejection.status) \(rejection.reason)\(words)", cause: cause)
    }
}
