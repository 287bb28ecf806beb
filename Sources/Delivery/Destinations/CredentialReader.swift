// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

package import APNsClient
package import PushModel
package import PushStore

/// Reads the private part of a credential from the store or from a file.
package struct CredentialReader: Sendable {
    let masterKey: MasterKey?

    /// The only directory from which files are read.
    let directory: CredentialDirectory

    package init(masterKey: MasterKey?, directory: CredentialDirectory) {
        self.masterKey = masterKey
        self.directory = directory
    }

    /// - Throws: ``DestinationError`` `invalidCredential` that names the credential and says how to fix it.
    package func read(_ credential: Credential) throws(DestinationError) -> APNsCredential {
        let material = try self.material(of: credential)
        do {
            return try APNsCredential(material, as: credential.kind)
        } catch {
            throw Self.failure(credential, "\(error.message). Add the credential again.")
        }
    }

    private func material(of credential: Credential) throws(DestinationError) -> CredentialMaterial {
        switch credential.secret {
        case .file(let path, let passwordPath):
            do {
                return try self.directory.read(path, passwordPath: passwordPath)
            } catch {
                let fix =
                    switch error.code {
                    case .outside: "Move the file there and add the credential again, or set that key."
                    case .unreadable: "Put the file back, or add another credential."
                    }
                throw Self.failure(credential, "\(error). \(fix)")
            }
        case .sealed(let bytes):
            guard let masterKey = self.masterKey else {
                throw Self.failure(credential, "it is sealed and there is no master key. Start with the master key.")
            }
            do {
                return try masterKey.open(bytes, for: credential.id)
            } catch {
                throw Self.failure(credential, error.message)
            }
        }
    }

    private static func failure(_ credential: Credential, _ message: String) -> DestinationError {
        DestinationError(
            code: .invalidCredential,
            message: "Credential '\(credential.id)' of app '\(credential.app)' cannot be used: \(message)"
        )
    }
}

extension APNsCredential {
    /// The material is the content of a `.p8`, `.pem` or `.p12` file, and its password.
    /// - Throws: `APNsClientError` that describes the error without the content.
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
