// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Hummingbird

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Push certificates.
extension ControlAPI {
    /// The longest life of a certificate.
    ///
    /// Unit: days.
    private static let maximumDays = 3650

    /// Issues a certificate that the provider port trusts, with its private key; as a PKCS #12 file as well where a
    /// password is given.
    func issueCertificate(_ request: Request, _ context: Context) async throws -> Response {
        var object = try await Self.body(request)
        let bundleID = try object.require("bundleID", try object.string("bundleID"))
        let topics = try object.strings("topics")
        let voipTopics = try object.strings("voipTopics") ?? []
        let environments = try Self.environments(&object)
        // Zero and less make one that has expired.
        let days = try object.integer("validDays", in: -Self.maximumDays...Self.maximumDays) ?? 365
        let password = try object.string("password")
        try object.finish()
        for topic in [bundleID] + (topics ?? []) + voipTopics { try Self.check(topic, field: "topics") }
        let issued = try self.simulator.issueCertificate(
            PushCertificateRequest(
                bundleID: bundleID,
                topics: topics?.map { PushCertificateRequest.ListedTopic($0, kind: Self.kind(of: $0)) },
                voipTopics: voipTopics,
                environments: environments,
                lifetime: .seconds(days * 24 * 3600)
            )
        )
        var members: [(String, JSONOutput)] = [
            ("certificatePEM", .string(issued.certificatePEM)), ("privateKeyPEM", .string(issued.privateKeyPEM)),
        ]
        if let password {
            let file = try issued.pkcs12(name: "Apple Push Services: \(bundleID)", password: password)
            members.append(("p12", .string(Data(file).base64EncodedString())))
        }
        return Self.created(.object(members))
    }

    /// Apple's word for the kind of a topic in a certificate.
    private static func kind(of topic: String) -> String {
        switch topic.split(separator: ".").last {
        case "voip": "voip"
        case "complication": "complication"
        default: "app"
        }
    }
}
