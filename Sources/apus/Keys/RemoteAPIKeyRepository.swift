// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import CommandLineSupport
import Foundation
import PushModel

/// The API keys of a server, through its API.
struct RemoteAPIKeyRepository: APIKeyRepository {
    let client: APIClient

    private struct Body: Encodable {
        let name: String
        let scopes: [Scope]
        let app: String?
        let policy: JSONValue?
        let allowedAddresses: [String]?
        let expiresAt: Date?
        let accessKey: Bool?
    }

    func create(_ draft: NewAPIKey) async throws -> KeyResponse {
        let body = Body(
            name: draft.name,
            scopes: draft.scopes,
            app: draft.app,
            policy: draft.policy?.json,
            allowedAddresses: draft.allowedAddresses.isEmpty ? nil : draft.allowedAddresses.map(\.description),
            expiresAt: draft.expiresAt,
            accessKey: draft.isAccessKey ? true : nil
        )
        return try await self.client.call(.post, "/v1/keys", sending: body).decoded()
    }

    func each(_ body: (KeyResponse) throws -> Void) async throws {
        try await self.client.each(of: "/v1/keys", as: KeyResponse.self, body)
    }

    private struct Rotation: Encodable {
        let overlapSeconds: Int
        let expiresAt: Date?
    }

    func rotate(_ id: String, overlapSeconds: Int, expiresAt: Date?) async throws -> KeyRotationResponse {
        let body = Rotation(overlapSeconds: overlapSeconds, expiresAt: expiresAt)
        return try await self.client.call(.post, "/v1/keys/\(id.asPathSegment):rotate", sending: body).decoded()
    }

    func revoke(_ id: String) async throws {
        _ = try await self.client.call(.delete, "/v1/keys/\(id.asPathSegment)")
    }
}
