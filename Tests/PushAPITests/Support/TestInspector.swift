// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import PushAPI
import PushModel

/// Judges keys by their PEM frame, and containers by a word at their beginning and the password behind it.
struct TestInspector: CredentialValidator {
    static let key = "-----BEGIN PRIVATE KEY-----\nMIGTAgEAMBMGByqGSM49AgEG\n-----END PRIVATE KEY-----\n"

    /// A "certificate" that opens with this password.
    static func container(password: String) -> String { Data("PKCS12:\(password)".utf8).base64EncodedString() }

    func inspect(_ material: CredentialMaterial, as kind: CredentialKind) throws(CredentialValidationError) {
        let text = String(decoding: material.content, as: UTF8.self)
        switch kind {
        case .key:
            guard text.hasPrefix("-----BEGIN PRIVATE KEY-----") else {
                throw CredentialValidationError(code: .unreadable, found: "something that is not PEM")
            }
        case .certificate(.pem):
            guard text.contains("BEGIN CERTIFICATE"), text.contains("PRIVATE KEY") else {
                throw CredentialValidationError(code: .unreadable, found: "no certificate with its key")
            }
        case .certificate(.pkcs12):
            // A file of the tests may begin as DER does.
            guard text.drop(while: { $0 == "0" }).hasPrefix("PKCS12:") else {
                throw CredentialValidationError(code: .unreadable, found: "something that is not PKCS #12")
            }
            guard text.hasPrefix("0") || text.dropFirst(7) == material.password ?? "" else {
                throw CredentialValidationError(code: .wrongPassword, found: "one that does not open it")
            }
        }
    }

    /// A "certificate" names its app behind `UID:`, and says `EXPIRED` if it is.
    func facts(of material: CredentialMaterial, as kind: CredentialKind) -> CertificateInfo? {
        guard case .certificate = kind else { return nil }
        let words = String(decoding: material.content, as: UTF8.self).split(whereSeparator: \.isWhitespace)
        let name = words.first { $0.contains("UID:") }
        let bundleID = name?.components(separatedBy: "UID:").last
        let end = words.contains("EXPIRED") ? TestTime.start : Date(timeIntervalSince1970: 1_893_456_000)
        return CertificateInfo(bundleID: bundleID, expiresAt: end)
    }
}
