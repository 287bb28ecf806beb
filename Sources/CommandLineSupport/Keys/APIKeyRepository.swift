// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

package import APNs
package import Foundation
package import PushModel

/// The settings of a new API key.
package struct NewAPIKey: Sendable {
    package let name: String
    package let scopes: [Scope]
    package let app: String?
    package let policy: KeyPolicy?
    package let expiresAt: Date?

    /// Whether it also signs requests to the SNS endpoint.
    package let isAccessKey: Bool

    package init(
        name: String,
        scopes: [Scope],
        app: String? = nil,
        policy: KeyPolicy? = nil,
        expiresAt: Date? = nil,
        isAccessKey: Bool = false
    ) {
        self.name = name
        self.scopes = scopes
        self.app = app
        self.policy = policy
        self.expiresAt = expiresAt
        self.isAccessKey = isAccessKey
    }
}

/// The API keys of a server, wherever they are reached.
package protocol APIKeyRepository: Sendable {
    /// Creates a key; the response contains its secret.
    func create(_ draft: NewAPIKey) async throws -> KeyResponse

    func each(_ body: (KeyResponse) throws -> Void) async throws

    func revoke(_ id: String) async throws
}

/// An API key; the response that creates it contains its secret.
package struct KeyResponse: Codable {
    package let id: String
    package let name: String
    package let scopes: [String]
    package let app: String?
    package let policy: JSONValue?
    package let createdAt: String
    package let expiresAt: String?
    package let revokedAt: String?
    package let lastUsedAt: String?
    package let key: String?

    /// The access key ID in requests to the SNS endpoint, if the key can sign them.
    package let accessKeyID: String?

    /// The secret that signs these requests.
    package let secretAccessKey: String?
}
