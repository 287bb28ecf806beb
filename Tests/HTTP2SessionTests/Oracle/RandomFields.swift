// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ApusTesting

/// Makes header lists as a peer might send them: much that comes again, some that never does, all kinds of characters.
struct RandomFields {
    private static let names: [StaticString] = [
        "apns-topic", "apns-push-type", "apns-priority", "authorization", "x", "accept", "user-agent", "cookie",
        "x-a-name-that-is-longer-than-most-names-are", "content-type", "apns-id",
    ]

    var random: SeededRandom

    init(seed: UInt64) {
        self.random = SeededRandom(seed: seed)
    }

    /// A request's fields.
    mutating func request() -> [(name: StaticString, value: [UInt8], isIndexed: Bool)] {
        var fields: [(name: StaticString, value: [UInt8], isIndexed: Bool)] = [
            (":method", Array("POST".utf8), true),
            (":scheme", Array("https".utf8), true),
            (":authority", Array("api.push.example".utf8), true),
            (":path", Array("/3/device/".utf8) + self.hexadecimal(64), false),
        ]
        for _ in 0..<Int.random(in: 0...9, using: &self.random) {
            let name = Self.names.randomElement(using: &self.random) ?? "x"
            fields.append((name, self.value(), Int.random(in: 0..<3, using: &self.random) > 0))
        }
        return fields
    }

    private mutating func value() -> [UInt8] {
        switch Int.random(in: 0..<6, using: &self.random) {
        case 0: return []
        case 1: return Array("value \(Int.random(in: 0..<4, using: &self.random))".utf8)
        case 2: return self.hexadecimal(36)
        // Every byte that may stand in a value, the rare ones of Huffman's code among them.
        case 3: return [0x61] + self.bytes(40, of: Array(0x20...0x7e) + Array(0x80...0xff) + [0x09]) + [0x62]
        case 4: return [UInt8](repeating: 0x7a, count: Int.random(in: 0...600, using: &self.random))
        default: return Array("a constant value".utf8)
        }
    }

    private mutating func hexadecimal(_ count: Int) -> [UInt8] { self.bytes(count, of: Array("0123456789abcdef".utf8)) }

    private mutating func bytes(_ count: Int, of choice: [UInt8]) -> [UInt8] {
        (0..<count).map { _ in choice.randomElement(using: &self.random) ?? 0x20 }
    }
}
