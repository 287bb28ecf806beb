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

    /// The addresses that it may be used from; empty for all.
    package let allowedAddresses: [AddressRange]

    package let expiresAt: Date?

    /// Whether it also signs requests to the SNS endpoint.
    package let isAccessKey: Bool

    package init(
        name: String,
        scopes: [Scope],
        app: String? = nil,
        policy: KeyPolicy? = nil,
        allowedAddresses: [AddressRange] = [],
        expiresAt: Date? = nil,
        isAccessKey: Bool = false
    ) {
        self.name = name
        self.scopes = scopes
        self.app = app
        self.policy = policy
        self.allowedAddresses = allowedAddresses
        self.expiresAt = expiresAt
        self.isAccessKey = isAccessKey
    }
}

/// The API keys of a server, wherever they are reached.
package protocol APIKeyRepository: Sendable {
    /// Creates a key; the response contains its secret.
    func create(_ draft: NewAPIKey) async throws -> KeyResponse

    func each(_ body: (KeyResponse) throws -> Void) async throws

    /// Creates the successor of a key, which ends after an overlap in seconds.
    ///
    /// The successor expires when the key does, unless `expiresAt` says otherwise.
    func rotate(_ id: String, overlapSeconds: Int, expiresAt: Date?) async throws -> KeyRotationResponse

    func revoke(_ id: String) async throws
}

/// The result of a rotation: the new key with its secrets, and the former one with its end.
package struct KeyRotationResponse: Codable, Sendable {
    package let key: KeyResponse
    package let replaced: KeyResponse
}

/// An API key; the response that creates it contains its secret.
package struct KeyResponse: Codable, Sendable {
    package let id: String
    package let name: String
    package let scopes: [String]
    package let app: String?
    package let policy: JSONValue?
    package let allowedAddresses: [String]?
    package let createdAt: String

    /// The key whose holder created it; `nil` if a command created it in the store.
    package let createdBy: String?
    package let expiresAt: String?

    /// Its successor, if it was rotated.
    package let replacedBy: String?
    package let revokedAt: String?
    package let lastUsedAt: String?
    package let lastUsedAddress: String?
    package let key: String?

    /// The access key ID in requests to the SNS endpoint, if the key can sign them.
    package let accessKeyID: String?

    /// The secret that signs these requests.
    package let secretAccessKey: String?
}
