// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs
import Foundation
public import PushModel
public import PushStore
import SQLite

extension SQLiteStore: ChannelStore {
    public func beginChannel(_ channel: BroadcastChannel) async throws -> BroadcastChannel? {
        try await self.write { database in
            let app = try database.requiredNumber(of: channel.app)
            if let known = try database.channel(channel.name, app: app), known.isInTheWay { return known }
            try database.put(channel, app: app)
            return nil
        }
    }

    public func keep(_ channel: BroadcastChannel) async throws -> Bool {
        try await self.write { database in
            let app = try database.requiredNumber(of: channel.app)
            if let known = try database.channel(channel.name, app: app), known.isInTheWay { return known == channel }
            let other = try database.row(
                "SELECT 1 FROM channels WHERE app = ? AND environment = ? AND channel = ?",
                [app, channel.environment.stored, channel.channelID?.rawValue]
            )
            guard other == nil else { return false }
            try database.put(channel, app: app)
            return true
        }
    }

    public func channel(_ name: ChannelName, of app: AppID) async throws -> BroadcastChannel? {
        try await self.read { database in
            guard let number = try database.number(of: app) else { return nil }
            return try database.channel(name, app: number)
        }
    }

    public func channels(of app: AppID, in environment: APNsEnvironment) async throws -> [BroadcastChannel] {
        try await self.read { database in
            guard let number = try database.number(of: app) else { return [] }
            return try database.rows(
                "SELECT channels.*, ? AS app_id FROM channels WHERE app = ? AND environment = ? ORDER BY name",
                [app.rawValue, number, environment.stored]
            ).mapReadable(in: "channels") { try BroadcastChannel(stored: $0) }
        }
    }

    public func beginDeletion(ofChannel name: ChannelName, of app: AppID) async throws -> ChannelDeletion {
        try await self.write { database in
            guard let number = try database.number(of: app), var channel = try database.channel(name, app: number)
            else {
                return .unknown
            }
            guard case .active(let id) = channel.state else { return .begun(channel) }
            let user = try database.row(
                "SELECT id FROM activities WHERE app = ? AND channel_name = ? AND state < 2 LIMIT 1",
                [number, name.rawValue]
            )
            if let user { return .inUse(try user.identifier("id")) }
            channel.state = .deleting(id)
            try database.put(channel, app: number)
            return .begun(channel)
        }
    }

    @discardableResult
    public func forget(_ channel: BroadcastChannel) async throws -> Bool {
        try await self.write { database in
            guard let number = try database.number(of: channel.app) else { return false }
            return try database.run(
                "DELETE FROM channels WHERE app = ? AND name = ? AND state = ? AND channel IS ?",
                [number, channel.name.rawValue, channel.storedState, channel.channelID?.rawValue]
            ) > 0
        }
    }
}

extension ActivitySQL {
    func channel(_ name: ChannelName, app: Int64) throws -> BroadcastChannel? {
        try self.database.channel(name, app: app)
    }
}

extension Database {
    func channel(_ name: ChannelName, app: Int64) throws -> BroadcastChannel? {
        try self.row(
            """
            SELECT channels.*, apps.id AS app_id FROM channels CROSS JOIN apps ON apps.number = channels.app
            WHERE app = ? AND channels.name = ?
            """,
            [app, name.rawValue]
        ).map(BroadcastChannel.init(stored:))
    }

    /// Writes a channel, in the place of one of its name.
    fileprivate func put(_ channel: BroadcastChannel, app: Int64) throws {
        try self.run(
            """
            INSERT INTO channels (app, name, environment, policy, state, created_at, channel)
            VALUES (?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (app, name) DO UPDATE SET environment = excluded.environment, policy = excluded.policy,
                state = excluded.state, created_at = excluded.created_at, channel = excluded.channel
            """,
            [
                app, channel.name.rawValue, channel.environment.stored, channel.policy.rawValue, channel.storedState,
                channel.createdAt.millisecondsSince1970, channel.channelID?.rawValue,
            ]
        )
    }
}
