// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ArgumentParser
import Foundation

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
            try await body(LocalKeyBook(store: store))
        }
    }
}
