// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import PushModel
import PushStore
import SQLite

/// An SQL function that returns the text by which app versions are compared.
enum AppVersionKey {
    static let name = "apus_version_key"

    /// Adds the function, which returns NULL for a version that cannot be compared.
    static func add(to database: Database) throws {
        try database.addFunction(Self.name) { AppVersion.storedKey(of: $0) }
    }
}
