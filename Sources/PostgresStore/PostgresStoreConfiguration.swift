// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// Where and how a store is kept in a PostgreSQL database.
public struct PostgresStoreConfiguration: Hashable, Sendable {
    /// The connection string: a URL such as `postgres://user:password@host:5432/database?sslmode=verify-full`, or
    /// `keyword=value` pairs.
    ///
    /// See <https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-CONNSTRING>. Omitted parameters come from
    /// the environment and from the password file, as with every program that uses libpq. It contains a password: the
    /// store puts neither into a log nor into an error.
    public var url: String

    /// The schema with the store's tables; created if it does not exist.
    ///
    /// Default: `apus`. A lower-case letter or underscore, then up to 57 lower-case letters, digits and underscores.
    public var schema = "apus"

    /// The number of connections for calls; each has a separate thread while it is used.
    ///
    /// Range: 1 or more. Default: 4. One more listens for changes. More connections let more commits share one write to
    /// the server's disk.
    public var connections = 4

    /// How long connecting may take with each of the connection string's hosts, unless that says so itself
    /// (`connect_timeout`).
    ///
    /// Range: more than zero; counted in whole seconds, 2 at least. Default: 5 seconds.
    public var connectTimeout = Duration.seconds(5)

    /// How long a call waits for a free connection; then it throws `StoreError` `.unavailable`.
    ///
    /// Range: more than zero. Default: 5 seconds.
    public var poolTimeout = Duration.seconds(5)

    /// How long a statement waits for a lock; then the call throws `StoreError` `.locked`.
    ///
    /// Range: 1 millisecond or more. Default: 5 seconds.
    public var lockTimeout = Duration.seconds(5)

    /// The timeout of a call after it has its connection; then it throws `StoreError` `.unavailable`.
    ///
    /// Range: 1 millisecond or more. Default: 30 seconds. The server stops a statement by then; if the server does not
    /// respond, the connection is closed one second later. The timeout for deleting an app is twenty times as long.
    public var requestTimeout = Duration.seconds(30)

    /// Whether transactions can only read.
    ///
    /// Default: `false`. The tables then have to exist, and every change throws `StoreError` `.readOnly`.
    public var isReadOnly = false

    /// The largest number of devices that one statement of an audience reads, if the audience is one condition.
    package var scanWindow = 1_000_000

    /// The maximum time of a change: until it has a connection, and until that connection is closed.
    package var longestChange: Duration { self.poolTimeout + self.requestTimeout + .seconds(1) }

    public init(url: String) {
        self.url = url
    }

    /// The other machine to which connections are not protected by `sslmode=verify-full`; `nil` if there is none.
    ///
    /// Without it, an attacker on the network can read everything, or pretend to be the database. `environment` has the
    /// variables that libpq reads for parameters that ``url`` omits.
    package func unverifiedHost(environment: [String: String]) -> String? {
        (try? ConnectionParameters(self.url))?.unverifiedHost(environment: environment)
    }

    /// The database for logs: host, port and name without password; only `PostgreSQL` if ``url`` cannot be
    /// parsed.
    public var place: String { (try? ConnectionParameters(self.url).place) ?? "PostgreSQL" }
}

extension PostgresStoreConfiguration: CustomStringConvertible, CustomReflectable {
    /// The schema and the number of connections; the connection string holds a password and is left out.
    public var description: String { "schema \(self.schema), \(self.connections) connections" }

    /// Shows no more than ``description``.
    public var customMirror: Mirror { Mirror(self, children: ["description": self.description]) }
}
