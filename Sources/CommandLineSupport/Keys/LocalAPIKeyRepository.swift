// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

package import Foundation
package import PushModel
package import PushStore

/// The API keys in a store that this process has opened.
package struct LocalAPIKeyRepository: APIKeyRepository {
    private let store: any APIKeyStore

    /// The codes for the IDs of new keys; `nil` if the master key is not known.
    private let codes: APIKeyIDCodes?

    /// Returns the master key, which seals the secrets of access keys; called only for these.
    private let masterKey: @Sendable () async throws -> MasterKey

    package init(
        store: any APIKeyStore,
        codes: APIKeyIDCodes? = nil,
        masterKey: @escaping @Sendable () async throws -> MasterKey = {
            throw CommandError(
                "master_key_missing",
                "An access key needs the master key of the store. Name it with APUS_MASTER_KEY_FILE or APUS_MASTER_KEY."
            )
        }
    ) {
        self.store = store
        self.codes = codes
        self.masterKey = masterKey
    }

    package func create(_ draft: NewAPIKey) async throws -> KeyResponse {
        let secret = APIKeySecret.generate(codes: self.codes)
        let signingSecret = draft.isAccessKey ? SigningSecret.generate() : nil
        var sealed: [UInt8]?
        if let signingSecret { sealed = try await self.masterKey().seal(signingSecret, for: secret.id) }
        let key = APIKey(
            id: secret.id,
            name: draft.name,
            scopes: Set(draft.scopes),
            app: try draft.app.map { try AppID(validating: $0) },
            policy: draft.policy,
            allowedAddresses: draft.allowedAddresses,
            secretHash: secret.hash,
            sealedSigningSecret: sealed,
            createdAt: Date(),
            expiresAt: draft.expiresAt
        )
        try await self.store.createKey(key)
        return KeyResponse(key, secret: secret, signingSecret: signingSecret)
    }

    package func each(_ body: (KeyResponse) throws -> Void) async throws {
        var cursor: APIKeyID?
        repeat {
            let page = try await self.store.keys(after: cursor, limit: 1000)
            for key in page.elements { try body(KeyResponse(key)) }
            cursor = page.next
        } while cursor != nil
    }

    package func rotate(_ id: String, overlapSeconds: Int, expiresAt: Date?) async throws -> KeyRotationResponse {
        let now = Date()
        guard let known = APIKeyID(rawValue: id), let former = try await self.store.key(known) else {
            throw Self.unknown(id)
        }
        let secret = APIKeySecret.generate(codes: self.codes)
        let signingSecret = former.sealedSigningSecret == nil ? nil : SigningSecret.generate()
        var sealed: [UInt8]?
        if let signingSecret { sealed = try await self.masterKey().seal(signingSecret, for: secret.id) }
        let key = former.successor(
            secret.id,
            secretHash: secret.hash,
            sealedSigningSecret: sealed,
            createdBy: nil,
            expiresAt: expiresAt,
            now: now
        )
        let end = now.addingTimeInterval(TimeInterval(overlapSeconds))
        guard let replaced = try await self.store.rotateKey(former.id, to: key, endingAt: end, now: now) else {
            let message = "The key '\(id.prefix(32))' was revoked or has expired. Create another one: apus keys create"
            throw CommandError("key_not_rotatable", message)
        }
        return KeyRotationResponse(
            key: KeyResponse(key, secret: secret, signingSecret: signingSecret),
            replaced: KeyResponse(replaced)
        )
    }

    package func revoke(_ id: String) async throws {
        guard let key = APIKeyID(rawValue: id), try await self.store.revokeKey(key, now: Date()) else {
            throw Self.unknown(id)
        }
    }

    private static func unknown(_ id: String) -> CommandError {
        CommandError(
            "key_not_found",
            "The store has no key '\(id.prefix(32))'. List the keys with `apus keys list`."
        )
    }
}

extension KeyResponse {
    fileprivate init(_ key: APIKey, secret: APIKeySecret? = nil, signingSecret: SigningSecret? = nil) {
        self.init(
            id: key.id.rawValue,
            name: key.name,
            scopes: key.scopes.sorted().map(\.rawValue),
            app: key.app?.rawValue,
            policy: key.policy?.json,
            allowedAddresses: key.allowedAddresses.isEmpty ? nil : key.allowedAddresses.map(\.description),
            createdAt: key.createdAt.ISO8601Format(),
            createdBy: key.createdBy?.rawValue,
            expiresAt: key.expiresAt?.ISO8601Format(),
            replacedBy: key.replacedBy?.rawValue,
            revokedAt: key.revokedAt?.ISO8601Format(),
            lastUsedAt: key.lastUsedAt?.ISO8601Format(),
            lastUsedAddress: key.lastUsedAddress,
            key: secret?.text,
            accessKeyID: key.sealedSigningSecret == nil ? nil : key.id.accessKeyID,
            secretAccessKey: signingSecret?.text
        )
    }
}
