// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import PushModel

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// An API key as it is written; its secrets only in the answer to the request that made it.
struct KeyBody: Encodable {
    let id: String
    let name: String
    let scopes: [Scope]
    let app: String?
    let createdAt: Date
    let expiresAt: Date?
    let revokedAt: Date?
    let key: String?
    let accessKeyID: String?
    let secretAccessKey: String?

    init(_ key: APIKey, secret: APIKeySecret? = nil, signingSecret: SigningSecret? = nil) {
        self.id = key.id.rawValue
        self.name = key.name
        self.scopes = key.scopes.sorted()
        self.app = key.app?.rawValue
        self.createdAt = key.createdAt
        self.expiresAt = key.expiresAt
        self.revokedAt = key.revokedAt
        self.key = secret?.text
        self.accessKeyID = key.sealedSigningSecret == nil ? nil : key.id.accessKeyID
        self.secretAccessKey = signingSecret?.text
    }
}

/// A page of API keys as it is written.
struct KeyListBody: Encodable {
    let keys: [KeyBody]
    let next: String?
}
