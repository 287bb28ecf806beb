// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import SwiftASN1
import Testing
import X509

@testable import APNsSimulator

@Suite("Certificate trust")
struct CertificateRuleTests {
    private static func trust(_ request: PushCertificateRequest) throws -> ConnectionAuthentication {
        let now = Date(timeIntervalSince1970: RequestFixture.now)
        let issued = try CertificateAuthority(now: now).issuePush(request, now: now)
        let der = try Certificate(pemEncoded: issued.certificatePEM).serializeAsPEM().derBytes
        return ConnectionAuthentication(certificate: CertificateTrust(der: der))
    }

    @Test("topics and environments are read from Apple's extensions")
    func extensions() throws {
        let trust = try #require(try Self.trust(PushCertificateRequest(bundleID: RequestFixture.app)).certificate)
        #expect(trust.bundleID == RequestFixture.app)
        let topics = trust.topics.map { String(decoding: $0, as: UTF8.self) }
        #expect(topics == ["com.example.app", "com.example.app.voip", "com.example.app.complication"])
        #expect(trust.environments == [.sandbox, .production])
    }

    @Test("without a list of topics the subject names the only one, and a request needs none")
    func subjectOnly() throws {
        let fixture = try RequestFixture()
        fixture.trust = try Self.trust(PushCertificateRequest(bundleID: RequestFixture.app, topics: []))
        fixture.set(.authorization, nil)
        fixture.set(.topic, nil)
        #expect(fixture.refusal() == nil)
    }

    @Test("with several topics a request has to name one")
    func severalTopics() throws {
        let fixture = try RequestFixture()
        fixture.trust = try Self.trust(PushCertificateRequest(bundleID: RequestFixture.app))
        fixture.set(.topic, nil)
        #expect(fixture.refusal() == .missingTopic)
        fixture.set(.topic, RequestFixture.app)
        #expect(fixture.refusal() == nil)
    }

    @Test("a provider token beside a certificate is ignored, even a wrong one")
    func authorizationIgnored() throws {
        let fixture = try RequestFixture()
        fixture.trust = try Self.trust(PushCertificateRequest(bundleID: RequestFixture.app))
        fixture.set(.authorization, "bearer nonsense")
        #expect(fixture.refusal() == nil)
    }

    @Test("a topic that the certificate does not list is not allowed")
    func otherTopic() throws {
        let fixture = try RequestFixture(apps: ["com.example.other"])
        fixture.trust = try Self.trust(PushCertificateRequest(bundleID: RequestFixture.app))
        #expect(fixture.refusal() == .topicDisallowed)
    }

    @Test("a certificate of the other environment, or for no environment, is refused")
    func environments() throws {
        let fixture = try RequestFixture()
        fixture.trust = try Self.trust(
            PushCertificateRequest(bundleID: RequestFixture.app, environments: [.production])
        )
        #expect(fixture.refusal() == .badCertificateEnvironment)
        fixture.trust = try Self.trust(PushCertificateRequest(bundleID: RequestFixture.app, environments: []))
        #expect(fixture.refusal() == .badCertificate)
    }

    @Test("push types that need a provider token are refused", arguments: ["location", "liveactivity"])
    func tokenOnly(pushType: String) throws {
        let kind = try #require(PushTypeRules.all.first { $0.pushType.rawValue == pushType })
        let topic = RequestFixture.app + String(decoding: kind.suffix, as: UTF8.self)
        let fixture = try RequestFixture(apps: [topic])
        fixture.set(.pushType, pushType)
        fixture.trust = try Self.trust(
            PushCertificateRequest(bundleID: RequestFixture.app, topics: [.init(RequestFixture.app), .init(topic)])
        )
        #expect(fixture.refusal() == .topicDisallowed)
    }

    @Test("something that is no certificate allows nothing")
    func garbage() throws {
        let fixture = try RequestFixture()
        fixture.trust = ConnectionAuthentication(certificate: CertificateTrust(der: [1, 2, 3]))
        #expect(fixture.refusal() == .badCertificate)
    }
}
