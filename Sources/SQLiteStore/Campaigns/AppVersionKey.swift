// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import PushModel
import PushStore
import SQLite

/// Makes the texts by which app versions are compared, within SQL as well.
enum AppVersionKey {
    /// The SQL function's name.
    static let name = "apus_version_key"

    /// Adds the SQL function that takes a version and returns its text, or NULL.
    static func add(to database: Database) throws {
        try database.addFunction(Self.name) { AppVersion.storedKey(of: $0) }
    }
}
