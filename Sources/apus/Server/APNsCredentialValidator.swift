// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNsClient
import Delivery
import PushAPI
import PushModel
import SwiftASN1
import X509

/// Reads a credential exactly as it will be read for sending, before it is stored.
struct APNsCredentialValidator: CredentialValidator {
    func inspect(_ material: CredentialMaterial, as kind: CredentialKind) throws(CredentialValidationError) {
        do {
            _ = try APNsCredential(material, as: kind)
        } catch {
            throw CredentialValidationError(
                code: error.code == .wrongPassword ? .wrongPassword : .unreadable,
                found: error.message
            )
        }
    }

    func facts(of material: CredentialMaterial, as kind: CredentialKind) -> CertificateInfo? {
        guard case .certificate(let certificate)? = try? APNsCredential(material, as: kind) else { return nil }
        return Self.facts(of: certificate)
    }

    /// Apple's data in a push certificate; `nil` if it cannot be parsed.
    static func facts(of certificate: ClientCertificate) -> CertificateInfo? {
        guard let encoded = try? certificate.encoded(), let leaf = try? Certificate(derEncoded: encoded)
        else { return nil }
        let names = leaf.subject.flatMap { $0 }
        let bundleID = names.first { $0.type == Self.userID }.map { String(describing: $0.value) }
        return CertificateInfo(bundleID: bundleID, expiresAt: leaf.notValidAfter)
    }

    /// The attribute type `UID` (RFC 4519, section 2.39), in which Apple writes the bundle identifier.
    private static let userID: ASN1ObjectIdentifier = [0, 9, 2342, 19_200_300, 100, 1, 1]
}
