// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
package import PushModel

extension App {
    /// Reads the columns of the table `apps`.
    package init(stored row: some StoredRow) throws {
        self.init(
            id: try row.identifier("id"),
            name: try row.string("name"),
            defaultEnvironment: APNsEnvironment(stored: try row.number("default_environment")),
            createdAt: try row.date("created_at")
        )
    }
}

extension APIKey {
    /// Reads the columns of the table `api_keys`, and `app_id`.
    package init(stored row: some StoredRow) throws {
        self.init(
            id: try row.identifier("id"),
            name: try row.string("name"),
            scopes: Set(try row.string("scopes").split(separator: " ").compactMap { Scope(rawValue: String($0)) }),
            app: try row.text("app_id").flatMap { AppID(rawValue: $0) },
            secretHash: try row.blob("secret_hash"),
            sealedSigningSecret: try row.bytes("signing_secret"),
            createdAt: try row.date("created_at"),
            expiresAt: try row.optionalDate("expires_at"),
            revokedAt: try row.optionalDate("revoked_at")
        )
    }

    /// What the column `scopes` holds.
    package var storedScopes: String { self.scopes.sorted().map(\.rawValue).joined(separator: " ") }
}
