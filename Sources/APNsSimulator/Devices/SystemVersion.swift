// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// The version of a device's system.
public struct SystemVersion: Sendable, Hashable, Codable, Comparable, CustomStringConvertible {
    /// The number before the dot.
    public var major: Int
    /// The number behind the dot.
    public var minor: Int

    /// A version.
    public init(major: Int, minor: Int = 0) {
        self.major = major
        self.minor = minor
    }

    /// The version that a text such as `17.2` names; a third number is ignored, and so is a minor one that is missing.
    public init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        let numbers = parts.compactMap { Int($0) }
        guard (1...3).contains(parts.count), numbers.count == parts.count,
            numbers.allSatisfy({ (0...999).contains($0) })
        else { return nil }
        self.init(major: numbers[0], minor: numbers.count > 1 ? numbers[1] : 0)
    }

    /// The version as it is written.
    public var description: String { "\(self.major).\(self.minor)" }

    /// Orders versions by age.
    public static func < (left: SystemVersion, right: SystemVersion) -> Bool {
        (left.major, left.minor) < (right.major, right.minor)
    }
}
