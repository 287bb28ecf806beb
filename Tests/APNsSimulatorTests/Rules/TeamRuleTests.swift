// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Testing

@testable import APNsSimulator

@Suite("Teams, their apps and their keys")
struct TeamRuleTests {
    @Test("a team whose apps are not known may push to every topic")
    func unknownTeam() throws {
        let fixture = try RequestFixture()
        fixture.world.teams.setBundleIDs(["com.example.other"], of: "OTHERTEAM1")
        #expect(fixture.refusal() == nil)
    }

    @Test("a team whose apps are known pushes to those only")
    func foreignApp() throws {
        let fixture = try RequestFixture()
        fixture.world.teams.setBundleIDs(["com.example.other"], of: fixture.key.teamID)
        #expect(fixture.refusal() == .topicDisallowed)
        fixture.switches.connections.foreignBundleID = .badTopic
        #expect(fixture.refusal() == .badTopic)
    }

    @Test("the suffix of a push type does not make it another app")
    func suffix() throws {
        let fixture = try RequestFixture(apps: [RequestFixture.app + ".voip"])
        fixture.set(.pushType, "voip")
        fixture.world.teams.setBundleIDs([RequestFixture.app], of: fixture.key.teamID)
        #expect(fixture.refusal() == nil)
    }

    @Test("an app that the team gets after a connection's first push needs a new connection")
    func lateApp() throws {
        let fixture = try RequestFixture()
        fixture.world.teams.setBundleIDs(["com.example.first"], of: fixture.key.teamID)
        // The first push binds the connection, though it is refused for its topic.
        #expect(fixture.refusal() == .topicDisallowed)
        fixture.world.teams.setBundleIDs(["com.example.first", RequestFixture.app], of: fixture.key.teamID)
        fixture.switches.connections.lateBundleID = .forbidden
        #expect(fixture.refusal() == .forbidden)
        fixture.trust = ConnectionAuthentication()
        #expect(fixture.refusal() == nil)
    }

    @Test("an app that is transferred is lost to its old team's connections, and open to new ones of the new team")
    func transfer() throws {
        let fixture = try RequestFixture()
        fixture.world.teams.setBundleIDs([RequestFixture.app], of: fixture.key.teamID)
        #expect(fixture.refusal() == nil)
        fixture.world.teams.setBundleIDs([RequestFixture.app], of: "OTHERTEAM1")
        #expect(fixture.refusal() == .topicDisallowed)
        #expect(fixture.world.teams.bundleIDs(of: fixture.key.teamID) == [])
        let other = SimulatorProviderKey.make(teamID: "OTHERTEAM1")
        fixture.world.keys.add(try ProviderKey(other))
        fixture.trust = ConnectionAuthentication()
        try fixture.authorize(other)
        #expect(fixture.refusal() == nil)
    }

    @Test("a revoked key is refused, also on a connection that uses it")
    func revoked() throws {
        let fixture = try RequestFixture()
        #expect(fixture.refusal() == nil)
        let wasTrusted = fixture.world.keys.revoke(fixture.key.keyID)
        #expect(wasTrusted)
        #expect(fixture.refusal() == .invalidProviderToken)
        fixture.trust = ConnectionAuthentication()
        #expect(fixture.refusal() == .invalidProviderToken)
    }

    @Test("a key that is changed is looked at again, without counting as a change of the provider token")
    func changed() throws {
        let fixture = try RequestFixture()
        fixture.switches.countsFirstProviderToken = true
        #expect(fixture.refusal() == nil)
        var key = try ProviderKey(fixture.key)
        key.scope = .topics([Array("com.example.other".utf8)])
        fixture.world.keys.add(key)
        #expect(fixture.refusal() == .unrelatedKeyIDInToken || fixture.refusal() == .topicDisallowed)
        key.scope = .team
        fixture.world.keys.add(key)
        #expect(fixture.refusal() == nil)
    }

    @Test("what becomes of pushes to one token in a second")
    func deviceRate() throws {
        let fixture = try RequestFixture()
        fixture.switches.connections.deviceRate = 10
        fixture.switches.connections.deviceBurst = 3
        let refusals = (0..<5).map { _ in fixture.refusal() }
        #expect(refusals == [nil, nil, nil, .tooManyRequests, .tooManyRequests])
        fixture.now += 0.11
        #expect(fixture.refusal() == nil)
        #expect(fixture.refusal() == .tooManyRequests)
        fixture.now += 10
        let later = (0..<4).map { _ in fixture.refusal() }
        #expect(later == [nil, nil, nil, .tooManyRequests])
    }
}
