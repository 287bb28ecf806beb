// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation

@testable import APNsSimulator

/// One change of a JSON document: what stands in one place is another value, gone, or there twice.
struct DocumentMutation {
    private var place: Int
    private var dice: SplitMix64

    /// What is put in the place of something.
    private static var values: [Any] {
        [
            -1, 0, 1, 255, 1 << 31, Int.max, Int.min, 1e17, -1e300, 1e300, "", "x", [Any](), [String: Any](),
            NSNull(), true,
        ]
    }

    /// A change of a document, by dice.
    static func apply(to document: Any, seed: UInt64) -> Any {
        var dice = SplitMix64(seed: seed)
        let place = Int.random(in: 0..<Self.count(document), using: &dice)
        var mutation = DocumentMutation(place: place, dice: dice)
        return mutation.change(document) ?? document
    }

    /// How many places there are.
    private static func count(_ value: Any) -> Int {
        switch value {
        case let members as [String: Any]: members.values.reduce(1) { $0 + self.count($1) }
        case let elements as [Any]: elements.reduce(1) { $0 + self.count($1) }
        default: 1
        }
    }

    /// The value with the change in it; `nil` where it is gone.
    private mutating func change(_ value: Any) -> Any? {
        self.place -= 1
        if self.place == -1 { return self.spoil(value) }
        guard self.place >= 0 else { return value }
        switch value {
        case let members as [String: Any]:
            var changed: [String: Any] = [:]
            for (name, member) in members.sorted(by: { $0.key < $1.key }) { changed[name] = self.change(member) }
            return changed
        case let elements as [Any]: return elements.compactMap { self.change($0) }
        default: return value
        }
    }

    private mutating func spoil(_ value: Any) -> Any? {
        switch value {
        case let text as String where text.count > 20:
            guard var data = Data(base64Encoded: text), data.count >= 16 else { break }
            // Packed rows: some bytes of one of them.
            let start = 4 * Int.random(in: 0..<(data.count / 4 - 1), using: &self.dice)
            let byte: UInt8 = [0, 1, 2, 0x7F, 0x80, 0xFF].randomElement(using: &self.dice) ?? 0
            let width = min([1, 4, 8].randomElement(using: &self.dice) ?? 1, data.count - start)
            for offset in 0..<width { data[start + offset] = byte }
            return data.base64EncodedString()
        case let elements as [Any] where !elements.isEmpty && Bool.random(using: &self.dice):
            return elements + [elements[Int.random(in: 0..<elements.count, using: &self.dice)]]
        default: break
        }
        if Int.random(in: 0..<8, using: &self.dice) == 0 { return nil }
        return Self.values.randomElement(using: &self.dice)
    }
}
