// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs
import Crypto
import NIOCore
import SwiftASN1
import X509

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// An authority of the simulator: the root of its server and push certificates, or that of device certificates.
package struct CertificateAuthority: Sendable {
    package static let providerName = "Apus APNs Simulator CA"
    static let deviceName = "Apus APNs Simulator Device CA"
    private static let lifetime: Double = 10 * 365 * 24 * 3600
    private static let serverLifetime: Double = 365 * 24 * 3600
    /// The start of validity is in the past, for clients with a slow clock.
    private static let leeway: Double = 3600

    let certificate: Certificate
    let privateKey: P256.Signing.PrivateKey

    /// Creates an authority that is valid for ten years.
    package init(name: String = Self.providerName, now: Date) throws {
        let key = P256.Signing.PrivateKey()
        let subject = try DistinguishedName { CommonName(name) }
        let publicKey = Certificate.PublicKey(key.publicKey)
        self.privateKey = key
        self.certificate = try Certificate(
            version: .v3,
            serialNumber: Certificate.SerialNumber(),
            publicKey: publicKey,
            notValidBefore: now.addingTimeInterval(-Self.leeway),
            notValidAfter: now.addingTimeInterval(Self.lifetime),
            issuer: subject,
            subject: subject,
            signatureAlgorithm: .ecdsaWithSHA256,
            extensions: Certificate.Extensions {
                Critical(BasicConstraints.isCertificateAuthority(maxPathLength: 0))
                Critical(KeyUsage(keyCertSign: true, cRLSign: true))
                SubjectKeyIdentifier(hash: publicKey)
            },
            issuerPrivateKey: Certificate.PrivateKey(key)
        )
    }

    /// An authority that was kept as PEM.
    ///
    /// - Throws: an error of the parser, or ``APNsSimulatorError`` if certificate and key do not belong together.
    init(certificatePEM: String, privateKeyPEM: String) throws {
        self.certificate = try Certificate(pemEncoded: certificatePEM)
        self.privateKey = try P256.Signing.PrivateKey(pemRepresentation: privateKeyPEM)
        guard self.certificate.publicKey == Certificate.PublicKey(self.privateKey.publicKey) else {
            throw APNsSimulatorError(code: .directory, message: "the certificate and the private key do not match")
        }
    }

    /// The root certificate, which clients have to trust.
    package var certificatePEM: String {
        get throws { try self.certificate.serializeAsPEM().pemString + "\n" }
    }

    /// Whether the authority can still issue certificates for a month.
    func isValid(now: Date) -> Bool {
        self.certificate.notValidBefore <= now
            && self.certificate.notValidAfter > now.addingTimeInterval(30 * 24 * 3600)
    }

    /// A certificate for the provider port: `localhost`, 127.0.0.1, ::1 and the names and IP addresses given.
    ///
    /// Without `namesLocalhost` it is for these alone.
    package func issueServer(
        names: [String] = [],
        namesLocalhost: Bool = true,
        now: Date
    ) throws -> IssuedCertificate {
        let localhost = namesLocalhost ? ["localhost", "127.0.0.1", "::1"] : []
        let alternatives = (localhost + names.filter { !localhost.contains($0) }).map(Self.alternativeName)
        return try self.issue(
            subject: DistinguishedName { CommonName(namesLocalhost ? "localhost" : names.first ?? "nobody") },
            lifetime: Self.serverLifetime,
            now: now,
            usage: [.serverAuth],
            extensions: [SubjectAlternativeNames(alternatives).makeCertificateExtension()]
        )
    }

    /// A name that a client verifies; one of the type for addresses where the client connects to an IP address.
    private static func alternativeName(_ host: String) -> GeneralName {
        guard let address = try? SocketAddress(ipAddress: host, port: 0) else { return .dnsName(host) }
        let bytes = address.withSockAddr { start, size in
            let all = UnsafeRawBufferPointer(start: start, count: size)
            // The address follows family and port; in IPv6, the flow information is between them.
            return address.protocol == .inet ? Array(all.dropFirst(4).prefix(4)) : Array(all.dropFirst(8).prefix(16))
        }
        return .ipAddress(ASN1OctetString(contentBytes: bytes[...]))
    }

    /// A push certificate, as Apple issues them.
    func issuePush(_ request: PushCertificateRequest, now: Date) throws -> IssuedCertificate {
        try self.issue(
            subject: DistinguishedName([
                RelativeDistinguishedName(.init(type: PushCertificateExtensions.userID, utf8String: request.bundleID)),
                RelativeDistinguishedName(
                    .init(
                        type: .RDNAttributeType.commonName,
                        utf8String: "Apple Push Services: \(request.bundleID)"
                    )
                ),
            ]),
            lifetime: Double(request.lifetime.components.seconds),
            now: now,
            usage: [.clientAuth],
            extensions: PushCertificateExtensions.make(request)
        )
    }

    /// A certificate for a device, which its subject names.
    package func issueDevice(_ device: VirtualDeviceID, lifetime: Double, now: Date) throws -> IssuedCertificate {
        try self.issue(
            subject: DistinguishedName([
                RelativeDistinguishedName(.init(type: PushCertificateExtensions.userID, utf8String: device.rawValue)),
                RelativeDistinguishedName(
                    .init(type: .RDNAttributeType.commonName, utf8String: "Apus Simulator Device")
                ),
            ]),
            lifetime: lifetime,
            now: now,
            usage: [.clientAuth],
            extensions: []
        )
    }

    private func issue(
        subject: DistinguishedName,
        lifetime: Double,
        now: Date,
        usage: [ExtendedKeyUsage.Usage],
        extensions additional: [Certificate.Extension]
    ) throws -> IssuedCertificate {
        let key = P256.Signing.PrivateKey()
        var extensions = try Certificate.Extensions {
            Critical(BasicConstraints.notCertificateAuthority)
            Critical(KeyUsage(digitalSignature: true))
            try ExtendedKeyUsage(usage)
        }
        for entry in additional { try extensions.append(entry) }
        let certificate = try Certificate(
            version: .v3,
            serialNumber: Certificate.SerialNumber(),
            publicKey: Certificate.PublicKey(key.publicKey),
            notValidBefore: now.addingTimeInterval(min(0, lifetime) - Self.leeway),
            notValidAfter: now.addingTimeInterval(lifetime),
            issuer: self.certificate.subject,
            subject: subject,
            signatureAlgorithm: .ecdsaWithSHA256,
            extensions: extensions,
            issuerPrivateKey: Certificate.PrivateKey(self.privateKey)
        )
        return IssuedCertificate(
            certificatePEM: try certificate.serializeAsPEM().pemString + "\n",
            privateKeyPEM: key.pemRepresentation + "\n"
        )
    }
}

