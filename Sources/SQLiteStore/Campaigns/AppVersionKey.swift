// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import GRDB
import PushModel

/// Makes the texts by which app versions are compared, within SQL as well.
enum AppVersionKey {
    /// The SQL function's name.
    static let name = "apus_version_key"

    /// The text for a version as the app told it; `nil` when it is none that can be compared.
    static func key(of version: String?) -> String? {
        version.flatMap { AppVersion($0) }?.sortKey
    }

    /// The SQL function: takes a version and gives its text, or NULL.
    static let function = DatabaseFunction(name, argumentCount: 1, pure: true) { values in
        Self.key(of: values.first.flatMap { String.fromDatabaseValue($0) })
    }
}
