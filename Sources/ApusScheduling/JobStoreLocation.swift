// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import PushStore

/// Where jobs and all else of the app are kept: the store of the servers.
public enum JobStoreLocation: Sendable {
    /// The file `apus.db` in the data directory of a server on this machine.
    case sqlite(path: String)

    /// A PostgreSQL database, as `postgres://user:password@host/database`.
    case postgres(url: String)

    /// A store that is open already; whoever opened it closes it.
    case store(any PushStore)
}
