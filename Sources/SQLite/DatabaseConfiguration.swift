// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// The settings of the connections to a database.
package struct DatabaseConfiguration: Sendable {
    /// Whether the database is opened for reading only; then it has to exist.
    package var isReadOnly = false

    /// The time for which a statement waits for the locks of other connections.
    package var busyTimeout: Duration = .zero

    /// The number of connections of a ``DatabasePool`` that read; at least 1.
    package var maximumReaderCount = 5

    /// Sets up each connection when it is opened.
    package var prepare: @Sendable (Database) throws -> Void = { _ in }

    package init() {}
}
