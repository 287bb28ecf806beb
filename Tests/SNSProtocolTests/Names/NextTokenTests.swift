// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Testing

@testable import SNSProtocol

@Suite("Next tokens")
struct NextTokenTests {
    private static let key = [UInt8](repeating: 7, count: 32)
    private let codec = NextTokenCodec(keys: { [Self.key] })
    private let refusal = SNSError(.invalidParameter, "Invalid parameter: NextToken")

    @Test("a place comes back from its token, which a URL can carry", arguments: ["a", "寿司/+=", "0", "x\u{0}y"])
    func roundTrip(place: String) throws {
        let token = self.codec.encode(place, of: "ListTopics")
        #expect(token.utf8.allSatisfy { ResourceName.isWordByte($0) })
        #expect(try self.codec.decode(token, of: "ListTopics") == place)
    }

    @Test("a token of another list, of another server, or changed, is refused")
    func refused() throws {
        let token = self.codec.encode("place", of: "ListSubscriptionsByTopic arn:1")
        #expect(throws: self.refusal) { try self.codec.decode(token, of: "ListSubscriptionsByTopic arn:2") }
        let other = NextTokenCodec(keys: { [[UInt8](repeating: 8, count: 32)] })
        #expect(throws: self.refusal) { try other.decode(token, of: "ListSubscriptionsByTopic arn:1") }
        for index in token.indices {
            var changed = token
            changed.replaceSubrange(index...index, with: token[index] == "A" ? "B" : "A")
            #expect(throws: self.refusal) {
                guard try self.codec.decode(changed, of: "ListSubscriptionsByTopic arn:1") == "place" else { return }
                // The last letter of Base64 may have bits that mean nothing.
                guard index == token.index(before: token.endIndex) else { return }
                throw self.refusal
            }
        }
    }

    @Test("the first key makes tokens, and all keys verify them")
    func severalKeys() throws {
        let newKey = [UInt8](repeating: 8, count: 32)
        let both = NextTokenCodec(keys: { [newKey, Self.key] })
        #expect(try both.decode(self.codec.encode("place", of: "ListTopics"), of: "ListTopics") == "place")
        let token = both.encode("place", of: "ListTopics")
        #expect(try NextTokenCodec(keys: { [newKey] }).decode(token, of: "ListTopics") == "place")
        #expect(throws: self.refusal) { try self.codec.decode(token, of: "ListTopics") }
    }

    @Test("what is no token is refused", arguments: ["", "x", "!!!", "QUJD", String(repeating: "A", count: 100_000)])
    func noToken(text: String) {
        #expect(throws: self.refusal) { try self.codec.decode(text, of: "ListTopics") }
    }
}
