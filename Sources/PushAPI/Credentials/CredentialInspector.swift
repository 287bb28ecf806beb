// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import Foundation
public import PushModel

/// Tells whether a credential is what it is said to be, before it is stored.
///
/// The API itself knows neither keys nor certificates; whoever builds it hands it an inspector.
public protocol CredentialInspector: Sendable {
    /// Reads a private key or a certificate as it will be read for sending.
    ///
    /// - Throws: ``CredentialRefusal`` when it cannot be used.
    func inspect(_ material: CredentialMaterial, as kind: CredentialKind) throws(CredentialRefusal)

    /// What stands in a certificate; `nil` for a key, and where nobody can say.
    func facts(of material: CredentialMaterial, as kind: CredentialKind) -> CertificateFacts?
}

extension CredentialInspector {
    public func facts(of material: CredentialMaterial, as kind: CredentialKind) -> CertificateFacts? { nil }
}

/// What Apple has written into a push certificate.
public struct CertificateFacts: Hashable, Sendable {
    /// The bundle identifier: the `UID` of the subject; `nil` for a certificate that has none.
    public let bundleID: String?

    /// Until when it is good.
    public let expiresAt: Date

    public init(bundleID: String?, expiresAt: Date) {
        self.bundleID = bundleID
        self.expiresAt = expiresAt
    }
}

/// Why a credential cannot be used.
public struct CredentialRefusal: Error, Hashable, Sendable, CustomStringConvertible {
    public enum Code: String, Hashable, Sendable, CaseIterable {
        /// It is not what it is said to be, or damaged.
        case unreadable

        /// The password does not open it, or it needs one.
        case wrongPassword
    }

    public let code: Code

    /// What was found, as a phrase that follows "got", such as `a certificate without a private key`.
    ///
    /// Holds no secret.
    public let found: String

    public init(code: Code, found: String) {
        self.code = code
        self.found = found
    }

    public var description: String { "\(self.code.rawValue): \(self.found)" }
}
