// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import SwiftASN1
import X509

extension CertificateTrust {
    /// Reads what a certificate in DER allows.
    ///
    /// One that cannot be read allows nothing.
    init(der: [UInt8]) {
        guard let certificate = try? Certificate(derEncoded: der) else {
            self.init(bundleID: nil, topics: [], environments: [])
            return
        }
        let attributes = certificate.subject.flatMap { Array($0) }
        let bundleID = attributes.first { $0.type == PushExtensions.userID }.flatMap { String($0.value) }
        var topics: [String] = []
        for oid in [PushExtensions.universal, PushExtensions.voip] {
            guard let list = certificate.extensions[oid: oid] else { continue }
            for topic in (try? PushExtensions.topics(list.value)) ?? [] where !topics.contains(topic) {
                topics.append(topic)
            }
        }
        if topics.isEmpty, let bundleID { topics = [bundleID] }
        var environments: Set<APNsEnvironment> = []
        if certificate.extensions[oid: PushExtensions.sandbox] != nil { environments.insert(.sandbox) }
        if certificate.extensions[oid: PushExtensions.production] != nil { environments.insert(.production) }
        self.init(bundleID: bundleID, topics: topics.map { Array($0.utf8) }, environments: environments)
    }
}
