// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import ApusTesting
import Foundation
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import PushAPI
import PushModel
import PushStore
import SQLiteStore
import Testing

/// The API over a store in a directory of its own, with an app and a key that may do everything.
struct TestAPI: Sendable {
    static let app: AppID = "com.example.app"

    let client: any TestClient
    let store: any PushStore
    let admin: APIKeySecret
    let logs: LogRecorder

    /// Sends a request and holds the answer against the OpenAPI document.
    ///
    /// - Parameter key: the bearer token; the admin's unless given, none at all when it is empty.
    @discardableResult
    func call(
        _ method: HTTPRequest.Method,
        _ path: String,
        _ body: String? = nil,
        key: String? = nil,
        headers: HTTPFields = [:],
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> Answer {
        try await self.call(
            method,
            path,
            bytes: body.map { ByteBuffer(string: $0) },
            key: key,
            headers: headers,
            sourceLocation: sourceLocation
        )
    }

    /// Sends a request whose body need not be text.
    @discardableResult
    func call(
        _ method: HTTPRequest.Method,
        _ path: String,
        bytes: ByteBuffer?,
        key: String? = nil,
        headers: HTTPFields = [:],
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> Answer {
        var headers = headers
        let key = key ?? self.admin.text
        if !key.isEmpty { headers[.authorization] = "Bearer \(key)" }
        if bytes != nil, headers[.contentType] == nil { headers[.contentType] = "application/json" }
        let answer = try await self.client.answer(to: method, path, headers: headers, body: bytes)
        let faults = OpenAPISpecification.shared.faults(of: answer, to: method.rawValue, path: path)
        #expect(faults.isEmpty, "\(method) \(path) answered against its document", sourceLocation: sourceLocation)
        return answer
    }

    /// Adds a key to the store.
    func key(
        scopes: Set<Scope>,
        app: AppID? = nil,
        expiresAt: Date? = nil,
        revokedAt: Date? = nil
    ) async throws -> APIKeySecret {
        try await Self.addKey(to: self.store, scopes: scopes, app: app, expiresAt: expiresAt, revokedAt: revokedAt)
    }

    static func addKey(
        to store: any PushStore,
        scopes: Set<Scope>,
        app: AppID? = nil,
        expiresAt: Date? = nil,
        revokedAt: Date? = nil
    ) async throws -> APIKeySecret {
        let secret = APIKeySecret.generate()
        let key = APIKey(
            id: secret.id,
            name: "test",
            scopes: scopes,
            app: app,
            secretHash: secret.hash,
            createdAt: TestTime.start,
            expiresAt: expiresAt,
            revokedAt: revokedAt
        )
        try await store.createKey(key)
        return secret
    }

    /// Registers a device of the app under a token of the given byte, repeated.
    func register(_ installation: String, token byte: UInt8, more: String = "") async throws {
        let body = #"{"token":"\#(TestToken.hex(byte))","environment":"sandbox"\#(more)}"#
        let answer = try await self.call(.put, "/v1/apps/\(Self.app)/devices/\(installation)", body)
        #expect(answer.status == 201)
    }
}

/// Device tokens for tests.
enum TestToken {
    static func hex(_ byte: UInt8) -> String { token(byte).hex }

    static func token(_ byte: UInt8) -> DeviceToken {
        guard let token = try? DeviceToken(bytes: Array(repeating: byte, count: 32)) else {
            preconditionFailure("32 bytes are a token")
        }
        return token
    }
}
