// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Crypto
import CryptoExtras
import Foundation

/// The identity that signs deliveries: an RSA key, and the certificate that subscribers verify with.
package struct SigningIdentity: Sendable {
    /// Which hash a signature is made over.
    package enum SignatureVersion: String, Hashable, Sendable, CaseIterable {
        /// SHA-1, the default of SNS.
        case sha1 = "1"
        case sha256 = "2"
    }

    /// The certificate in PEM, which is public at ``certificateURL``.
    package let certificatePEM: String
    /// Where subscribers get the certificate.
    package private(set) var certificateURL: String
    /// The last part of the URL: it changes with the certificate, so that subscribers do not verify with an old one.
    package let certificateFileName: String
    private let key: _RSA.Signing.PrivateKey

    /// Takes an RSA key of 2,048 bits or more, and its certificate, both in PEM.
    ///
    /// `baseURL` precedes the file name of the certificate: `https://push.example.com/sns/`.
    ///
    /// - Throws: ``SNSError`` `InternalError` when they cannot be read or do not belong together.
    package init(keyPEM: String, certificatePEM: String, baseURL: String) throws(SNSError) {
        do {
            self.key = try _RSA.Signing.PrivateKey(pemRepresentation: keyPEM)
        } catch {
            throw SNSError(.internalError, "The key that signs deliveries must be an RSA key of 2,048 bits in PEM.")
        }
        guard let der = Self.der(certificatePEM) else {
            throw SNSError(.internalError, "The certificate that verifies deliveries must be one in PEM.")
        }
        // A certificate contains its public key unchanged, so the rest need not be parsed.
        guard der.firstRange(of: self.key.publicKey.pkcs1DERRepresentation) != nil else {
            throw SNSError(
                .internalError,
                "The certificate that verifies deliveries is not one for the key that signs."
            )
        }
        self.certificatePEM = certificatePEM
        let fingerprint = Hex.text(SHA256.hash(data: der)).prefix(32)
        self.certificateFileName = "SimpleNotificationService-\(fingerprint).pem"
        self.certificateURL = baseURL + (baseURL.hasSuffix("/") ? "" : "/") + self.certificateFileName
    }

    /// The same identity with its certificate at another place.
    package func served(at baseURL: String) -> SigningIdentity {
        var identity = self
        identity.certificateURL = baseURL + (baseURL.hasSuffix("/") ? "" : "/") + self.certificateFileName
        return identity
    }

    /// The signature of a text, in Base64: RSASSA-PKCS1-v1_5.
    ///
    /// - Throws: ``SNSError`` `InternalError` when signing fails.
    func signature(of text: String, version: SignatureVersion) throws(SNSError) -> String {
        let bytes = Data(text.utf8)
        do {
            let signature =
                switch version {
                case .sha1:
                    try self.key.signature(for: Insecure.SHA1.hash(data: bytes), padding: .insecurePKCS1v1_5)
                case .sha256: try self.key.signature(for: SHA256.hash(data: bytes), padding: .insecurePKCS1v1_5)
                }
            return signature.rawRepresentation.base64EncodedString()
        } catch {
            throw SNSError(.internalError, "A delivery could not be signed.")
        }
    }

    private static func der(_ pem: String) -> Data? {
        let begin = "-----BEGIN CERTIFICATE-----"
        guard let start = pem.firstRange(of: begin)?.upperBound,
            let end = pem[start...].firstRange(of: "-----END CERTIFICATE-----")?.lowerBound
        else { return nil }
        return Data(base64Encoded: String(pem[start..<end]), options: .ignoreUnknownCharacters)
    }
}

extension SigningIdentity: CustomStringConvertible, CustomDebugStringConvertible {
    /// Where the certificate is; never the key.
    package var description: String { "delivery identity \(self.certificateFileName)" }

    package var debugDescription: String { self.description }
}
