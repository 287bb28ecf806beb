// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ArgumentParser

/// Where keys are: behind a server, or in a store of this machine.
struct KeyPlaceArguments: ParsableArguments {
    @Option(help: "Work on the store in this directory, without a server and without a key.")
    var data: String?

    @OptionGroup var server: ServerArguments

    /// Opens the place, runs `body` and closes it.
    func withKeyBook<Value: Sendable>(_ body: (any KeyBook) async throws -> Value) async throws -> Value {
        guard let data else { return try await body(RemoteKeyBook(client: try self.server.client())) }
        return try await LocalStore.open(data) { try await body(LocalKeyBook(store: $0)) }
    }
}
