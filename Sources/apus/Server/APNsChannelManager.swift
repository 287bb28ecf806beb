// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import APNsClient
import Delivery
import PushAPI
import PushModel

/// Asks APNs about channels, with the credential with which the app's pushes are sent.
struct APNsChannelManager: ChannelManager {
    let client: ChannelClient

    /// Knows the servers that manage channels, and the credentials.
    let resolver: DestinationResolver

    func create(
        _ policy: MessageStoragePolicy,
        for app: AppID,
        in environment: APNsEnvironment
    ) async throws -> APNsChannelID {
        try await self.ask(app, environment) { await $0.create(policy) }.value()
    }

    func policy(
        of channel: APNsChannelID,
        for app: AppID,
        in environment: APNsEnvironment
    ) async throws -> MessageStoragePolicy? {
        let answer = try await self.ask(app, environment) { await $0.read(channel) }
        if answer.saysThatThereIsNone { return nil }
        return try answer.value()
    }

    func delete(_ channel: APNsChannelID, for app: AppID, in environment: APNsEnvironment) async throws {
        let answer = try await self.ask(app, environment) { await $0.delete(channel) }
        if answer.saysThatThereIsNone { return }
        try answer.value()
    }

    func list(for app: AppID, in environment: APNsEnvironment) async throws -> [APNsChannelID] {
        try await self.ask(app, environment) { await $0.list() }.value()
    }

    private func ask<Value: Sendable>(
        _ app: AppID,
        _ environment: APNsEnvironment,
        _ body: (ChannelSession) async -> ChannelResult<Value>
    ) async throws -> ChannelResult<Value> {
        let destination: APNsDestination
        let bundleID: Topic
        do {
            destination = try await self.resolver.destination(for: app, in: environment, pushType: .liveactivity)
            bundleID = try Topic(app.rawValue)
        } catch let failure as DestinationError {
            throw ChannelManagementError(code: .noCredential, message: failure.message)
        }
        return await self.client.withSession(of: bundleID, at: destination, body)
    }
}

extension ChannelResult {
    /// Whether APNs has no such channel; APNs deletes all channels of an app that loses the Broadcast capability.
    fileprivate var saysThatThereIsNone: Bool {
        guard case .rejected(let rejection) = self else { return false }
        return rejection.reason == .channelNotRegistered || rejection.reason == .featureNotEnabled
    }

    /// Returns the requested value.
    ///
    /// - Throws: ``ChannelManagementError``.
    fileprivate func value() throws(ChannelManagementError) -> Value {
        switch self {
        case .done(let value): return value
        case .rejected(let rejection):
            throw ChannelManagementError(code: .rejected(rejection), message: "APNs responded \(rejection)")
        case .failed(let failure):
            let code: ChannelManagementError.Code =
                switch failure.code {
                case .badCredential: .noCredential
                case .unreachable: .unreachable
                case .lost, .unreadable: .lost
                }
            throw ChannelManagementError(code: code, message: failure.message)
        }
    }
}
