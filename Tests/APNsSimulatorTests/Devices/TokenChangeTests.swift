// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Testing

@testable import APNsSimulator

@Suite("Tokens change")
struct TokenChangeTests {
    @Test("a reinstalled app has other tokens, is told of them, and its old ones are gone")
    func reinstall() throws {
        let fixture = try RequestFixture(apps: [RequestFixture.app, RequestFixture.app + ".voip"])
        let old = fixture.snapshot.tokens
        let isThere = fixture.world.reinstall(RequestFixture.app, on: fixture.device, traits: nil, now: fixture.now)
        #expect(isThere)
        let new = fixture.snapshot.tokens
        #expect(Set(new.keys) == Set(old.keys))
        #expect(Set(new.values).isDisjoint(with: old.values))
        #expect(fixture.snapshot.calls.map(\.name) == [.didRegister, .pushKitToken])
        #expect(fixture.snapshot.calls.first?.arguments["deviceToken"] == new[RequestFixture.app]?.hex)
        #expect(fixture.refusal() == .unregistered)
    }

    @Test("a backup restored to a new device brings the apps with other tokens; the old device keeps its own")
    func restore() throws {
        let fixture = try RequestFixture()
        fixture.changeApp { $0.permission = .provisional }
        fixture.push(#"{"aps":{"alert":"x"}}"#)
        let index = fixture.world.restore(fixture.device, now: fixture.now)
        let new = fixture.world.snapshot(index)
        #expect(new.tokens.keys.sorted() == [RequestFixture.app])
        #expect(new.token(RequestFixture.app) != fixture.snapshot.token(RequestFixture.app))
        #expect(new.app(RequestFixture.app)?.traits.permission == .provisional)
        #expect(new.notifications.isEmpty)
        #expect(fixture.refusal() == nil)
    }

    @Test("a test may say which token an app has, of any length", arguments: [32, 80, 5])
    func given(bytes: Int) throws {
        let fixture = try RequestFixture()
        let token = [UInt8](repeating: 0xAB, count: bytes)
        fixture.world.install("com.example.b", on: fixture.device, token: TokenKey(bytes: token), now: fixture.now)
        let hex = Hex.text(token)
        #expect(fixture.snapshot.token("com.example.b")?.hex == hex)
        fixture.set(.path, "/3/device/" + hex)
        fixture.set(.topic, "com.example.b")
        #expect(fixture.refusal() == nil)
    }
}
