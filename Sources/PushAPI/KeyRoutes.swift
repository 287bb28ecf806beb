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
            APIRoute(.post, "/v1/keys/{key}:rotate", .scopes([.admin]), self.rotate),
        ]
    }

    private func create(_ call: AuthorizedRequest) async throws -> Response {
        _ = try call.query()
        let now = Date(millisecondsSince1970: self.now().millisecondsSince1970)
        let request = try KeyRequest(try await call.body(upTo: self.bodyLimit), now: now)
        let secrets = try self.secrets(isAccessKey: request.isAccessKey)
        let key = APIKey(
            id: secrets.key.id,
            name: request.name,
            scopes: request.scopes,
            app: request.app,
            policy: request.policy,
            allowedAddresses: request.allowedAddresses,
            secretHash: secrets.key.hash,
            sealedSigningSecret: secrets.sealed,
            createdAt: now,
            createdBy: call.key?.id,
            expiresAt: request.expiresAt
        )
        do {
            try await self.store.createKey(key)
        } catch let error as StoreError where error.code == .notFound {
            let known = "the bundle identifier of an app that exists"
            throw Problem(.invalidRequest, at: .root.member("app"), expected: known, got: "\(request.app ?? "none")")
        }
        self.verifier.forget(key.id)
        let body = KeyResponse(key, secret: secrets.key, signingSecret: secrets.signing)
        return try .json(body, status: .created, headers: [.location: "/v1/keys/\(key.id)"])
    }

    /// Creates the secrets of a key.
    ///
    /// - Throws: ``Problem`` `.masterKeyMissing` for an access key.
    private func secrets(
        isAccessKey: Bool
    ) throws(Problem) -> (key: APIKeySecret, signing: SigningSecret?, sealed: [UInt8]?) {
        let secret = APIKeySecret.generate(codes: self.masterKey.map { APIKeyIDCodes($0) })
        guard isAccessKey else { return (secret, nil, nil) }
        guard let masterKey else { throw Problem(.masterKeyMissing, ProblemCode.masterKeyMissing.entry.meaning) }
        let signing = SigningSecret.generate()
        return (secret, signing, masterKey.seal(signing, for: secret.id))
    }

    /// Creates the successor of a key, which ends after an overlap.
    private func rotate(_ call: AuthorizedRequest) async throws -> Response {
        _ = try call.query()
        let now = Date(millisecondsSince1970: self.now().millisecondsSince1970)
        let request = try KeyRotationRequest(try await call.body(upTo: self.bodyLimit), now: now)
        guard let id = call.parameter("key").flatMap(APIKeyID.init(rawValue:)),
            let former = try await self.store.key(id)
        else { throw Problem.unknownKey }
        if let refusal = former.refusal(now: now) { throw Problem(keyNotRotatable: refusal) }
        let secrets = try self.secrets(isAccessKey: former.sealedSigningSecret != nil)
        let key = former.successor(
            secrets.key.id,
            secretHash: secrets.key.hash,
            sealedSigningSecret: secrets.sealed,
            createdBy: call.key?.id,
            expiresAt: request.expiresAt,
            now: now
        )
        let end = now.addingTimeInterval(TimeInterval(request.overlapSeconds))
        guard let ending = try await self.store.rotateKey(id, to: key, endingAt: end, now: now) else {
            throw Problem.unknownKey
        }
        self.verifier.forget(id)
        self.verifier.forget(key.id)
        let body = KeyRotationResponse(
            key: KeyResponse(key, secret: secrets.key, signingSecret: secrets.signing),
            replaced: KeyResponse(ending)
        )
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
        else { throw Problem.unknownKey }
        self.verifier.forget(id)
        return Response(status: .noContent)
    }
}

/// A request to create an API key.
struct KeyRequest: Sendable {
    static let members = ["name", "scopes", "app", "policy", "allowedAddresses", "expiresAt", "accessKey"]
    var name: String
    var scopes: Set<Scope>
    var app: AppID?

    /// The limits of the key by actions and topics.
    var policy: KeyPolicy?

