// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

package import APNsClient
import Foundation
package import PushModel

/// Reads a credential's private part from where it is kept.
struct CredentialReader: Sendable {
    /// Opens sealed credentials.
    let masterKey: MasterKey?

    /// Reads a credential.
    ///
    /// - Throws: ``DestinationFailure`` `badCredential` that names the credential and says how to fix it.
    func read(_ credential: Credential) throws(DestinationFailure) -> APNsCredential {
        let material = try self.material(of: credential)
        do {
            return try APNsCredential(material, as: credential.kind)
        } catch {
            throw Self.failure(credential, "\(error.message). Add the credential again.", cause: error)
        }
    }

    private func material(of credential: Credential) throws(DestinationFailure) -> CredentialMaterial {
        switch credential.secret {
        case .file(let path, let passwordPath):
            let content = try Self.content(of: path, for: credential)
            guard let passwordPath else { return CredentialMaterial(content: content) }
            let password = String(decoding: try Self.content(of: passwordPath, for: credential), as: UTF8.self)
            return CredentialMaterial(content: content, password: password.trimmingLineEnd)
        case .sealed(let bytes):
            guard let masterKey = self.masterKey else {
                throw Self.failure(credential, "it is sealed and there is no master key. Start with the master key.")
            }
            do {
                return try masterKey.open(bytes, for: credential.id)
            } catch {
                throw Self.failure(credential, error.message, cause: error)
            }
        }
    }

    private static func content(of path: String, for credential: Credential) throws(DestinationFailure) -> [UInt8] {
        do {
            return Array(try Data(contentsOf: URL(filePath: path)))
        } catch {
            throw Self.failure(credential, "the file \(path) cannot be read. Put it back or add another.", cause: error)
        }
    }

    private static func failure(
        _ credential: Credential,
        _ message: String,
        cause: (any Error)? = nil
    ) -> DestinationFailure {
        DestinationFailure(
            code: .badCredential,
            message: "Credential '\(credential.id)' of app '\(credential.app)' cannot be used: \(message)",
            cause: cause
        )
    }
}

extension String {
    /// The text without the line break that editors put at the end of a file.
    fileprivate var trimmingLineEnd: String {
        guard let last = self.last, last.isNewline else { return self }
        return String(self.dropLast())
    }
}

extension APNsCredential {
    /// Reads a credential's private part.
    ///
    /// The material is the content of a `.p8`, `.pem` or `.p12` file, and its password.
    /// - Throws: `APNsClientError` that says what is wrong with it, never what it is.
    package init(_ material: CredentialMaterial, as kind: CredentialKind) throws(APNsClientError) {
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
