// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import ApusTesting
import Crypto
import Foundation
import Testing

@testable import APNsSimulator

@Suite("Provider tokens")
struct ProviderTokenRuleTests {
    @Test("signatures are accepted raw and in DER")
    func encodings() throws {
        for encoding in [ProviderTokenFactory.SignatureEncoding.raw, .der] {
            let fixture = try RequestFixture()
            let issuedAt = Date(timeIntervalSince1970: fixture.now)
            let token = try ProviderTokenFactory(fixture.key).token(issuedAt: issuedAt, encoding: encoding)
            fixture.set(.authorization, "bearer \(token)")
            #expect(fixture.refusal() == nil)
        }
    }

    @Test(
        "a header or claim that is missing or wrong makes the token invalid",
        arguments: [
            (#"{"alg":"HS256","kid":"KID"}"#, #"{"iss":"TEAM","iat":NOW}"#),
            (#"{"alg":"none","kid":"KID"}"#, #"{"iss":"TEAM","iat":NOW}"#),
            (#"{"kid":"KID"}"#, #"{"iss":"TEAM","iat":NOW}"#),
            (#"{"alg":"ES256"}"#, #"{"iss":"TEAM","iat":NOW}"#),
            (#"{"alg":"ES256","kid":"UNKNOWN123"}"#, #"{"iss":"TEAM","iat":NOW}"#),
            (#"{"alg":"ES256","kid":"short"}"#, #"{"iss":"TEAM","iat":NOW}"#),
            (#"{"alg":"ES256","kid":"KID"}"#, #"{"iss":"OTHERTEAM1","iat":NOW}"#),
            (#"{"alg":"ES256","kid":"KID"}"#, #"{"iat":NOW}"#),
            (#"{"alg":"ES256","kid":"KID"}"#, #"{"iss":"TEAM"}"#),
            (#"{"alg":"ES256","kid":"KID"}"#, #"{"iss":"TEAM","iat":"soon"}"#),
            (#"{"alg":"ES256","kid":"KID"}"#, #"["TEAM",NOW]"#),
            (#"not JSON"#, #"{"iss":"TEAM","iat":NOW}"#),
        ]
    )
    func malformed(header: String, claims: String) throws {
        let fixture = try RequestFixture()
        #expect(try Self.refusal(fixture, header: header, claims: claims) == .invalidProviderToken)
    }

    @Test(
        "what APNs tolerates is tolerated",
        arguments: [
            (#"{"alg":"ES256","kid":"KID","typ":"JWT"}"#, #"{"iss":"TEAM","iat":NOW}"#),
            (#"{"alg":"ES256","kid":"KID"}"#, #"{"iss":"TEAM","iat":NOW,"kid":"KID","sub":"com.example.app"}"#),
            (#"{"alg":"ES256","kid":"KID"}"#, #"{"iss":"TEAM","iat":"NOW"}"#),
            (#"{"alg":"ES256","kid":"KID"}"#, #"{"iss":"TEAM","iat":NOW.5}"#),
        ]
    )
    func tolerated(header: String, claims: String) throws {
        let fixture = try RequestFixture()
        #expect(try Self.refusal(fixture, header: header, claims: claims) == nil)
    }

    private static func refusal(
        _ fixture: RequestFixture,
        header: String,
        claims: String
    ) throws -> RejectionReason? {
        func fill(_ text: String) -> String {
            text.replacing("KID", with: fixture.key.keyID).replacing("OTHERTEAM1", with: "ZZZZZZZZZ1")
                .replacing("TEAM", with: fixture.key.teamID).replacing("NOW", with: "\(Int(fixture.now))")
        }
        let token = try ProviderTokenFactory(fixture.key).token(header: fill(header), claims: fill(claims))
        fixture.set(.authorization, "bearer \(token)")
        return fixture.refusal()
    }

    @Test("a signature by another key, and a changed or cut token, are invalid")
    func wrongSignature() throws {
        let fixture = try RequestFixture()
        let forged = SimulatorProviderKey(
            keyID: fixture.key.keyID,
            teamID: fixture.key.teamID,
            p8: P256.Signing.PrivateKey().pemRepresentation
        )
        try fixture.authorize(forged)
        #expect(fixture.refusal() == .invalidProviderToken)

        let right = try RequestFixture.token(fixture.key, issuedAt: fixture.now)
        for wrong in [String(right.dropLast(2)), right + "AAAA", right + ".AAAA", right.replacing(".", with: "")] {
            fixture.set(.authorization, "bearer \(wrong)")
            #expect(fixture.refusal() == .invalidProviderToken)
        }
    }

    @Test(
        "a token is good from an hour before its time until an hour after it",
        arguments: [(-3600, nil), (-3601, .expiredProviderToken), (3600, nil), (3601, .invalidProviderToken)]
            as [(Double, RejectionReason?)]
    )
    func age(offset: Double, reason: RejectionReason?) throws {
        let fixture = try RequestFixture()
        try fixture.authorize(fixture.key, issuedAt: fixture.now + offset)
        #expect(fixture.refusal() == reason)
    }

    @Test("a token that was accepted expires on its connection")
    func expiresInUse() throws {
        let fixture = try RequestFixture()
        #expect(fixture.refusal() == nil)
        fixture.now += 3601
        #expect(fixture.refusal() == .expiredProviderToken)
    }

    @Test("the second change within 20 minutes is one too many")
    func updates() throws {
        let fixture = try RequestFixture()
        let start = fixture.now
        #expect(fixture.refusal() == nil)
        fixture.now = start + 60
        try fixture.authorize(fixture.key)
        #expect(fixture.refusal() == nil)
        fixture.now = start + 60 + 1199
        try fixture.authorize(fixture.key)
        #expect(fixture.refusal() == .tooManyProviderTokenUpdates)
        fixture.now = start + 60 + 1200
        #expect(fixture.refusal() == nil)
    }

    @Test("two tokens in turn on one connection are too many updates, on two connections they are not")
    func alternating() throws {
        let fixture = try RequestFixture()
        let first = try RequestFixture.token(fixture.key, issuedAt: fixture.now)
        let second = try RequestFixture.token(fixture.key, issuedAt: fixture.now - 1)
        var refusals: [RejectionReason?] = []
        for token in [first, second, first, second] {
            fixture.set(.authorization, "bearer \(token)")
            refusals.append(fixture.refusal())
        }
        #expect(refusals == [nil, nil, .tooManyProviderTokenUpdates, nil])
        fixture.trust = ConnectionAuthentication()
        fixture.set(.authorization, "bearer \(first)")
        #expect(fixture.refusal() == nil)
    }

    @Test("a signature is checked once for each token, not for each request or connection")
    func checkedOnce() throws {
        let fixture = try RequestFixture()
        for _ in 0..<3 {
            fixture.trust = ConnectionAuthentication()
            for _ in 0..<10 { #expect(fixture.refusal() == nil) }
        }
        #expect(fixture.world.keys.verifications == 1)
    }

    @Test("a key that is added later makes its tokens valid")
    func addedLater() throws {
        let fixture = try RequestFixture()
        let key = SimulatorProviderKey.make()
        try fixture.authorize(key)
        #expect(fixture.refusal() == .invalidProviderToken)
        fixture.world.keys.add(try ProviderKey(key))
        #expect(fixture.refusal() == nil)
    }

    @Test("a connection keeps to the team of its first push")
    func team() throws {
        let fixture = try RequestFixture()
        #expect(fixture.refusal() == nil)
        let other = SimulatorProviderKey.make()
        fixture.world.keys.add(try ProviderKey(other))
        try fixture.authorize(other)
        #expect(fixture.refusal() == .invalidProviderToken)
        fixture.trust = ConnectionAuthentication()
        #expect(fixture.refusal() == nil)
    }

    @Test(
        "keys of a team may mix on a connection only if they are related",
        arguments: [
            (.team, .team, false, nil),
            (.team, .topics([Array("com.example.app".utf8)]), false, .unrelatedKeyIDInToken),
            (.topics([Array("com.example.app".utf8)]), .team, false, .unrelatedKeyIDInToken),
            (
                .topics([Array("com.example.app".utf8)]), .topics([Array("com.example.app".utf8)]), false,
                .unrelatedKeyIDInToken
            ),
            (.topics([Array("com.example.app".utf8)]), .topics([Array("com.example.app".utf8)]), true, nil),
        ] as [(ProviderKey.Scope, ProviderKey.Scope, Bool, RejectionReason?)]
    )
    func related(
        first: ProviderKey.Scope,
        second: ProviderKey.Scope,
        isRelated: Bool,
        reason: RejectionReason?
    ) throws {
        let fixture = try RequestFixture()
        let other = SimulatorProviderKey.make(teamID: fixture.key.teamID)
        var firstKey = try ProviderKey(fixture.key)
        firstKey.scope = first
        fixture.world.keys.add(firstKey)
        var secondKey = try ProviderKey(other)
        secondKey.scope = second
        secondKey.relatedKeyID = isRelated ? firstKey.keyID : nil
        fixture.world.keys.add(secondKey)
        #expect(fixture.refusal() == nil)
        try fixture.authorize(other)
        #expect(fixture.refusal() == reason)
    }

    @Test("a key of the other environment is refused")
    func environment() throws {
        let fixture = try RequestFixture()
        var key = try ProviderKey(fixture.key)
        key.environments = [.production]
        fixture.world.keys.add(key)
        #expect(fixture.refusal() == .badEnvironmentKeyInToken)
    }

    @Test("a key with topics sends to those only, with their suffixes")
    func topics() throws {
        let fixture = try RequestFixture()
        var key = try ProviderKey(fixture.key)
        key.scope = .topics([Array("com.example.other".utf8)])
        fixture.world.keys.add(key)
        #expect(fixture.refusal() == .topicDisallowed)
        key.scope = .topics([Array("com.example.app".utf8)])
        fixture.world.keys.add(key)
        fixture.trust = ConnectionAuthentication()
        #expect(fixture.refusal() == nil)
    }
}
