// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import CommandLineSupport
import Foundation
import Logging
import PushModel
import PushStore

extension MasterKeyFile {
    /// The master key that a configuration names.
    ///
    /// Where it names none, the key of the data directory is taken. A new one is made, readable by its owner alone, only
    /// beside a store in a file, and while that has no sealed credential: those would never open again.
    ///
    /// It logs an error when the key does not open all that is sealed. A key that stands in a file follows that file.
    ///
    /// - Throws: ``CommandFailure`` `.unreadable_file`, `.exposed_master_key`, `.bad_master_key`, `.unwritable_file`,
    ///   `.master_key_lost`, `.master_key_missing`; `StoreError`.
    static func masterKey(
        _ configuration: ServerConfiguration,
        store: some APIKeyStore & AppStore & CredentialStore & SubscriptionStore & WebhookStore,
        logger: Logger
    ) async throws -> MasterKey {
        let sealed: SealedCredentials
        do {
            sealed = try await SealedCredentials(in: store)
        } catch let error as StoreError where error.code == .corrupt {
            // One damaged row keeps nobody else from being served.
            logger.error("What is sealed could not be checked against the master key", error: error)
            guard let key = try self.existingKey(configuration, logger: logger) else { throw error }
            return key
        }
        let key = try self.masterKey(configuration, sealed: sealed, logger: logger)
        if let apps = sealed.apps(closedTo: key) {
            logger.error(
                "Credentials, webhooks or access keys were sealed under another master key; restore it, or add them again",
                metadata: ["apps": "\(apps)", "masterKey": "\(key.id)"]
            )
        }
        return key
    }

    /// The master key that there is; `nil` where a configuration names none, and the data directory has none.
    ///
    /// - Throws: ``CommandFailure`` `.unreadable_file`, `.exposed_master_key`, `.bad_master_key`.
    static func existingKey(_ configuration: ServerConfiguration, logger: Logger) throws -> MasterKey? {
        if let text = configuration.masterKey {
            return try self.parse(text, from: configuration.name(of: .masterKey))
        }
        if let path = configuration.masterKeyFile {
            return try self.follow(path, from: configuration.name(of: .masterKeyFile), logger: logger)
        }
        let path = self.path(in: configuration.data)
        guard FileManager.default.fileExists(atPath: path) else { return nil }
        return try self.follow(path, from: "The master key", logger: logger)
    }

    private static func masterKey(
        _ configuration: ServerConfiguration,
        sealed: SealedCredentials,
        logger: Logger
    ) throws -> MasterKey {
        if let key = try self.existingKey(configuration, logger: logger) { return key }
        if let failure = self.refusal(configuration, sealed: sealed) { throw failure }
        try self.make(in: configuration.data)
        return try self.follow(self.path(in: configuration.data), from: "The master key", logger: logger)
    }

    /// Why a server without a master key does not make one; `nil` where it does.
    static func refusal(_ configuration: ServerConfiguration, sealed: SealedCredentials?) -> CommandFailure? {
        let path = self.path(in: configuration.data)
        if let sealed, sealed.count > 0 { return self.lost(path, sealed) }
        return configuration.storeURL == nil ? nil : self.missing(path)
    }

    private static func missing(_ path: String) -> CommandFailure {
        CommandFailure(
            "master_key_missing",
            """
            There is no master key \(path). On a database that processes share none is made: each would make its own, and \
            open nothing that the others sealed.
              Make one for all of them, and hand it out before the first start:
                (umask 077; openssl rand -base64 32 > \(path))
              or name it: --master-key-file FILE, APUS_MASTER_KEY_FILE or APUS_MASTER_KEY.
            """
        )
    }

    private static func lost(_ path: String, _ sealed: SealedCredentials) -> CommandFailure {
        CommandFailure(
            "master_key_lost",
            """
            The master key \(path) is gone, and \(sealed.count) sealed credentials, webhooks and access keys (of \(sealed.apps)) open with it alone.
              To restore it, put the file back from the backup of the key, or name it: --master-key-file FILE, \
            APUS_MASTER_KEY_FILE or APUS_MASTER_KEY.
              To go on without it, make a new key, start again, and add these anew:
                (umask 077; openssl rand -base64 32 > \(path))
            """
        )
    }
}

/// The credentials, webhooks, access keys and users of subscribed URLs of a store that only its master key opens.
struct SealedCredentials {
    /// Sealed bytes, what they are, and whose: an app, or a key of all apps.
    struct Entry {
        let owner: String
        let item: SealedItem
        let bytes: [UInt8]
    }

    let all: [Entry]

    init(in store: some APIKeyStore & AppStore & CredentialStore & SubscriptionStore & WebhookStore) async throws {
        var all: [Entry] = []
        var cursor: AppID?
        repeat {
            let page = try await store.apps(after: cursor, limit: 1000)
            for app in page.elements {
                for credential in try await store.credentials(of: app.id) {
                    guard case .sealed(let bytes) = credential.secret else { continue }
                    all.append(Entry(owner: app.id.rawValue, item: .credential(credential.id), bytes: bytes))
                }
                for webhook in try await store.webhooks(of: app.id) {
                    let item = SealedItem.webhook(webhook.id)
                    all.append(Entry(owner: app.id.rawValue, item: item, bytes: webhook.sealedSecret))
                }
            }
            cursor = page.next
        } while cursor != nil
        var keyCursor: APIKeyID?
        repeat {
            let page = try await store.keys(after: keyCursor, limit: 1000)
            for key in page.elements where key.revokedAt == nil {
                guard let bytes = key.sealedSigningSecret else { continue }
                let owner = key.app?.rawValue ?? "the key \(key.id)"
                all.append(Entry(owner: owner, item: .signingSecret(key.id), bytes: bytes))
            }
            keyCursor = page.next
        } while keyCursor != nil
        var subscriptionCursor: SubscriptionID?
        repeat {
            let page = try await store.sealedSubscriptions(after: subscriptionCursor, limit: 1000)
            for subscription in page.elements {
                guard let bytes = subscription.sealedUser else { continue }
                let owner = "the topic \(subscription.topic)"
                all.append(Entry(owner: owner, item: .subscriptionUser(subscription.id), bytes: bytes))
            }
            subscriptionCursor = page.next
        } while subscriptionCursor != nil
        self.all = all
    }

    var count: Int { self.all.count }

    /// The apps that have one, each once, in order; of many the first few and how many there are.
    var apps: String { Self.list(self.all.map(\.owner)) }

    /// The apps of which a master key does not open everything; `nil` when it opens all of them.
    func apps(closedTo key: MasterKey) -> String? {
        let closed = self.all.filter { !key.opens($0.bytes, of: $0.item) }
        return closed.isEmpty ? nil : Self.list(closed.map(\.owner))
    }

    private static func list(_ owners: [String]) -> String {
        let names = Set(owners).sorted()
        let more = names.count > 3 ? " and \(names.count - 3) more" : ""
        return names.prefix(3).joined(separator: ", ") + more
    }
}
