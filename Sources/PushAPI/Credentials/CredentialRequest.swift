// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import PushModel

/// What a caller says of a new credential.
struct CredentialRequest: Sendable {
    /// Where the private part is.
    enum Source: Sendable {
        case inline(CredentialMaterial)
        case file(path: String, passwordPath: String?)
    }

    static let members = [
        "kind", "keyID", "teamID", "p8", "p12", "pem", "password", "file", "format", "passwordFile", "environments",
    ]

    var kind: CredentialKind
    var environments: Set<APNsEnvironment>
    var source: Source

    /// The member that holds the private part, for the faults that an inspection finds.
    var field: FieldPath

    /// Reads the body of a request.
    init(_ body: [UInt8]) throws(Problem) {
        var draft = CredentialDraft()
        self = try JSONReader.read(body, members: Self.members) { reader, member, path throws(JSONSyntaxError) in
            try draft.read(member, &reader, path)
        } finish: { reader in
            draft.finish(&reader)
        }
    }

    init(kind: CredentialKind, environments: Set<APNsEnvironment>, source: Source, field: String) {
        self.kind = kind
        self.environments = environments
        self.source = source
        self.field = .root.member(field)
    }
}
