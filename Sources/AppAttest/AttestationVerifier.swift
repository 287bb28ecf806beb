// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Crypto
public import Foundation
import SwiftASN1
@_spi(FixedExpiryValidationTime) import X509

/// Why an attestation is refused.
///
/// The names are in metrics and logs.
public enum AttestationError: String, Error, Hashable, Sendable, CaseIterable {
    /// It is no attestation object of App Attest.
    case malformed

    /// The certificates do not lead to the root, or are not valid at this time.
    case certificates

    /// The certificate is for other authenticator data or another challenge.
    case nonce

    /// The key ID is not that of the certified key.
    case keyID = "key_id"

    /// The key belongs to another app.
    case app

    /// The key has signed before.
    case counter

    /// The environment is neither of the two of App Attest.
    case environment
}

/// Which App Attest service attested a key.
public enum AttestationEnvironment: Hashable, Sendable, CaseIterable {
    case development
    case production

    var aaguid: [UInt8] {
        switch self {
        case .development: Array("appattestdevelop".utf8)
        case .production: Array("appattest".utf8) + [UInt8](repeating: 0, count: 7)
        }
    }
}

/// Verifies attestation objects of App Attest by the steps that Apple documents.
///
/// It makes no requests: it reads neither revocations nor the receipt.
public struct AttestationVerifier: Sendable {
    /// The extension of the certificate with the nonce.
    private static let nonceExtension: ASN1ObjectIdentifier = [1, 2, 840, 113_635, 100, 8, 2]

    /// The DER of a sequence with an octet string of 32 bytes, tagged 1, before these bytes.
    private static let noncePrefix: [UInt8] = [0x30, 0x24, 0xA1, 0x22, 0x04, 0x20]

    private let roots: [Certificate]

    /// Trusts the App Attest root of Apple.
    public static let apple = try? AttestationVerifier(rootPEM: Self.appleRootPEM)

    /// Trusts one root certificate.
    public init(rootPEM: String) throws { self.roots = [try Certificate(pemEncoded: rootPEM)] }

    /// The `clientDataHash` of a challenge.
    public static func clientDataHash(of challenge: String) -> [UInt8] { self.hash(Array(challenge.utf8)) }

    /// Verifies an attestation object.
    ///
    /// - Parameters:
    ///   - appID: the prefix, usually the team ID, a point and the bundle ID.
    ///   - clientDataHash: what the app passed to `attestKey`.
    /// - Returns: the environment of the key.
    public func verify(
        _ object: [UInt8],
        keyID: [UInt8],
        clientDataHash: [UInt8],
        appID: String,
        now: Date
    ) async throws(AttestationError) -> AttestationEnvironment {
        let object = try AttestationObject(object)
        let certificate = object.certificates[0]
        try await self.checkChain(object.certificates, now: now)
        let nonce = Self.hash(object.authenticatorData + clientDataHash)
        guard let found = certificate.extensions[oid: Self.nonceExtension],
            Array(found.value) == Self.noncePrefix + nonce
        else { throw .nonce }
        guard let key = P256.Signing.PublicKey(certificate.publicKey) else { throw .malformed }
        guard Self.hash(Array(key.x963Representation)) == keyID, object.fields.credentialID == keyID else {
            throw .keyID
        }
        guard object.fields.rpIDHash == Self.hash(Array(appID.utf8)) else { throw .app }
        guard object.fields.counter == [0, 0, 0, 0] else { throw .counter }
        let environment = AttestationEnvironment.allCases.first { $0.aaguid == object.fields.aaguid }
        guard let environment else { throw .environment }
        return environment
    }

    private func checkChain(_ certificates: [Certificate], now: Date) async throws(AttestationError) {
        var verifier = Verifier(rootCertificates: CertificateStore(self.roots)) {
            RFC5280Policy(fixedExpiryValidationTime: now)
        }
        let intermediates = CertificateStore(certificates.dropFirst())
        let result = await verifier.validate(leaf: certificates[0], intermediates: intermediates)
        guard case .validCertificate = result else { throw .certificates }
    }

    private static func hash(_ bytes: [UInt8]) -> [UInt8] { Array(SHA256.hash(data: bytes)) }

    /// Apple App Attestation Root CA, as published at https://www.apple.com/certificateauthority/private/.
    static let appleRootPEM = """
        -----BEGIN CERTIFICATE-----
        MIICITCCAaegAwIBAgIQC/O+DvHN0uD7jG5yH2IXmDAKBggqhkjOPQQDAzBSMSYw
        JAYDVQQDDB1BcHBsZSBBcHAgQXR0ZXN0YXRpb24gUm9vdCBDQTETMBEGA1UECgwK
        QXBwbGUgSW5jLjETMBEGA1UECAwKQ2FsaWZvcm5pYTAeFw0yMDAzMTgxODMyNTNa
        Fw00NTAzMTUwMDAwMDBaMFIxJjAkBgNVBAMMHUFwcGxlIEFwcCBBdHRlc3RhdGlv
        biBSb290IENBMRMwEQYDVQQKDApBcHBsZSBJbmMuMRMwEQYDVQQIDApDYWxpZm9y
        bmlhMHYwEAYHKoZIzj0CAQYFK4EEACIDYgAERTHhmLW07ATaFQIEVwTtT4dyctdh
        NbJhFs/Ii2FdCgAHGbpphY3+d8qjuDngIN3WVhQUBHAoMeQ/cLiP1sOUtgjqK9au
        Yen1mMEvRq9Sk3Jm5X8U62H+xTD3FE9TgS41o0IwQDAPBgNVHRMBAf8EBTADAQH/
        MB0GA1UdDgQWBBSskRBTM72+aEH/pwyp5frq5eWKoTAOBgNVHQ8BAf8EBAMCAQYw
        CgYIKoZIzj0EAwMDaAAwZQIwQgFGnByvsiVbpTKwSga0kP0e8EeDS4+sQmTvb7vn
        53O5+FRXgeLhpJ06ysC5PrOyAjEAp5U4xDgEgllF7En3VcE3iexZZtKeYnpqtijV
        oyFraWVIyd/dganmrduC1bmTBGwD
        -----END CERTIFICATE-----
        """
}
