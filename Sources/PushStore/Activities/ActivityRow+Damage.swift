// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// An activity that was set aside, since what is stored of it cannot be read: it keeps no other from being looked after.
///
/// It is looked at again after a while, since a newer version may read it, or somebody mend it. It is over when its phones
/// do not show it any more.
package struct SetAside: Sendable {
    /// How many seconds it is left alone.
    private static let seconds = 3600.0

    package let activity: Int64
    package let time: Date
    /// When it is looked at again.
    package let until: Date
    /// Why it was set aside, for its timeline.
    package let reason: String

    /// An activity that could not be read.
    package init(_ activity: Int64, _ error: StoreError, now: Date) {
        self.activity = activity
        self.time = now
        self.until = now.addingTimeInterval(Self.seconds)
        self.reason = error.message
    }
}

/// Reads something; `nil` when it is damaged.
///
/// - Throws: what the body throws for any other reason.
package func readable<Value>(_ body: () throws -> Value) throws -> Value? {
    do {
        return try body()
    } catch let error as StoreError where error.code == .corrupt {
        return nil
    }
}

/// Reads what there is under some keys; where something of it is damaged, the rest all the same.
///
/// - Parameters:
///   - keys: the keys.
///   - onDamage: told of each key under which there is something that cannot be read.
///   - body: reads what there is under keys.
/// - Returns: what could be read.
/// - Throws: what the body throws for any other reason.
package func readable<Key, Row>(
    _ keys: [Key],
    onDamage: (Key) -> Void = { _ in },
    _ body: ([Key]) throws -> [Row]
) throws -> [Row] {
    if let rows = try readable({ try body(keys) }) { return rows }
    guard keys.count > 1 else {
        keys.forEach(onDamage)
        return []
    }
    let middle = keys.count / 2
    return try readable(Array(keys[..<middle]), onDamage: onDamage, body)
        + readable(Array(keys[middle...]), onDamage: onDamage, body)
}
