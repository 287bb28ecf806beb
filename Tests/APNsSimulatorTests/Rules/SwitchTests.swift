// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Testing

@testable import APNsSimulator

@Suite("Switches")
struct SwitchTests {
    /// A request at an edge: what it gets by default, and what in another position of one switch.
    struct Edge: Sendable, CustomTestStringConvertible {
        let name: String
        let choice: String
        let byDefault: RejectionReason?
        let otherwise: RejectionReason?
        let spoil: @Sendable (RequestFixture) throws -> Void

        var testDescription: String { "\(self.name)=\(self.choice)" }

        init(
            _ name: String,
            _ choice: String,
            _ byDefault: RejectionReason?,
            _ otherwise: RejectionReason?,
            _ spoil: @escaping @Sendable (RequestFixture) throws -> Void
        ) {
            self.name = name
            self.choice = choice
            self.byDefault = byDefault
            self.otherwise = otherwise
            self.spoil = spoil
        }
    }

    static let edges: [Edge] = [
        Edge("malformedExpiration", "accept", .badExpirationDate, nil) { $0.set(.expiration, "soon") },
        Edge("pastExpiration", "reject", nil, .badExpirationDate) { $0.set(.expiration, "1000") },
        Edge("upperCaseDeviceToken", "reject", nil, .badDeviceToken) { fixture in
            let path = fixture.fields.first { $0.0 == .path }?.1 ?? ""
            fixture.set(.path, "/3/device/" + path.dropFirst("/3/device/".count).uppercased())
        },
        Edge("undashedMessageID", "accept", .badMessageID, nil) {
            $0.set(.apnsID, "0123456789abcdef0123456789abcdef")
        },
        Edge("upperCaseMessageID", "reject", nil, .badMessageID) {
            $0.set(.apnsID, "EABEAE54-14A8-11E5-B60B-1697F925EC7B")
        },
        Edge("emptyCollapseID", "reject", nil, .badCollapseID) { $0.set(.collapseID, "") },
        Edge("upperCaseBearer", "reject", nil, .invalidProviderToken) { fixture in
            let field = fixture.fields.first { $0.0 == .authorization }?.1 ?? ""
            fixture.set(.authorization, "Bearer " + field.dropFirst("bearer ".count))
        },
        Edge("futureProviderToken", "accept", .invalidProviderToken, nil) { fixture in
            try fixture.authorize(fixture.key, issuedAt: fixture.now + 7200)
        },
        Edge("futureProviderToken", "ExpiredProviderToken", .invalidProviderToken, .expiredProviderToken) { fixture in
            try fixture.authorize(fixture.key, issuedAt: fixture.now + 7200)
        },
        Edge(
            "otherEnvironmentKey",
            "BadEnvironmentKeyIdInToken",
            .badEnvironmentKeyInToken,
            .badEnvironmentKeyIDInToken
        ) { fixture in
            var key = try ProviderKey(fixture.key)
            key.environments = [.production]
            fixture.world.keys.add(key)
        },
        Edge("priorityCheck", "none", .badPriority, nil) {
            $0.set(.pushType, "background")
            $0.set(.priority, "10")
        },
        Edge("backgroundWithoutPriority", "accept", .badPriority, nil) { $0.set(.pushType, "background") },
        Edge("missingTopicSuffix", "TopicDisallowed", nil, .topicDisallowed) { $0.set(.pushType, "voip") },
        Edge("missingTopicSuffix", "BadTopic", nil, .badTopic) { $0.set(.pushType, "voip") },
        Edge("topicNotInCertificate", "BadTopic", .topicDisallowed, .badTopic) {
            $0.trust = ConnectionAuthentication(
                certificate: CertificateTrust(topics: [Array("com.example.x".utf8)], environments: [.sandbox])
            )
        },
        Edge("nonJSONPayload", "accept", .payloadEmpty, nil) { $0.body = Array("hello".utf8) },
    ]

    @Test("an edge is handled as its switch says", arguments: Self.edges)
    func edge(edge: Edge) throws {
        let fixture = try RequestFixture()
        try edge.spoil(fixture)
        let trust = fixture.trust
        #expect(fixture.refusal() == edge.byDefault)
        fixture.trust = trust
        try fixture.switches.set(edge.name, to: edge.choice)
        #expect(fixture.refusal() == edge.otherwise)
    }

    @Test("a switch can count the first provider token as an update")
    func firstProviderToken() throws {
        let fixture = try RequestFixture()
        fixture.switches.countsFirstProviderToken = true
        #expect(fixture.refusal() == nil)
        fixture.now += 60
        try fixture.authorize(fixture.key)
        #expect(fixture.refusal() == .tooManyProviderTokenUpdates)
    }

    @Test("every switch has its default among its positions and can be put into each of them")
    func catalogue() throws {
        for entry in APNsSimulatorOptions.catalogue {
            #expect(entry.positions.contains(entry.defaultChoice), "\(entry.name)")
            for choice in entry.positions.examples {
                var switches = APNsSimulatorOptions()
                try switches.set(entry.name, to: choice)
                #expect(switches.positions[entry.name] == choice)
            }
        }
        #expect(Set(APNsSimulatorOptions.catalogue.map(\.name)).count == APNsSimulatorOptions.catalogue.count)
    }

    @Test("a switch of a group is set by group and name, a number within its range")
    func group() throws {
        var switches = APNsSimulatorOptions()
        try switches.set("connections.idleTimeout", to: "90")
        #expect(switches.connections.idleTimeout == 90)
        try switches.set("connections.idleTimeout", to: "off")
        #expect(switches.connections.idleTimeout == nil)
        let failure = #expect(throws: InvalidValueError.self) {
            try switches.set("connections.deviceBurst", to: "0")
        }
        #expect(failure?.rule == "an integer of 1...1000000")
    }

    @Test("an unknown switch or position is refused with what there is")
    func unknown() throws {
        var switches = APNsSimulatorOptions()
        let name = #expect(throws: InvalidValueError.self) { try switches.set("gravity", to: "off") }
        #expect(name?.rule.contains("pastExpiration") == true)
        let choice = #expect(throws: InvalidValueError.self) { try switches.set("pastExpiration", to: "maybe") }
        #expect(choice?.rule == "one of accept, reject")
    }
}
