// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import PushAPI
import PushModel
import Synchronization

/// Channels of one app, kept in memory as APNs keeps them.
final class ChannelShelf: ChannelManager {
    private struct State {
        var channels: [APNsEnvironment: [APNsChannelID: MessageStoragePolicy]] = [:]
        var made = 0
        var failure: ChannelManagementError?
    }

    private let state = Mutex(State())

    /// The next call fails with this.
    func fail(_ code: ChannelManagementError.Code) {
        self.state.withLock {
            $0.failure = ChannelManagementError(code: code, message: "that is what the test wants")
        }
    }

    /// Puts a channel there, as another program does.
    func add(_ id: APNsChannelID, _ policy: MessageStoragePolicy, in environment: APNsEnvironment) {
        self.state.withLock { $0.channels[environment, default: [:]][id] = policy }
    }

    private func change<Value: Sendable>(_ body: (inout State) -> Value) throws -> Value {
        try self.state.withLock { state in
            if let failure = state.failure {
                state.failure = nil
                throw failure
            }
            return body(&state)
        }
    }

    func create(
        _ policy: MessageStoragePolicy,
        for app: AppID,
        in environment: APNsEnvironment
    ) async throws -> APNsChannelID {
        try self.change { state in
            state.made += 1
            guard let id = APNsChannelID(rawValue: "bWFkZQ\(state.made)==") else {
                preconditionFailure("that is an identifier")
            }
            state.channels[environment, default: [:]][id] = policy
            return id
        }
    }

    func policy(
        of channel: APNsChannelID,
        for app: AppID,
        in environment: APNsEnvironment
    ) async throws -> MessageStoragePolicy? {
        try self.change { $0.channels[environment]?[channel] }
    }

    func delete(_ channel: APNsChannelID, for app: AppID, in environment: APNsEnvironment) async throws {
        try self.change { $0.channels[environment]?[channel] = nil }
    }

    func list(for app: AppID, in environment: APNsEnvironment) async throws -> [APNsChannelID] {
        try self.change { state in
            (state.channels[environment] ?? [:]).keys.sorted { $0.rawValue < $1.rawValue }
        }
    }
}
