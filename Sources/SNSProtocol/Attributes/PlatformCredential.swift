// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation

/// The credential of an application, recognized by its form.
package enum PlatformCredential: Hashable, Sendable {
    /// A signing key: the `.p8` file, its key id, the team and the app.
    case token(keyPEM: String, keyID: String, teamID: String, bundleID: String)
    /// A push certificate with its private key, both in PEM.
    case certificate(certificatePEM: String, keyPEM: String)
    /// A push certificate in a PKCS#12 file; the principal, if there is one, is its passphrase.
    case pkcs12(bytes: [UInt8], passphrase: String)

    /// The longest text of a credential or principal, in bytes.
    static let maximumSize = 65536

    /// The error of a call without a required credential.
    static let absent = SNSError.invalidParameter(
        "Attributes",
        reason: "PlatformCredential must be given: the content of a .p8 file, a PEM private key, or a PKCS#12 file in"
            + " Base64"
    )

    /// The error for unusable key material; `reason` describes it without the material.
    package static func invalid(_ reason: String) -> SNSError {
        .invalidParameter("Attributes", reason: "Platform credentials are invalid: \(reason)")
    }

    /// Recognizes a credential; `nil` if there is neither credential nor principal.
    ///
    /// - Throws: ``SNSError`` `InvalidParameter` without key material.
    init?(credential: String?, principal: String?, teamID: String?, bundleID: String?) throws(SNSError) {
        let passphrase = principal ?? ""
        let credential = Self.cleaned(credential ?? "")
        let principal = Self.cleaned(passphrase)
        guard !credential.isEmpty else {
            guard principal.isEmpty else { throw Self.unpaired("PlatformPrincipal", "PlatformCredential") }
            return nil
        }
        guard max(credential.utf8.count, principal.utf8.count) <= Self.maximumSize else {
            throw Self.invalid("expected at most \(Self.maximumSize) bytes, got \(credential.utf8.count)")
        }
        if credential.contains("-----BEGIN") {
            self = try Self.pem(credential, principal: principal, teamID: teamID, bundleID: bundleID)
        } else if teamID != nil, bundleID != nil, Self.isKeyID(principal) {
            let pem = "-----BEGIN PRIVATE KEY-----\n\(credential)\n-----END PRIVATE KEY-----\n"
            self = try Self.pem(pem, principal: principal, teamID: teamID, bundleID: bundleID)
        } else {
            let bytes = Data(base64Encoded: credential, options: .ignoreUnknownCharacters).map(Array.init) ?? []
            // Every PKCS#12 file is one DER sequence.
            guard bytes.count > 64, bytes.first == 0x30 else {
                throw Self.invalid(
                    "expected a PEM private key, the content of a .p8 file, or a PKCS#12 file in Base64,"
                        + " got \(credential.utf8.count) bytes of something else"
                )
            }
            self = .pkcs12(bytes: bytes, passphrase: passphrase)
        }
    }

    private static func pem(
        _ credential: String,
        principal: String,
        teamID: String?,
        bundleID: String?
    ) throws(SNSError) -> PlatformCredential {
        guard credential.contains("PRIVATE KEY-----") else {
            throw self.invalid("expected a private key in PlatformCredential, got PEM of another kind")
        }
        if self.isKeyID(principal) {
            guard let teamID, !teamID.isEmpty, let bundleID, !bundleID.isEmpty else {
                throw .invalidParameter(
                    "Attributes",
                    reason: "a signing key needs ApplePlatformTeamID and ApplePlatformBundleID"
                )
            }
            return .token(keyPEM: credential, keyID: principal, teamID: teamID, bundleID: bundleID)
        }
        let certificate = principal.isEmpty ? credential : principal
        guard certificate.contains("-----BEGIN CERTIFICATE-----") else {
            guard !principal.isEmpty else { throw self.unpaired("PlatformCredential", "PlatformPrincipal") }
            throw .invalidParameter(
                "PlatformPrincipal not valid. It must be a certificate in PEM or a key id of 10 letters and digits,"
                    + " got \(principal.utf8.count) bytes of something else"
            )
        }
        return .certificate(certificatePEM: certificate, keyPEM: credential)
    }

    /// The text without the quotes and with the line ends that some command lines put around and into PEM.
    private static func cleaned(_ text: String) -> String {
        var text = text.replacing("\\r", with: "").replacing("\\n", with: "\n")
        text = text.replacing("\r\n", with: "\n")
        let edges: Set<Character> = ["\"", "'", " ", "\n", "\t", "\r"]
        let end = text.lastIndex { !edges.contains($0) }.map(text.index(after:)) ?? text.startIndex
        return String(text[..<end].drop { edges.contains($0) })
    }

    private static func isKeyID(_ text: String) -> Bool {
        text.utf8.count == 10
            && text.utf8.allSatisfy {
                ResourceName.isWordByte($0) && $0 != UInt8(ascii: "_") && $0 != UInt8(ascii: "-")
            }
    }

    private static func unpaired(_ given: String, _ absent: String) -> SNSError {
        .invalidParameter("Attributes", reason: "\(given) attribute provided without \(absent)")
    }
}

extension PlatformCredential: CustomStringConvertible, CustomDebugStringConvertible {
    /// The kind alone.
    package var description: String {
        switch self {
        case .token(_, let keyID, let teamID, _): "signing key \(keyID) of team \(teamID)"
        case .certificate: "certificate and private key"
        case .pkcs12(let bytes, _): "PKCS#12 file of \(bytes.count) bytes"
        }
    }

    package var debugDescription: String { self.description }
}
