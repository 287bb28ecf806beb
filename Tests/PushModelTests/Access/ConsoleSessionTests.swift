// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import PushModel
import Testing

@Suite("A session of the console")
struct ConsoleSessionTests {
    private static let start = Date(millisecondsSince1970: 1_800_000_000_000)
    private static let session = ConsoleSession(key: "abc123", startedAt: Self.start)

    @Test("is read back from its text, with the same or a rotated master key")
    func roundTrip() throws {
        let masterKey = MasterKey.generate()
        let text = try #require(Self.session.text(masterKey: masterKey))
        #expect(ConsoleSession(text: text, masterKey: masterKey) == Self.session)
        let rotated = try MasterKey(base64: "\(MasterKey.generate().base64)\n\(masterKey.base64)")
        #expect(ConsoleSession(text: text, masterKey: rotated) == Self.session)
        #expect(ConsoleSession(text: text, masterKey: .generate()) == nil)
    }

    @Test("is not read from a text that was changed in any place, or from any other text")
    func changed() throws {
        let masterKey = MasterKey.generate()
        let text = try #require(Self.session.text(masterKey: masterKey))
        for offset in text.indices {
            var changed = text
            changed.replaceSubrange(offset...offset, with: text[offset] == "0" ? "1" : "0")
            #expect(ConsoleSession(text: changed, masterKey: masterKey) == nil, "\(changed)")
            #expect(ConsoleSession(text: String(text[..<offset]), masterKey: masterKey) == nil)
        }
        let others = [
            "...", "abc123.1.1.", "abc123.1e999.1.00", "abc123.\(String(repeating: "9", count: 40)).1.00", "\(text).",
            text.uppercased(), "\(text)\u{0}", String(repeating: "a\u{301}", count: 100_000),
        ]
        for other in others { #expect(ConsoleSession(text: other, masterKey: masterKey) == nil) }
    }

    @Test("ends 8 hours after its renewal, and 24 hours after the sign-in")
    func times() {
        #expect(Self.session.isValid(now: Self.start + 8 * 3600 - 1))
        #expect(!Self.session.isValid(now: Self.start + 8 * 3600))
        let renewed = Self.session.renewed(now: Self.start + 7 * 3600)
        #expect(renewed.expiresAt == Self.start + 15 * 3600)
        let last = renewed.renewed(now: Self.start + 23 * 3600)
        #expect(last.isValid(now: Self.start + 24 * 3600 - 1))
        #expect(!last.isValid(now: Self.start + 24 * 3600))
    }

    @Test("does not begin in the future, except for a minute between clocks that differ")
    func future() {
        #expect(Self.session.isValid(now: Self.start - 60))
        #expect(!Self.session.isValid(now: Self.start - 61))
    }
}
