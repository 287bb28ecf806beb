// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Crypto
import SwiftASN1
import X509

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Apple's extensions of push certificates, below 1.2.840.113635.100.6.3.
enum PushCertificateExtensions {
    static let sandbox: ASN1ObjectIdentifier = [1, 2, 840, 113_635, 100, 6, 3, 1]
    static let production: ASN1ObjectIdentifier = [1, 2, 840, 113_635, 100, 6, 3, 2]
    static let voip: ASN1ObjectIdentifier = [1, 2, 840, 113_635, 100, 6, 3, 4]
    static let universal: ASN1ObjectIdentifier = [1, 2, 840, 113_635, 100, 6, 3, 6]
    /// The subject's attribute `UID` (RFC 4519 section 2.39).
    static let userID: ASN1ObjectIdentifier = [0, 9, 2342, 19_200_300, 100, 1, 1]

    static func make(_ request: PushCertificateRequest) throws -> [Certificate.Extension] {
        var extensions: [Certificate.Extension] = []
        for (environment, oid) in [(APNsEnvironment.sandbox, self.sandbox), (.production, self.production)]
        where request.environments.contains(environment) {
            var serializer = DER.Serializer()
            try serializer.serialize(ASN1Null())
            extensions.append(Certificate.Extension(oid: oid, critical: false, value: serializer.serializedBytes[...]))
        }
        if !request.topics.isEmpty {
            let list = try self.encode(request.topics)
            extensions.append(Certificate.Extension(oid: self.universal, critical: false, value: list[...]))
        }
        if !request.voipTopics.isEmpty {
            let list = try self.encode(request.voipTopics.map { .init($0, kind: "voip") })
            extensions.append(Certificate.Extension(oid: self.voip, critical: false, value: list[...]))
        }
        return extensions
    }

    /// The list in DER: `SEQUENCE { topic UTF8String, SEQUENCE { kind UTF8String }, … }`.
    private static func encode(_ topics: [PushCertificateRequest.ListedTopic]) throws -> [UInt8] {
        var serializer = DER.Serializer()
        try serializer.appendConstructedNode(identifier: .sequence) { list in
            for topic in topics {
                try list.serialize(ASN1UTF8String(topic.topic))
                try list.appendConstructedNode(identifier: .sequence) { kinds in
                    try kinds.serialize(ASN1UTF8String(topic.kind))
                }
            }
        }
        return serializer.serializedBytes
    }

    static func topics(_ value: ArraySlice<UInt8>) throws -> [String] {
        try DER.sequence(try DER.parse(value), identifier: .sequence) { nodes in
            var topics: [String] = []
            while let node = nodes.next() {
                topics.append(String(try ASN1UTF8String(derEncoded: node)))
                _ = nodes.next()
            }
            return topics
        }
    }
}
