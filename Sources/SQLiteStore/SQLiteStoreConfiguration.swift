// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// Where and how a store is kept in an SQLite file.
public struct SQLiteStoreConfiguration: Hashable, Sendable {
    /// How hard SQLite makes sure that a change reached the disk before a call returns.
    ///
    /// See <https://www.sqlite.org/pragma.html#pragma_synchronous>.
    public enum Synchronous: String, Hashable, Sendable, CaseIterable {
        /// Every change survives a loss of power.
        case full

        /// Every change survives the death of the process; the latest ones may be lost with the power.
        case normal
    }

    /// The path of the database file; it is created, its directory is not.
    ///
    /// Beside it SQLite keeps `-wal` and `-shm` files, which belong to it.
    public var path: String

    /// How long a call waits for another process that has the database locked.
    ///
    /// Range: 0 or more. Default: 5 seconds. After that the call throws `StoreError` `.locked`.
    public var busyTimeout = Duration.seconds(5)

    /// Default: `full`, so that accepted requests are never lost.
    public var synchronous: Synchronous

    /// The maximum number of concurrent reads; each has a separate connection and thread.
    ///
    /// Range: 1 or more. Default: 4. Changes always run one at a time.
    public var readers = 4

    /// The maximum size of the database file in bytes, rounded down to pages of 4096 bytes; `nil` sets no limit.
    ///
    /// At the limit, changes that need more space throw `StoreError` `.full`, as on a full disk.
    public var maximumBytes: Int64?

    /// Whether the database may only be read; then it has to exist, and every change throws `.readOnly`.
    public var isReadOnly = false

    /// The maximum time of one read of very many rows, such as a part of an audience.
    ///
    /// Range: more than zero. Default: 30 seconds. Then the call throws `StoreError` `.unavailable`. Such reads use at
    /// most half of the ``readers``.
    public var scanTimeout = Duration.seconds(30)

    /// The largest number of devices that one statement of an audience reads, if the audience is one condition.
    package var scanWindow = 1_000_000

    /// How long a change takes at most.
    ///
    /// It waits for the changes before it, and then for the lock; each takes up to the busy timeout.
    package var longestChange: Duration { self.busyTimeout * 2 }

    public init(path: String, synchronous: Synchronous = .full) {
        self.path = path
        self.synchronous = synchronous
    }
}
