// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs
public import PushModel
public import PushStore

extension ChannelStore where Self: SQLBacked {
    public func beginChannel(_ channel: BroadcastChannel) async throws -> BroadcastChannel? {
        try await self.sql.write(retriesConflicts: true) { transaction in
            let app = try transaction.lockedNumber(of: channel.app)
            let known = try transaction.lockedChannel(channel.name, app: app)
            if let known, known.state != .creating { return known }
            try transaction.put(channel, app: app, isNew: known == nil)
            return nil
        }
    }

    public func keep(_ channel: BroadcastChannel) async throws -> Bool {
        try await self.sql.write(retriesConflicts: true) { transaction in
            let app = try transaction.lockedNumber(of: channel.app)
            let known = try transaction.lockedChannel(channel.name, app: app)
            if let known, known.state != .creating { return known == channel }
            let other = try transaction.first(
                """
                SELECT 1 FROM channels WHERE app = \(app) AND environment = \(channel.environment)
                    AND channel = \(channel.channelID?.rawValue)
                """
            )
            guard other == nil else { return false }
            try transaction.put(channel, app: app, isNew: known == nil)
            try transaction.audit(created: channel)
            return true
        }
    }

    public func channel(_ name: ChannelName, of app: AppID) async throws -> BroadcastChannel? {
        try await self.sql.first("\(SQL.channels) WHERE apps.id = \(app) AND channels.name = \(name)") {
            try BroadcastChannel(stored: $0)
        }
    }

    public func channels(of app: AppID, in environment: APNsEnvironment) async throws -> [BroadcastChannel] {
        try await self.sql.list(
            "\(SQL.channels) WHERE apps.id = \(app) AND environment = \(environment) ORDER BY channels.name",
            in: "channels"
        ) { try BroadcastChannel(stored: $0) }
    }

    public func beginDeletion(ofChannel name: ChannelName, of app: AppID) async throws -> DeleteChannelResult {
        try await self.sql.write { transaction in
            guard let number = try transaction.number(of: app),
                var channel = try transaction.lockedChannel(name, app: number)
            else { return .unknown }
            guard case .active(let id) = channel.state else { return .begun(channel) }
            let user = try transaction.first(
                "SELECT id FROM activities WHERE app = \(number) AND channel_name = \(name) AND state < 2 LIMIT 1"
            )
            if let user { return .inUse(try user.identifier("id")) }
            channel.state = .deleting(id)
            try transaction.put(channel, app: number, isNew: false)
            return .begun(channel)
        }
    }

    public func forget(_ channel: BroadcastChannel) async throws -> Bool {
        try await self.sql.write { transaction in
            let removed = try transaction.run(
                """
                DELETE FROM channels WHERE app = \(SQL.number(of: channel.app)) AND name = \(channel.name)
                    AND state = \(channel.storedState)
                    AND channel IS NOT DISTINCT FROM \(channel.channelID?.rawValue)
                """
            )
            guard try removed.changes > 0 else { return false }
            try transaction.audit(deleted: channel)
            return true
        }
    }
}

extension SQLExecutor {
    /// A channel of an app, which nothing else changes before the transaction ends.
    package func lockedChannel(_ name: ChannelName, app: Int64) throws -> BroadcastChannel? {
        try self.first(
            "\(SQL.channels) WHERE app = \(app) AND channels.name = \(name)\(lock: " FOR UPDATE OF channels")"
        ).map(BroadcastChannel.init(stored:))
    }

    fileprivate func put(_ channel: BroadcastChannel, app: Int64, isNew: Bool) throws {
        try self.run(
            isNew
                ? """
                INSERT INTO channels (app, name, environment, policy, state, created_at, channel)
                VALUES (\(app), \(channel.name), \(channel.environment), \(channel.policy.rawValue),
                    \(channel.storedState), \(channel.createdAt), \(channel.channelID?.rawValue))
                """
                : """
                UPDATE channels SET environment = \(channel.environment), policy = \(channel.policy.rawValue),
                    state = \(channel.storedState), created_at = \(channel.createdAt),
                    channel = \(channel.channelID?.rawValue)
                WHERE app = \(app) AND name = \(channel.name)
                """
        )
    }
}

extension SQL {
    fileprivate static let channels: SQL = """
        SELECT channels.*, apps.id AS app_id FROM channels JOIN apps ON apps.number = channels.app
        """
}
