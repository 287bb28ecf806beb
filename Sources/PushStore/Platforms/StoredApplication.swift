// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
package import PushModel

/// How platform applications are written down, alike in all stores.
extension PlatformApplication {
    /// Reads the columns of the table `platform_applications`, and the app's id as `app_id`.
    package init(stored row: some StoredRow) throws {
        self.init(
            name: Name(platform: try row.string("platform"), text: try row.string("name")),
            app: try row.identifier("app_id"),
            environment: APNsEnvironment(stored: try row.number("environment")),
            credential: try row.identifier("credential"),
            attributes: try StoredJSON.decodeTexts(row.string("attributes"), "platform application"),
            createdAt: try row.date("created_at")
        )
    }

    /// What the column `attributes` holds.
    package var storedAttributes: String {
        get throws { try StoredJSON.encode(self.attributes) }
    }

    /// What is stored in the place of one of the same name.
    ///
    /// - Throws: ``StoreError`` `.conflict` when that one is another app's, or for another environment.
    package func replacing(_ known: PlatformApplication) throws -> PlatformApplication {
        guard known.app == self.app, known.environment == self.environment else {
            throw StoreError(
                code: .conflict,
                message: "There is a platform application '\(self.name)' for the app '\(known.app)', not '\(self.app)'."
            )
        }
        var application = known
        application.credential = self.credential
        application.set(self.attributes)
        return application
    }
}
