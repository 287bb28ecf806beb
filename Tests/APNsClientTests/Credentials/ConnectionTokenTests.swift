// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Crypto
import Foundation
import NIOCore
import Testing

@testable import APNsClient

@Suite("The provider token of a connection")
struct ConnectionTokenTests {
    private let now = Date(timeIntervalSince1970: 1_760_000_000)
    private let uptime = NIODeadline.uptimeNanoseconds(1_000_000_000_000)

    private static func credential() throws -> APNsCredential {
        let pem = P256.Signing.PrivateKey().pemRepresentation
        return .key(try ProviderKey(keyID: "ABCDE12345", teamID: "TEAM123456", pem: pem))
    }

    /// What to do so many minutes later by the wall clock and by the clock that nobody sets.
    private func step(
        _ token: inout ConnectionProviderToken,
        wall: Int64,
        uptime: Int64
    ) throws -> ConnectionProviderToken.Step {
        try token.step(
            now: self.now.addingTimeInterval(TimeInterval(60 * wall)),
            uptime: self.uptime + .minutes(uptime)
        )
    }

    @Test("a connection with a certificate has no token")
    func certificate() throws {
        var token = ConnectionProviderToken(try PuppetAuthority().certificate())
        #expect(!token.isNeeded)
        #expect(try self.step(&token, wall: 0, uptime: 0) == .keep)
    }

    @Test("a token is kept for 50 minutes, then changed, and so on")
    func ordinary() throws {
        var token = ConnectionProviderToken(try Self.credential())
        #expect(token.isNeeded)
        var changes: [Int64] = []
        for minute in 0...120 as ClosedRange<Int64> {
            if case .change = try self.step(&token, wall: minute, uptime: minute) { changes.append(minute) }
        }
        #expect(changes == [0, 50, 100])
    }

    @Test(
        "a wall clock that jumps makes the connection leave, unless its token is 20 minutes old by another clock",
        arguments: [(60, 1), (-60, 1), (60, 19), (-60, 19)]
    )
    func jump(wall: Int64, uptime: Int64) throws {
        var token = ConnectionProviderToken(try Self.credential())
        _ = try self.step(&token, wall: 0, uptime: 0)
        #expect(try self.step(&token, wall: wall, uptime: uptime) == .leave)
        guard case .change = try self.step(&token, wall: wall, uptime: 20) else {
            Issue.record("the token was not changed after 20 minutes")
            return
        }
    }
}
