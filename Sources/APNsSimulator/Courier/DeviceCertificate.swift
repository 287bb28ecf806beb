// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Crypto
import SwiftASN1
import X509

/// What a device's certificate says; the handshake has verified its issuer and its validity.
struct DeviceCertificate: Sendable {
    /// The device that the subject names.
    let device: VirtualDeviceID
    /// SHA-256 of the certificate in DER, as hexadecimal digits.
    let fingerprint: String
}

extension DeviceCertificate {
    /// Parses a certificate in DER; `nil` for one that names no device.
    init?(der: [UInt8]) {
        guard let certificate = try? Certificate(derEncoded: der) else { return nil }
        let attributes = certificate.subject.flatMap { Array($0) }
        guard let text = attributes.first(where: { $0.type == PushCertificateExtensions.userID }),
            let id = String(text.value)
        else { return nil }
        self.device = VirtualDeviceID(rawValue: id)
        self.fingerprint = Hex.text(Array(SHA256.hash(data: der)))
    }
}
