// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

package import Foundation
package import PushModel

/// Validates a credential before it is stored.
///
/// The API itself does not parse keys or certificates; its creator passes an inspector.
package protocol CredentialValidator: Sendable {
    /// Reads a private key or a certificate as it will be read for sending.
    ///
    /// - Throws: ``CredentialValidationError`` when it cannot be used.
    func inspect(_ material: CredentialMaterial, as kind: CredentialKind) throws(CredentialValidationError)

    /// Returns the data of a certificate; `nil` for a key, and if it is unavailable.
    func facts(of material: CredentialMaterial, as kind: CredentialKind) -> CertificateInfo?
}

extension CredentialValidator {
    package func facts(of material: CredentialMaterial, as kind: CredentialKind) -> CertificateInfo? { nil }
}

/// Apple's data in a push certificate.
package struct CertificateInfo: Hashable, Sendable {
    /// The bundle identifier: the `UID` of the subject; `nil` for a certificate that has none.
    package let bundleID: String?

    /// Until when it is good.
    package let expiresAt: Date

    package init(bundleID: String?, expiresAt: Date) {
        self.bundleID = bundleID
        self.expiresAt = expiresAt
    }
}

/// Why a credential cannot be used.
package struct CredentialValidationError: Error, Hashable, Sendable, CustomStringConvertible {
    package enum Code: String, Hashable, Sendable, CaseIterable {
        /// It is of another type, or corrupt.
        case unreadable

        /// The password does not open it, or it needs one.
        case wrongPassword
    }

    package let code: Code

    /// The value that was found, as a phrase that follows "got", such as `a certificate without a private key`.
    ///
    /// Contains no secret.
    package let found: String

    package init(code: Code, found: String) {
        self.code = code
        self.found = found
    }

    package var description: String { "\(self.code.rawValue): \(self.found)" }
}