/// A certificate and its private key, both as PEM.
public struct IssuedCertificate: Sendable {
    /// The certificate.
    public var certificatePEM: String
    /// The private key (P-256, PKCS #8).
    ///
    /// A secret.
    public var privateKeyPEM: String

    /// A certificate with its key.
    public init(certificatePEM: String, privateKeyPEM: String) {
        self.certificatePEM = certificatePEM
        self.privateKeyPEM = privateKeyPEM
    }

    /// SHA-256 of the certificate in DER, as hexadecimal digits.
    var fingerprint: String {
        get throws {
            Hex.text(Array(SHA256.hash(data: try PEMDocument(pemString: self.certificatePEM).derBytes)))
        }
    }

    /// The certificate and the key in one PKCS #12 file (`.p12`).
    ///
    /// - Parameters:
    ///   - name: the friendly name of the entry.
    ///   - password: the password of the file; may be empty.
    /// - Returns: the file's bytes.
    /// - Throws: an error of the parser if the PEM documents are not valid any longer.
    public func pkcs12(name: String = "Apple Push Services", password: String) throws -> [UInt8] {
        try PKCS12File.bytes(self, name: name, password: password)
    }
}

/// The content of a push certificate.
public struct PushCertificateRequest: Sendable, Hashable {
    /// A topic in the certificate's list, with Apple's word for its kind.
    public struct ListedTopic: Sendable, Hashable {
        /// The topic: the bundle identifier with or without a suffix.
        public var topic: String
        /// `app`, `voip` or `complication`.
        public var kind: String

        /// A topic of a kind.
        public init(_ topic: String, kind: String = "app") {
            self.topic = topic
            self.kind = kind
        }
    }

    /// The app: the UID of the subject.
    public var bundleID: String
    /// The list of the universal extension; empty leaves the extension out, and the subject names the only topic.
    public var topics: [ListedTopic]
    /// The list of the VoIP extension; empty leaves the extension out.
    ///
    /// Default: empty, since the universal list has them.
    public var voipTopics: [String]
    /// The environments of the certificate.
    ///
    /// An empty set creates a certificate that is not valid for push.
    public var environments: Set<APNsEnvironment>
    /// For how long, from an hour ago on.
    ///
    /// Default: 365 days.
    public var lifetime: Duration

    /// A certificate for an app.
    ///
    /// - Parameters:
    ///   - bundleID: the app.
    ///   - topics: default: the app, its VoIP and its complication topic, as in Apple's universal certificates.
    ///   - voipTopics: default: none in an extension of their own.
    ///   - environments: default: both.
    ///   - lifetime: default: 365 days.
    public init(
        bundleID: String,
        topics: [ListedTopic]? = nil,
        voipTopics: [String] = [],
        environments: Set<APNsEnvironment> = Set(APNsEnvironment.allCases),
        lifetime: Duration = .seconds(365 * 24 * 3600)
    ) {
        self.bundleID = bundleID
        self.topics =
            topics ?? [
                ListedTopic(bundleID),
                ListedTopic(bundleID + ".voip", kind: "voip"),
                ListedTopic(bundleID + ".complication", kind: "complication"),
            ]
        self.voipTopics = voipTopics
        self.environments = environments
        self.lifetime = lifetime
    }
}