    /// The addresses that the key may be used from; empty for all.
    var allowedAddresses: [AddressRange]
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
        var addresses: [AddressRange] = []
        var expiresAt: Date?
        var isAccessKey: Bool?
        self = try JSONReader.read(body, members: Self.members) { reader, member, path throws(JSONSyntaxError) in
            switch member {
            case "name": name = try reader.string(path, bytes: 1...256)
            case "scopes": scopes = try Self.scopes(&reader, path)
            case "app": app = try reader.value(path, AppID.init(validating:))
            case "policy": policy = try Self.policy(&reader, path)
            case "allowedAddresses": addresses = try Self.addresses(&reader, path)
            case "expiresAt": expiresAt = try reader.value(path, Timestamp.parse)
            case "accessKey": isAccessKey = try reader.boolean(path)
            default: try reader.skip()
            }
        } finish: { reader in
            reader.checkExpiry(expiresAt, now: now)
            let name = reader.require(name, "name")
            let scopes = reader.require(scopes, "scopes")
            guard let name, let scopes else { return nil }
            return KeyRequest(
                name: name,
                scopes: scopes,
                app: app,
                policy: policy,
                allowedAddresses: addresses,
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

    private static func addresses(
        _ reader: inout JSONReader,
        _ path: FieldPath
    ) throws(JSONSyntaxError) -> [AddressRange] {
        var ranges: [AddressRange] = []
        let count = try reader.array(path) { reader, index throws(JSONSyntaxError) in
            let range = try reader.value(path.element(index), AddressRange.init(validating:))
            if let range, ranges.count < AddressRange.maximumPerKey { ranges.append(range) }
        }
        if let count, !(1...AddressRange.maximumPerKey).contains(count) {
            let rule = "1 to \(AddressRange.maximumPerKey) addresses or ranges; omit the member to allow all addresses"
            reader.faults.add(path, expected: rule, got: "\(count)")
        }
        return ranges
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
    let allowedAddresses: [String]?
    let createdAt: Date
    let createdBy: String?
    let expiresAt: Date?
    let replacedBy: String?
    let revokedAt: Date?
    let lastUsedAt: Date?
    let lastUsedAddress: String?
    let key: String?
    let accessKeyID: String?
    let secretAccessKey: String?

    init(_ key: APIKey, secret: APIKeySecret? = nil, signingSecret: SigningSecret? = nil) {
        self.id = key.id.rawValue
        self.name = key.name
        self.scopes = key.scopes.sorted()
        self.app = key.app?.rawValue
        self.policy = key.policy?.json
        self.allowedAddresses = key.allowedAddresses.isEmpty ? nil : key.allowedAddresses.map(\.description)
        self.createdAt = key.createdAt
        self.createdBy = key.createdBy?.rawValue
        self.expiresAt = key.expiresAt
        self.replacedBy = key.replacedBy?.rawValue
        self.revokedAt = key.revokedAt
        self.lastUsedAt = key.lastUsedAt
        self.lastUsedAddress = key.lastUsedAddress
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

/// A request to replace an API key.
struct KeyRotationRequest: Sendable {
    static let members = ["overlapSeconds", "expiresAt"]

    /// The longest overlap: 90 days.
    static let overlaps = 0...90 * 24 * 3600

    /// How long the former key still works, in seconds.
    var overlapSeconds: Int

    /// When the successor expires; `nil` for when the former key does.
    var expiresAt: Date?
}

extension KeyRotationRequest {
    /// Reads the body of a request; without one, the overlap is a day.
    init(_ body: [UInt8], now: Date) throws(Problem) {
        var overlap: Int?
        var expiresAt: Date?
        let body = body.isEmpty ? Array("{}".utf8) : body
        self = try JSONReader.read(body, members: Self.members) { reader, member, path throws(JSONSyntaxError) in
            switch member {
            case "overlapSeconds": overlap = try reader.integer(path, in: Self.overlaps)
            case "expiresAt": expiresAt = try reader.value(path, Timestamp.parse)
            default: try reader.skip()
            }
        } finish: { reader in
            reader.checkExpiry(expiresAt, now: now)
            return KeyRotationRequest(overlapSeconds: overlap ?? 24 * 3600, expiresAt: expiresAt)
        }
    }
}

/// The result of a rotation: the new key with its secrets, and the former one with its end.
struct KeyRotationResponse: Encodable {
    let key: KeyResponse
    let replaced: KeyResponse
}

extension JSONReader {
    /// Rejects an end that has passed.
    fileprivate mutating func checkExpiry(_ expiresAt: Date?, now: Date) {
        guard let expiresAt, expiresAt <= now else { return }
        let path = FieldPath.root.member("expiresAt")
        self.faults.add(path, expected: "a time to come", got: Timestamp.text(expiresAt))
    }
}

extension Problem {
    fileprivate static let unknownKey = Problem(.keyNotFound, "There is no API key of the id in the path.")

    fileprivate init(keyNotRotatable refusal: APIKey.Refusal) {
        let state =
            switch refusal {
            case .revoked(let time): "was revoked at \(Timestamp.text(time))"
            case .expired(let time): "expired at \(Timestamp.text(time))"
            default: "is not valid"
            }
        self.init(.keyNotRotatable, "The key \(state).")
    }
}
