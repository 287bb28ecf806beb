// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import GRDB
import PushModel
import PushStore

/// Makes the texts by which app versions are compared, within SQL as well.
enum AppVersionKey {
    /// The SQL function's name.
    static let name = "apus_version_key"

    /// The SQL function: takes a version and gives its text, or NULL.
    static let function = DatabaseFunction(name, argumentCount: 1, pure: true) { values in
        AppVersion.storedKey(of: values.first.flatMap { String.fromDatabaseValue($0) })
    }
}
