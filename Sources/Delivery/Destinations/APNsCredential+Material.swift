// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNsClient
public import PushModel

extension APNsCredential {
    /// Reads a credential's private part.
    ///
    /// - Parameters:
    ///   - material: the content of the `.p8`, `.pem` or `.p12` file and its password.
    ///   - kind: what it is said to be.
    /// - Throws: `APNsClientError` that says what is wrong with it, never what it is.
    public init(_ material: CredentialMaterial, as kind: CredentialKind) throws(APNsClientError) {
        switch kind {
        case .key(let keyID, let teamID):
            let pem = String(decoding: material.content, as: UTF8.self)
            self = .key(try ProviderKey(keyID: keyID, teamID: teamID, pem: pem))
        case .certificate(.pem):
            self = .certificate(try ClientCertificate(pem: material.content))
        case .certificate(.pkcs12):
            let certificate = try ClientCertificate(p12: material.content, password: material.password ?? "")
            self = .certificate(certificate)
        }
    }
}
