// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import PushModel

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A credential as it is written, without its private part.
struct CredentialBody: Encodable {
    let id: String
    let app: String
    let kind: String
    let keyID: String?
    let teamID: String?
    let format: CertificateFormat?
    let environments: [APNsEnvironment]
    let storage: String
    let file: String?
    let createdAt: Date

    init(_ credential: Credential) {
        self.id = credential.id.rawValue
        self.app = credential.app.rawValue
        switch credential.kind {
        case .key(let keyID, let teamID):
            (self.kind, self.keyID, self.teamID, self.format) = ("key", keyID, teamID, nil)
        case .certificate(let format):
            (self.kind, self.keyID, self.teamID, self.format) = ("certificate", nil, nil, format)
        }
        switch credential.secret {
        case .file(let path, _): (self.storage, self.file) = ("file", path)
        case .sealed: (self.storage, self.file) = ("sealed", nil)
        }
        self.environments = credential.environments.sorted { $0.rawValue < $1.rawValue }
        self.createdAt = credential.createdAt
    }
}

/// The credentials of an app as they are written.
struct CredentialListBody: Encodable {
    let credentials: [CredentialBody]
}
