// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import CommandLineSupport
import Foundation
import Logging
import PushModel
import PushStore

extension MasterKeyFile {
    /// Returns the master key of a configuration.
    ///
    /// Without a configured key, it uses the key of the data directory. It creates a new key, readable only by its
    /// owner, only if the store is a file, and only if the store has no sealed credential: a new key could not open
    /// these.
    ///
    /// It logs an error if the key does not open all sealed values. If the key is in a file, changes of the file take
    /// effect.
    ///
    /// - Throws: ``CommandError`` `.unreadable_file`, `.exposed_master_key`, `.bad_master_key`, `.unwritable_file`,
    ///   `.master_key_lost`, `.master_key_missing`; `StoreError`.
    static func masterKey(
        _ configuration: ServerConfiguration,
        store: some SealedStore,
        logger: Logger
    ) async throws -> MasterKey {
        let sealed = try await SealedSecrets(in: store)
        let key = try self.masterKey(configuration, sealed: sealed, logger: logger)
        if let apps = sealed.apps(closedTo: key) {
            logger.error(
                """
                The master key does not open all credentials, webhooks, access keys or the data key; restore the former \
                key, or add them again
                """,
                metadata: ["apps": "\(apps)", "masterKey": "\(key.id)"]
            )
        }
        return key
    }

    /// The master key that there is; `nil` where a configuration names none, and the data directory has none.
    ///
    /// It runs the command that the configuration names for the key.
    ///
    /// - Throws: ``CommandError`` `.unreadable_file`, `.exposed_master_key`, `.bad_master_key`,
    ///   `.master_key_command_failed`.
    static func existingKey(_ configuration: ServerConfiguration, logger: Logger) throws -> MasterKey? {
        if let text = configuration.masterKey {
            return try self.parse(text, from: configuration.name(of: .masterKey))
        }
        if let path = configuration.masterKeyFile {
            return try self.follow(path, from: configuration.name(of: .masterKeyFile), logger: logger)
        }
        if let command = configuration.masterKeyCommand {
            return try MasterKeyCommand.run(command, from: configuration.name(of: .masterKeyCommand))
        }
        let path = self.path(in: configuration.data)
        guard FileManager.default.fileExists(atPath: path) else { return nil }
        return try self.follow(path, from: "The master key", logger: logger)
    }

    private static func masterKey(
        _ configuration: ServerConfiguration,
        sealed: SealedSecrets,
        logger: Logger
    ) throws -> MasterKey {
        if let key = try self.existingKey(configuration, logger: logger) { return key }
        if let failure = self.refusal(configuration, sealed: sealed) { throw failure }
        try self.make(in: configuration.data)
        return try self.follow(self.path(in: configuration.data), from: "The master key", logger: logger)
    }

    /// Why a server without a master key does not create one; `nil` if it does.
    static func refusal(_ configuration: ServerConfiguration, sealed: SealedSecrets?) -> CommandError? {
        let path = self.path(in: configuration.data)
        if let sealed, sealed.count > 0 { return self.lost(path, sealed) }
        return configuration.storeURL == nil ? nil : self.missing(path)
    }

    private static func missing(_ path: String) -> CommandError {
        CommandError(
            "master_key_missing",
            """
            There is no master key \(path). For a shared database, the server creates no key: each process would \
            create a different one, and could not open the values that the others sealed.
              Create one key for all processes, and copy it to them before the first start:
                (umask 077; openssl rand -base64 32 > \(path))
              or name it: --master-key-file FILE, APUS_MASTER_KEY_FILE, APUS_MASTER_KEY or APUS_MASTER_KEY_COMMAND.
            """
        )
    }

    private static func lost(_ path: String, _ sealed: SealedSecrets) -> CommandError {
        CommandError(
            "master_key_lost",
            """
            The master key \(path) is missing. Only this key opens \(sealed.count) sealed credentials, webhooks and \
            access keys (of \(sealed.apps)).
              To restore it, copy the file from the backup of the key, or name it: --master-key-file FILE, \
            APUS_MASTER_KEY_FILE or APUS_MASTER_KEY.
              To continue without it, create a new key, start again, and add these values again:
                (umask 077; openssl rand -base64 32 > \(path))
            """
        )
    }
}

/// The credentials, webhooks, access keys, users of HTTP subscriptions and data key of a store that only its master key
/// opens.
///
/// The signing key of deliveries is not included: a new one is created if it does not open.
struct SealedSecrets {
    let all: [SealedValue]

    init(in store: some SealedStore) async throws {
        var all: [SealedValue] = []
        for table in SealedTable.allCases where table != .deliveryIdentity {
            try await store.forEachSealed(in: table) { all.append($0) }
        }
        self.all = all
    }

    var count: Int { self.all.count }

    /// The apps that have one, each once, in order; of many the first few and how many there are.
    var apps: String { Self.list(self.all.map(\.ownerName)) }

    /// The apps with values that a master key does not open; `nil` if it opens all.
    func apps(closedTo key: MasterKey) -> String? {
        let closed = self.all.filter { !key.opens($0.bytes, of: $0.item) }
        return closed.isEmpty ? nil : Self.list(closed.map(\.ownerName))
    }

    private static func list(_ owners: [String]) -> String {
        let names = Set(owners).sorted()
        let more = names.count > 3 ? " and \(names.count - 3) more" : ""
        return names.prefix(3).joined(separator: ", ") + more
    }
}

extension SealedStore {
    /// Passes every sealed value of a table to `body`; others may add and remove values meanwhile.
    func forEachSealed(in table: SealedTable, _ body: (SealedValue) async throws -> Void) async throws {
        var cursor: SealedItem?
        repeat {
            let page = try await self.sealedValues(in: table, after: cursor, limit: 1000)
            for value in page.elements { try await body(value) }
            cursor = page.next
        } while cursor != nil
    }
}

extension SealedValue {
    /// The owner of the value to display: the app, the topic or the key.
    var ownerName: String {
        switch (self.item, self.owner) {
        case (.subscriptionUser, let topic?): "the topic \(topic)"
        case (_, let app?): app
        case (.signingSecret(let key), nil): "the key \(key)"
        case (.dataKey, nil): "all apps"
        case (_, nil): "all topics"
        }
    }
}
