// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import PushModel

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What a caller says of a new API key.
struct KeyRequest: Sendable {
    static let members = ["name", "scopes", "app", "expiresAt", "accessKey"]

    var name: String
    var scopes: Set<Scope>
    var app: AppID?
    var expiresAt: Date?

    /// Whether it also signs requests to the SNS endpoint.
    var isAccessKey: Bool

    /// Reads the body of a request; an end that has passed is refused.
    init(_ body: [UInt8], now: Date) throws(Problem) {
        var name: String?
        var scopes: Set<Scope>?
        var app: AppID?
        var expiresAt: Date?
        var isAccessKey: Bool?
        self = try JSONReader.read(body, members: Self.members) { reader, member, path throws(JSONSyntaxError) in
            switch member {
            case "name": name = try reader.string(path, bytes: 1...256)
            case "scopes": scopes = try Self.scopes(&reader, path)
            case "app": app = try reader.value(path, AppID.init(validating:))
            case "expiresAt": expiresAt = try reader.value(path, Timestamp.parse)
            case "accessKey": isAccessKey = try reader.boolean(path)
            default: try reader.skip()
            }
        } finish: { reader in
            if let expiresAt, expiresAt <= now {
                let path = FieldPath.root.member("expiresAt")
                reader.faults.add(path, expected: "a time to come", got: expiresAt.formatted(Timestamp.style))
            }
            let name = reader.require(name, "name")
            let scopes = reader.require(scopes, "scopes")
            guard let name, let scopes else { return nil }
            return KeyRequest(
                name: name,
                scopes: scopes,
                app: app,
                expiresAt: expiresAt,
                isAccessKey: isAccessKey ?? false
            )
        }
    }

    private init(name: String, scopes: Set<Scope>, app: AppID?, expiresAt: Date?, isAccessKey: Bool) {
        self.name = name
        self.scopes = scopes
        self.app = app
        self.expiresAt = expiresAt
        self.isAccessKey = isAccessKey
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
