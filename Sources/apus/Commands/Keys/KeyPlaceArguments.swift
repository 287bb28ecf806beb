// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ArgumentParser
import Foundation
import PushModel
import PushStore

/// Where keys are: behind a server, or in a store of this machine.
struct KeyPlaceArguments: ParsableArguments {
    @Option(
        help: """
            Work on the store in this directory, or in the database that $APUS_STORE_URL names, without a server and \
            without a key.
            """
    )
    var data: String?

    @OptionGroup var server: ServerArguments

    /// Opens the place, runs `body` and closes it.
    func withKeyBook<Value: Sendable>(_ body: (any KeyBook) async throws -> Value) async throws -> Value {
        guard let data else { return try await body(RemoteKeyBook(client: try self.server.client())) }
        let url = ProcessInfo.processInfo.environment[ConfigurationKey.storeURL.variable]
        return try await ServerStore.open(data: data, url: url) { store, _ in
            try await body(LocalKeyBook(store: store) { try await Self.masterKey(of: store, data: data) })
        }
    }

    /// The key that a server on the same store and with the same environment has.
    private static func masterKey(of store: any PushStore, data: String) async throws -> MasterKey {
        let environment = ProcessInfo.processInfo.environment
        let sources = try ConfigurationSources(flags: [.data: data], environment: environment, file: nil)
        let configuration = try ServerConfiguration(try sources.entries())
        let logger = configuration.processLogger()
        return try await MasterKeyFile.masterKey(configuration, store: store, logger: logger)
    }
}
