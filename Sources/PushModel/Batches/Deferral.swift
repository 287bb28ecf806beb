// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import Foundation

/// A target that was passed over: it has no outcome yet and is sent to (again) later, with the same `apns-id`.
public struct Deferral: Hashable, Sendable {
    /// The most that ``attempts`` and ``delays`` count to.
    public static let maximumCount = Int(UInt16.max)

    /// The value of ``notBefore`` for a target that may be sent to immediately, even if the clock is set back.
    public static let atOnce = Date(millisecondsSince1970: 0)

    public let index: Int

    /// The number of failed attempts that count towards the limit: 0...65,535.
    public let attempts: Int

    /// How often APNs asked for a delay: 0...65,535.
    public let delays: Int

    /// The time from which it may be sent to; kept to the millisecond, rounded down.
    public let notBefore: Date

    /// Describes a target that was passed over; numbers above ``maximumCount`` count as that.
    public init(index: Int, attempts: Int = 0, delays: Int = 0, notBefore: Date) {
        self.index = index
        self.attempts = min(max(0, attempts), Self.maximumCount)
        self.delays = min(max(0, delays), Self.maximumCount)
        self.notBefore = Date(millisecondsSince1970: notBefore.millisecondsSince1970)
    }
}

/// The compact stored form of the deferred targets of a batch: one value for all of them.
///
/// Layout: the number of the format (1), then for each run of consecutive targets that differ only in the index: the
/// first index, the count, the attempts and the delays (16 bits each), and the time in milliseconds since 1970 (64
/// bits), most significant byte first. A chunk that is in flight takes 16 bytes, regardless of its size.
public enum DeferralList {
    private static let format: UInt8 = 1
    private static let runSize = 16

    /// Writes deferrals, which are in the order of their indices.
    public static func encode(_ deferrals: [Deferral]) -> [UInt8] {
        var bytes = [self.format]
        var rest = deferrals[...]
        while let first = rest.first {
            let run = rest.enumerated().prefix { place, deferral in
                deferral.index == first.index + place && deferral.attempts == first.attempts
                    && deferral.delays == first.delays && deferral.notBefore == first.notBefore
            }
            for number in [first.index, run.count, first.attempts, first.delays] {
                bytes.append(UInt8(truncatingIfNeeded: number >> 8))
                bytes.append(UInt8(truncatingIfNeeded: number))
            }
            let time = first.notBefore.millisecondsSince1970
            for shift in stride(from: 56, through: 0, by: -8) { bytes.append(UInt8(truncatingIfNeeded: time >> shift)) }
            rest = rest.dropFirst(run.count)
        }
        return bytes
    }

    /// Reads the result of ``encode(_:)``.
    ///
    /// - Throws: ``DeferralListError`` if the bytes are invalid.
    public static func decode(_ bytes: [UInt8]) throws(DeferralListError) -> [Deferral] {
        guard bytes.first == self.format else { throw DeferralListError(offset: 0) }
        guard (bytes.count - 1).isMultiple(of: self.runSize) else { throw DeferralListError(offset: bytes.count) }
        var deferrals: [Deferral] = []
        for offset in stride(from: 1, to: bytes.count, by: self.runSize) {
            let numbers = stride(from: offset, to: offset + 8, by: 2).map { Int(bytes[$0]) << 8 | Int(bytes[$0 + 1]) }
            let time = bytes[(offset + 8)..<(offset + self.runSize)].reduce(Int64(0)) { $0 << 8 | Int64($1) }
            let (start, count) = (numbers[0], numbers[1])
            guard count > 0, start + count <= Batch.maximumTargets, start > deferrals.last?.index ?? -1 else {
                throw DeferralListError(offset: offset)
            }
            let notBefore = Date(millisecondsSince1970: time)
            deferrals += (start..<(start + count)).map {
                Deferral(index: $0, attempts: numbers[2], delays: numbers[3], notBefore: notBefore)
            }
        }
        return deferrals
    }
}

/// Bytes that are not a list of deferrals: the store's content is damaged.
public struct DeferralListError: Error, Hashable, CustomStringConvertible {
    public let offset: Int

    public var description: String { "the list of deferred targets is corrupt at byte \(self.offset)" }
}
