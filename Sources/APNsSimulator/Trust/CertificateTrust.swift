// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs

/// What a client certificate allows: the topics and the environments of Apple's extensions.
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
