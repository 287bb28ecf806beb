// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import SwiftASN1
import X509

/// The authentication of a provider connection, and the team to which its first push bound it.
struct ConnectionAuthentication: Sendable {
    /// The certificate of the TLS handshake; `nil` means that provider tokens are needed.
    var certificate: CertificateTrust?
    /// The provider token in use.
    private(set) var token: VerifiedProviderToken?
    /// The key of the first push; the connection keeps to its team and to related keys.
    private(set) var boundKey: ProviderKey?
    /// The revision of ``TeamDirectory`` at the first push.
    private(set) var teamsRevision = 0
    /// The revision of ``ProviderKeyRing`` at which ``token`` was found good.
    private(set) var keysRevision = 0
    /// When the provider token last changed, in seconds since 1970.
    private(set) var lastUpdate: Double?

    init(certificate: CertificateTrust? = nil) {
        self.certificate = certificate
    }

    /// Continues with another provider token.
    mutating func adopt(
        _ token: VerifiedProviderToken,
        at seconds: Double,
        countsFirst: Bool,
        keysRevision: Int = 0,
        teamsRevision: Int = 0
    ) {
        if self.boundKey == nil {
            self.boundKey = token.key
            self.teamsRevision = teamsRevision
            if countsFirst { self.lastUpdate = seconds }
        } else {
            self.lastUpdate = seconds
        }
        self.token = token
        self.keysRevision = keysRevision
    }

    /// Continues with the same provider token after a change of the keys.
    mutating func renew(_ token: VerifiedProviderToken, keysRevision: Int) {
        self.token = token
        self.keysRevision = keysRevision
    }
}

extension ConnectionAuthentication {
    /// The authentication, for the public API.
    var info: ProviderConnectionInfo.Trust {
        if let certificate = self.certificate {
            let topics = certificate.topics.map { String(decoding: $0, as: UTF8.self) }
            return .certificate(bundleID: certificate.bundleID, topics: topics)
        }
        guard let key = self.token?.key else { return .none }
        return .token(teamID: key.teamID, keyID: key.keyID)
    }
}

/// The permissions of a client certificate: the topics and the environments in Apple's extensions.
struct CertificateTrust: Sendable, Equatable {
    /// The bundle identifier of the subject (UID).
    var bundleID: String?
    /// Every topic that the extensions list; the subject's alone where there is no list.
    var topics: [[UInt8]]
    /// Where the certificate may be used; empty for a certificate that is none for push.
    var environments: Set<APNsEnvironment>

    /// The topic of a request that names none: the only one there is.
    var defaultTopic: [UInt8]? { self.topics.count == 1 ? self.topics[0] : nil }
}

extension CertificateTrust {
    /// Parses the permissions of a certificate in DER.
    ///
    /// A certificate that cannot be parsed has none.
    init(der: [UInt8]) {
        guard let certificate = try? Certificate(derEncoded: der) else {
            self.init(bundleID: nil, topics: [], environments: [])
            return
        }
        let attributes = certificate.subject.flatMap { Array($0) }
        let bundleID = attributes.first { $0.type == PushCertificateExtensions.userID }.flatMap { String($0.value) }
        var topics: [String] = []
        for oid in [PushCertificateExtensions.universal, PushCertificateExtensions.voip] {
            guard let list = certificate.extensions[oid: oid] else { continue }
            for topic in (try? PushCertificateExtensions.topics(list.value)) ?? [] where !topics.contains(topic) {
                topics.append(topic)
            }
        }
        if topics.isEmpty, let bundleID { topics = [bundleID] }
        var environments: Set<APNsEnvironment> = []
        if certificate.extensions[oid: PushCertificateExtensions.sandbox] != nil { environments.insert(.sandbox) }
        if certificate.extensions[oid: PushCertificateExtensions.production] != nil { environments.insert(.production) }
        self.init(bundleID: bundleID, topics: topics.map { Array($0.utf8) }, environments: environments)
    }
}
