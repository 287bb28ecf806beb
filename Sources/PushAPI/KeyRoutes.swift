// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import HTTPTypes
import Hummingbird
import PushModel
import PushStore

/// The operations on API keys: `/v1/keys`.
struct KeyRoutes: APIRoutes {
    let store: any APIKeyStore
    let verifier: APIKeyAuthenticator
    let masterKey: MasterKey?
    let bodyLimit: Int
    let now: @Sendable () -> Date

    var routes: [APIRoute] {
        [
            APIRoute(.post, "/v1/keys", .scopes([.admin]), self.create),
            APIRoute(.get, "/v1/keys", .scopes([.admin]), self.list),
            APIRoute(.delete, "/v1/keys/{key}", .scopes([.admin]), self.revoke),
        ]
    }

    private func create(_ call: AuthorizedRequest) async throws -> Response {
        _ = try call.query()
        let now = Date(millisecondsSince1970: self.now().millisecondsSince1970)
        let request = try KeyRequest(try await call.body(upTo: self.bodyLimit), now: now)
        let secret = APIKeySecret.generate(codes: self.masterKey.map { APIKeyIDCodes($0) })
        let signingSecret = request.isAccessKey ? SigningSecret.generate() : nil
        let sealed = try signingSecret.map { signingSecret in
            guard let masterKey else { throw Problem(.masterKeyMissing, ProblemCode.masterKeyMissing.entry.meaning) }
            return masterKey.seal(signingSecret, for: secret.id)
        }
        let key = APIKey(
            id: secret.id,
            name: request.name,
            scopes: request.scopes,
            app: request.app,
            policy: request.policy,
            secretHash: secret.hash,
            sealedSigningSecret: sealed,
            createdAt: now,
            expiresAt: request.expiresAt
        )
        do {
            try await self.store.createKey(key)
        } catch let error as StoreError where error.code == .notFound {
            let known = "the bundle identifier of an app that exists"
            throw Problem(.invalidRequest, at: .root.member("app"), expected: known, got: "\(request.app ?? "none")")
        }
        self.verifier.forget(key.id)
        let body = KeyResponse(key, secret: secret, signingSecret: signingSecret)
        return try .json(body, status: .created, headers: [.location: "/v1/keys/\(key.id)"])
    }

    private func list(_ call: AuthorizedRequest) async throws -> Response {
        let page = try PageRequest(try call.query("cursor", "limit"))
        let cursor = try page.cursor { APIKeyID(rawValue: $0) }
        let keys = try await self.store.keys(after: cursor, limit: page.limit)
        return try .json(KeyListResponse(keys: keys.elements.map { KeyResponse($0) }, nextCursor: keys.next?.rawValue))
    }

    private func revoke(_ call: AuthorizedRequest) async throws -> Response {
        _ = try call.query()
        guard let id = call.parameter("key").flatMap(APIKeyID.init(rawValue:)),
            try await self.store.revokeKey(id, now: self.now())
        else { throw Problem(.keyNotFound, "There is no API key of the id in the path.") }
        self.verifier.forget(id)
        return Response(status: .noContent)
    }
}

/// A request to create an API key.
struct KeyRequest: Sendable {
    static let members = ["name", "scopes", "app", "policy", "expiresAt", "accessKey"]
    var name: String
    var scopes: Set<Scope>
    var app: AppID?

    /// The limits of the key by actions and topics.
    var policy: KeyPolicy?
    var expiresAt: Date?

    /// Whether it also signs requests to the SNS endpoint.
    var isAccessKey: Bool
}

extension KeyRequest {
    /// Reads the body of a request; an end that has passed is refused.
    init(_ body: [UInt8], now: Date) throws(Problem) {
        var name: String?
        var scopes: Set<Scope>?
        var app: AppID?
        var policy: KeyPolicy?
        var expiresAt: Date?
        var isAccessKey: Bool?
        self = try JSONReader.read(body, members: Self.members) { reader, member, path throws(JSONSyntaxError) in
            switch member {
            case "name": name = try reader.string(path, bytes: 1...256)
            case "scopes": scopes = try Self.scopes(&reader, path)
            case "app": app = try reader.value(path, AppID.init(validating:))
            case "policy": policy = try Self.policy(&reader, path)
            case "expiresAt": expiresAt = try reader.value(path, Timestamp.parse)
            case "accessKey": isAccessKey = try reader.boolean(path)
            default: try reader.skip()
            }
        } finish: { reader in
            if let expiresAt, expiresAt <= now {
                let path = FieldPath.root.member("expiresAt")
                reader.faults.add(path, expected: "a time to come", got: Timestamp.text(expiresAt))
            }
            let name = reader.require(name, "name")
            let scopes = reader.require(scopes, "scopes")
            guard let name, let scopes else { return nil }
            return KeyRequest(
                name: name,
                scopes: scopes,
                app: app,
                policy: policy,
                expiresAt: expiresAt,
                isAccessKey: isAccessKey ?? false
            )
        }
    }

    private static func policy(_ reader: inout JSONReader, _ path: FieldPath) throws(JSONSyntaxError) -> KeyPolicy? {
        guard let bytes = try reader.rawObject(path), let json = try? JSONValue(json: bytes) else { return nil }
        do {
            return try KeyPolicy(json: json)
        } catch {
            let place = error.field == "policy" ? path : path.member(error.field)
            reader.faults.add(place, expected: error.rule, got: error.value)
            return nil
        }
    }

    private static func scopes(
        _ reader: inout JSONReader,
        _ path: FieldPath
    ) throws(JSONSyntaxError) -> Set<Scope>? {
        var scopes: Set<Scope> = []
        let count = try reader.array(path) { reader, index throws(JSONSyntaxError) in
            if let scope = try reader.oneOf(Scope.self, path.element(index)) { scopes.insert(scope) }
        }
        if count == 0 { reader.faults.add(path, expected: "at least one scope", got: "an empty array") }
        return scopes.isEmpty ? nil : scopes
    }
}

/// An API key as returned by the API; only the response to its creation has the secrets.
struct KeyResponse: Encodable {
    let id: String
    let name: String
    let scopes: [Scope]
    let app: String?
    let policy: JSONValue?
    let createdAt: Date
    let expiresAt: Date?
    let revokedAt: Date?
    let lastUsedAt: Date?
    let key: String?
    let accessKeyID: String?
    let secretAccessKey: String?

    init(_ key: APIKey, secret: APIKeySecret? = nil, signingSecret: SigningSecret? = nil) {
        self.id = key.id.rawValue
        self.name = key.name
        self.scopes = key.scopes.sorted()
        self.app = key.app?.rawValue
        self.policy = key.policy?.json
        self.createdAt = key.createdAt
        self.expiresAt = key.expiresAt
        self.revokedAt = key.revokedAt
        self.lastUsedAt = key.lastUsedAt
        self.key = secret?.text
        self.accessKeyID = key.sealedSigningSecret == nil ? nil : key.id.accessKeyID
        self.secretAccessKey = signingSecret?.text
    }
}

/// A page of API keys, as returned by the API.
struct KeyListResponse: Encodable {
    let keys: [KeyResponse]
    let nextCursor: String?
}
