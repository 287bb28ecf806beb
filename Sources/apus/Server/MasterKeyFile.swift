// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import Logging
import PushModel
import PushStore

/// The file in which a server keeps its master key unless it is told one.
enum MasterKeyFile {
    private static let name = "master.key"

    /// The master key that a configuration names.
    ///
    /// Where it names none, the key of the data directory is taken. A new one is made, readable by its owner alone, only
    /// beside a store in a file, and while that has no sealed credential: those would never open again.
    /// - Parameters:
    ///   - configuration: names the key or its file, or neither.
    ///   - store: holds the credentials and webhooks that the key opens.
    ///   - logger: told when the key does not open all that is sealed.
    /// - Returns: the key.
    /// - Throws: ``CommandFailure`` `.unreadable_file`, `.bad_master_key`, `.unwritable_file`, `.master_key_lost`,
    ///   `.master_key_missing`; `StoreError`.
    static func masterKey(
        _ configuration: ServerConfiguration,
        store: some APIKeyStore & AppStore & CredentialStore & WebhookStore,
        logger: Logger
    ) async throws -> MasterKey {
        let sealed = try await SealedCredentials(in: store)
        let key = try self.masterKey(configuration, sealed: sealed)
        if let apps = sealed.apps(closedTo: key) {
            logger.error(
                "Credentials, webhooks or access keys were sealed under another master key; restore it, or add them again",
                metadata: ["apps": "\(apps)"]
            )
        }
        return key
    }

    /// The master key that there is; `nil` where a configuration names none, and the data directory has none.
    ///
    /// - Throws: ``CommandFailure`` `.unreadable_file`, `.bad_master_key`.
    static func existingKey(_ configuration: ServerConfiguration) throws -> MasterKey? {
        if let text = configuration.masterKey {
            return try self.parse(text, from: configuration.name(of: .masterKey))
        }
        if let path = configuration.masterKeyFile {
            return try self.read(path, from: configuration.name(of: .masterKeyFile))
        }
        let path = "\(configuration.data)/\(self.name)"
        guard FileManager.default.fileExists(atPath: path) else { return nil }
        return try self.read(path, from: "The master key")
    }

    private static func masterKey(_ configuration: ServerConfiguration, sealed: SealedCredentials) throws -> MasterKey {
        if let key = try self.existingKey(configuration) { return key }
        let path = "\(configuration.data)/\(self.name)"
        guard sealed.count == 0 else { throw self.lost(path, sealed) }
        guard configuration.storeURL == nil else { throw self.missing(path) }
        return try self.make(in: configuration.data)
    }

    /// Makes a master key in a data directory; the one that is there already, where another process was faster.
    ///
    /// - Throws: ``CommandFailure`` `.unwritable_file`, `.unreadable_file`, `.bad_master_key`.
    @discardableResult
    static func make(in directory: String) throws -> MasterKey {
        let path = "\(directory)/\(self.name)"
        let key = MasterKey.generate()
        do {
            if try PrivateFile.create(path, Data("\(key.base64)\n".utf8)) { return key }
        } catch {
            throw CommandFailure(
                "unwritable_file",
                "\(path), where the master key belongs, cannot be written: \(error.localizedDescription)",
                cause: error
            )
        }
        return try self.read(path, from: "The master key")
    }

    private static func missing(_ path: String) -> CommandFailure {
        CommandFailure(
            "master_key_missing",
            """
            There is no master key \(path). On a database that processes share none is made: each would make its own, and \
            open nothing that the others sealed.
              Make one for all of them, and hand it out before the first start:
                (umask 077; openssl rand -base64 32 > \(path))
              or name it: --master-key-file FILE, or APUS_MASTER_KEY.
            """
        )
    }

    private static func lost(_ path: String, _ sealed: SealedCredentials) -> CommandFailure {
        CommandFailure(
            "master_key_lost",
            """
            The master key \(path) is gone, and \(sealed.count) sealed credentials, webhooks and access keys (of \(sealed.apps)) open with it alone.
              To restore it, put the file back from a backup, or name it: --master-key-file FILE, or APUS_MASTER_KEY.
              To go on without it, make a new key, start again, and add these anew:
                (umask 077; openssl rand -base64 32 > \(path))
            """
        )
    }

    private static func read(_ path: String, from source: String) throws -> MasterKey {
        do {
            return try self.parse(try InputFile.text(path), from: "\(source) in \(path)")
        } catch let failure as CommandFailure where failure.code == "unreadable_file" {
            throw CommandFailure(failure.code, "\(source): \(failure.message)", cause: failure)
        }
    }

    private static func parse(_ text: String, from source: String) throws -> MasterKey {
        do {
            return try MasterKey(base64: text)
        } catch {
            throw CommandFailure("bad_master_key", "\(source): \(error.message)", cause: error)
        }
    }
}
