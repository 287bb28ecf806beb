// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs
import Foundation
public import PushModel
public import PushStore

extension PostgresStore: ChannelStore {
    public func beginChannel(_ channel: BroadcastChannel) async throws -> BroadcastChannel? {
        try await self.write(retriesDuplicates: true) { connection in
            let app = try connection.lockedNumber(of: channel.app)
            let known = try connection.lockedChannel(channel.name, app: app)
            if let known, known.isInTheWay { return known }
            try connection.put(channel, app: app, isNew: known == nil)
            return nil
        }
    }

    public func keep(_ channel: BroadcastChannel) async throws -> Bool {
        try await self.write(retriesDuplicates: true) { connection in
            let app = try connection.lockedNumber(of: channel.app)
            let known = try connection.lockedChannel(channel.name, app: app)
            if let known, known.isInTheWay { return known == channel }
            let other = try connection.row(
                "SELECT 1 FROM channels WHERE app = $1 AND environment = $2 AND channel = $3",
                [.integer(app), .number(channel.environment.stored), .text(channel.channelID?.rawValue)]
            )
            guard other == nil else { return false }
            try connection.put(channel, app: app, isNew: known == nil)
            return true
        }
    }

    public func channel(_ name: ChannelName, of app: AppID) async throws -> BroadcastChannel? {
        try await self.read { connection in
            try connection.row(
                "\(PostgresConnection.channels) WHERE apps.id = $1 AND channels.name = $2",
                [.text(app.rawValue), .text(name.rawValue)]
            ).map(BroadcastChannel.init(stored:))
        }
    }

    public func channels(of app: AppID, in environment: APNsEnvironment) async throws -> [BroadcastChannel] {
        try await self.read { connection in
            try connection.rows(
                "\(PostgresConnection.channels) WHERE apps.id = $1 AND environment = $2 ORDER BY channels.name",
                [.text(app.rawValue), .number(environment.stored)]
            ).mapReadable(in: "channels") { try BroadcastChannel(stored: $0) }
        }
    }

    public func beginDeletion(ofChannel name: ChannelName, of app: AppID) async throws -> ChannelDeletion {
        try await self.write { connection in
            guard let number = try connection.number(of: app),
                var channel = try connection.lockedChannel(name, app: number)
            else { return .unknown }
            guard case .active(let id) = channel.state else { return .begun(channel) }
            let user = try connection.row(
                "SELECT id FROM activities WHERE app = $1 AND channel_name = $2 AND state < 2 LIMIT 1",
                [.integer(number), .text(name.rawValue)]
            )
            if let user { return .inUse(try user.identifier("id")) }
            channel.state = .deleting(id)
            try connection.put(channel, app: number, isNew: false)
            return .begun(channel)
        }
    }

    @discardableResult
    public func forget(_ channel: BroadcastChannel) async throws -> Bool {
        try await self.write { connection in
            guard let number = try connection.number(of: channel.app) else { return false }
            let forgotten = try connection.row(
                """
                DELETE FROM channels WHERE app = $1 AND name = $2 AND state = $3 AND channel IS NOT DISTINCT FROM $4
                RETURNING state
                """,
                [
                    .integer(number), .text(channel.name.rawValue), .number(channel.storedState),
                    .text(channel.channelID?.rawValue),
                ]
            )
            return forgotten != nil
        }
    }
}

extension ActivityConnection {
    func channel(_ name: ChannelName, app: Int64) throws -> BroadcastChannel? {
        try self.connection.lockedChannel(name, app: app)
    }
}

extension PostgresConnection {
    fileprivate static let channels = """
        SELECT channels.*, apps.id AS app_id FROM channels JOIN apps ON apps.number = channels.app
        """

    /// A channel of an app, which nobody else changes before the transaction ends; `nil` when there is none.
    func lockedChannel(_ name: ChannelName, app: Int64) throws -> BroadcastChannel? {
        try self.row(
            "\(Self.channels) WHERE app = $1 AND channels.name = $2 FOR UPDATE OF channels",
            [.integer(app), .text(name.rawValue)]
        ).map(BroadcastChannel.init(stored:))
    }

    fileprivate func put(_ channel: BroadcastChannel, app: Int64, isNew: Bool) throws {
        let statement =
            isNew
            ? """
            INSERT INTO channels (app, name, environment, policy, state, created_at, channel)
            VALUES ($1, $2, $3, $4, $5, $6, $7)
            """
            : """
            UPDATE channels SET environment = $3, policy = $4, state = $5, created_at = $6, channel = $7
            WHERE app = $1 AND name = $2
            """
        try self.queue(
            statement,
            [
                .integer(app), .text(channel.name.rawValue), .number(channel.environment.stored),
                .number(channel.policy.rawValue), .number(channel.storedState),
                .integer(channel.createdAt.millisecondsSince1970), .text(channel.channelID?.rawValue),
            ]
        )
    }
}
