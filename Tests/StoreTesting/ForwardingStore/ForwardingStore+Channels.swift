// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs
public import PushModel
public import PushStore

extension ForwardingStore {
    /// Asks the store that does the work.
    public func beginChannel(_ channel: BroadcastChannel) async throws -> BroadcastChannel? {
        try await self.forward { try await self.base.beginChannel(channel) }
    }

    /// Asks the store that does the work.
    public func keep(_ channel: BroadcastChannel) async throws -> Bool {
        try await self.forward { try await self.base.keep(channel) }
    }

    /// Asks the store that does the work.
    public func channel(_ name: ChannelName, of app: AppID) async throws -> BroadcastChannel? {
        try await self.forward { try await self.base.channel(name, of: app) }
    }

    /// Asks the store that does the work.
    public func channels(of app: AppID, in environment: APNsEnvironment) async throws -> [BroadcastChannel] {
        try await self.forward { try await self.base.channels(of: app, in: environment) }
    }

    /// Asks the store that does the work.
    public func beginDeletion(ofChannel name: ChannelName, of app: AppID) async throws -> ChannelDeletion {
        try await self.forward { try await self.base.beginDeletion(ofChannel: name, of: app) }
    }

    /// Asks the store that does the work.
    @discardableResult
    public func forget(_ channel: BroadcastChannel) async throws -> Bool {
        try await self.forward { try await self.base.forget(channel) }
    }
}
