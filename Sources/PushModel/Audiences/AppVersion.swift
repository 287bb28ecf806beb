// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation

/// An app version that is compared number by number: `2.10` is later than `2.9`, and `2` equals `2.0`.
///
/// Characters after the numbers, such as `-beta`, are ignored: `2.0-beta` counts as `2.0`.
public struct AppVersion: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The version as it was written.
    public let description: String

    /// A string whose bytewise order is the order of versions.
    ///
    /// It has each number as a letter for the count of digits, followed by the digits: `2.10` is `b2c10`. Zeros at the
    /// end are omitted, so that equal versions have equal keys.
    public let sortKey: String

    /// Reads a version; `nil` when it does not begin with a number.
    ///
    /// At most 16 numbers count, each of up to 18 digits.
    public init?(_ text: String) {
        var numbers: [Substring.UTF8View] = []
        for part in text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false) {
            let digits = part.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
            if digits.isEmpty { break }
            numbers.append(digits.drop { $0 == UInt8(ascii: "0") })
            if digits.count < part.count || numbers.count == Self.maximumNumbers { break }
        }
        guard !numbers.isEmpty, numbers.allSatisfy({ $0.count <= Self.maximumDigits }) else { return nil }
        while numbers.count > 1, numbers.last?.isEmpty == true { numbers.removeLast() }
        var key: [UInt8] = []
        for number in numbers {
            key.append(UInt8(ascii: "a") + UInt8(number.count))
            key += number
        }
        self.description = text
        self.sortKey = String(decoding: key, as: UTF8.self)
    }

    private static let maximumNumbers = 16
    private static let maximumDigits = 18

    public static func < (left: AppVersion, right: AppVersion) -> Bool {
        left.sortKey.utf8.lexicographicallyPrecedes(right.sortKey.utf8)
    }

    public static func == (left: AppVersion, right: AppVersion) -> Bool { left.sortKey == right.sortKey }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(self.sortKey)
    }
}
