// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import CommandLineSupport
import Foundation
import Logging
import PushModel
import PushStore

/// Gives an open store the key that seals its device tokens and contents.
enum DataKeyLoader {
    /// Opens the data key of a sealed store.
    ///
    /// With `sealAtRest`, an empty store becomes a sealed one. The store decides, not the configuration: if one process wrote a token in plain form beside the sealed ones, others
    /// would not find it.
    /// - Throws: ``CommandError`` `.store_not_sealed`, `.sealing_incomplete`, `.master_key_missing`, `.data_key_closed`;
    ///   `StoreError`.
    static func load(
        into store: some DataKeyStore,
        _ configuration: ServerConfiguration,
        masterKey: MasterKey?,
        logger: Logger
    ) async throws {
        var stored = try await store.dataKey()
        if stored == nil, configuration.sealsAtRest {
            guard let masterKey else { throw Self.missing }
            stored = try await store.addDataKey(masterKey.seal(dataKey: DataKey.generate()), ifEmpty: true)
            if stored == nil { throw Self.notSealed(configuration) }
        }
        guard let stored else { return }
        guard stored.isComplete else { throw Self.incomplete }
        try self.use(stored, in: store, masterKey: masterKey)
        logger.info("Device tokens and contents are sealed at rest")
    }

    /// Opens the data key of a sealed store for a command, with the master key of the data directory or the environment.
    static func load(into store: some DataKeyStore, data: String) async throws {
        guard let stored = try await store.dataKey() else { return }
        guard stored.isComplete else { throw Self.incomplete }
        let environment = ProcessInfo.processInfo.environment
        let sources = try ConfigurationSources(flags: [.data: data], environment: environment, file: nil)
        let configuration = try ServerConfiguration(try sources.entries())
        let key = try MasterKeyFile.existingKey(configuration, logger: configuration.processLogger())
        try self.use(stored, in: store, masterKey: key)
    }

    /// Lets a store use its data key.
    static func use(_ stored: StoredDataKey, in store: some DataKeyStore, masterKey: MasterKey?) throws {
        guard let masterKey else { throw Self.missing }
        do {
            store.use(try masterKey.dataKey(stored.sealed))
        } catch {
            throw CommandError("data_key_closed", error.message, cause: error)
        }
    }

    private static var missing: CommandError {
        CommandError(
            "master_key_missing",
            """
            The device tokens and contents of this store are sealed, and this process has no master key.
              Copy the master.key of the servers to the data directory, or name it: --master-key-file FILE, \
            APUS_MASTER_KEY_FILE, APUS_MASTER_KEY or APUS_MASTER_KEY_COMMAND.
            """
        )
    }

    private static func notSealed(_ configuration: ServerConfiguration) -> CommandError {
        CommandError(
            "store_not_sealed",
            """
            \(configuration.name(of: .sealAtRest)) is true, but the store has device tokens or contents in plain form.
              To seal them, stop all servers and workers of the store, and run:
                apus store seal --servers-stopped --data \(configuration.data)
              To keep them in plain form, remove this setting.
            """
        )
    }

    private static var incomplete: CommandError {
        CommandError(
            "sealing_incomplete",
            """
            Some device tokens of this store are sealed and others are in plain form, because apus store seal was \
            interrupted.
              Run it again with the same options: it continues.
            """
        )
    }
}
