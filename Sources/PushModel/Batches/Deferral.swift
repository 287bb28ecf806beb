// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A target that was passed over: it has no outcome yet and is sent to (again) later, with the same `apns-id`.
public struct Deferral: Hashable, Sendable {
    /// The most that ``attempts`` and ``delays`` count to.
    public static let maximumCount = Int(UInt16.max)

    /// What ``notBefore`` is of a target that may be sent to at once, also by a clock that is set back.
    public static let atOnce = Date(millisecondsSince1970: 0)

    /// The target's index in the batch.
    public let index: Int

    /// How many attempts came to nothing, of those of which only so many are made: 0...65,535.
    public let attempts: Int

    /// How often APNs asked for a delay: 0...65,535.
    public let delays: Int

    /// The time from which it may be sent to; kept to the millisecond, rounded down.
    public let notBefore: Date

    /// Describes a target that was passed over.
    ///
    /// - Parameters:
    ///   - index: its index in the batch.
    ///   - attempts: how many attempts came to nothing; larger numbers count as 65,535.
    ///   - delays: how often APNs asked for a delay; larger numbers count as 65,535.
    ///   - notBefore: the time from which it may be sent to.
    public init(index: Int, attempts: Int = 0, delays: Int = 0, notBefore: Date) {
        self.index = index
        self.attempts = min(max(0, attempts), Self.maximumCount)
        self.delays = min(max(0, delays), Self.maximumCount)
        self.notBefore = Date(millisecondsSince1970: notBefore.millisecondsSince1970)
    }
}
