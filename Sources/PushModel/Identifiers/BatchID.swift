// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs
public import Foundation

/// Identifies a batch and, with its unused low bits, every target of that batch.
///
/// It is a UUID of version 7, so batches sort by age; its lowest 14 bits are zero. The `apns-id` of a target is the ID
/// of the batch with the target's index in those bits. So it is the same for every attempt, and identifies the batch
/// without an index in the store.
public struct BatchID: Hashable, Comparable, Codable, Sendable, CustomStringConvertible {
    /// How many low bits are left for the index.
    public static let indexBits = 14

    private static let indexMask: UInt64 = 1 << UInt64(Self.indexBits) - 1

    /// The id as 16 bytes; its lowest 14 bits are zero.
    public let value: APNsID

    /// Takes an id whose lowest 14 bits are zero, or answers `nil`.
    public init?(_ value: APNsID) {
        guard value.low & Self.indexMask == 0 else { return nil }
        self.value = value
    }

    /// Draws a new id.
    ///
    /// Sixty of its bits are the time to the millisecond and 12 random bits, 48 more are random.
    public init(now: Date, using generator: inout some RandomNumberGenerator) {
        self.init(masking: TimeOrderedID.draw(now: now, using: &generator))
    }

    /// Draws a new id from the system's random numbers.
    public init(now: Date) {
        var generator = IdentifierRandomNumbers()
        self.init(now: now, using: &generator)
    }

    /// Draws ids in ascending order, all greater than one that was drawn before, as the order of failures asks.
    static func draw(
        _ count: Int,
        after last: BatchID?,
        now: Date,
        using generator: inout some RandomNumberGenerator
    ) -> [BatchID] {
        var time = now
        var ids: [BatchID] = []
        // No ID follows a corrupt one with the maximum value, so limit the number of draws.
        for _ in 0..<100 {
            ids = (0..<count).map { _ in BatchID(now: time, using: &generator) }.sorted()
            if (last ?? BatchID.first) < (ids.first ?? BatchID.last) { break }
            // Of the same millisecond only chance decides the order: the next one is certain to follow.
            time = max(time, last?.createdAt ?? time).addingTimeInterval(0.001)
        }
        return ids
    }

    private init(masking id: APNsID) {
        self.value = APNsID(high: id.high, low: id.low & ~Self.indexMask)
    }

    /// The creation time of the batch, to the millisecond, derived from its ID.
    public var createdAt: Date { Date(millisecondsSince1970: Int64(self.value.high >> 16)) }

    /// Before every other id.
    static let first = BatchID(masking: APNsID(high: 0, low: 0))

    /// Behind every other id.
    static let last = BatchID(masking: APNsID(high: .max, low: .max))

    /// The `apns-id` of one notification of this batch.
    ///
    /// `index` is within 0 ..< ``Batch/maximumTargets``.
    public func apnsID(at index: Int) -> APNsID {
        APNsID(high: self.value.high, low: self.value.low | UInt64(truncatingIfNeeded: index) & Self.indexMask)
    }

    /// Returns the batch and the target index of an `apns-id` created by ``apnsID(at:)``.
    ///
    /// It returns a result for any ID; only the store knows whether the batch and the target exist.
    public static func locate(_ id: APNsID) -> (batch: BatchID, index: Int) {
        (BatchID(masking: id), Int(id.low & Self.indexMask))
    }

    /// The lower-case UUID.
    public var description: String { self.value.description }

    /// Orders batches by age.
    public static func < (left: BatchID, right: BatchID) -> Bool { left.value < right.value }

    /// Reads the UUID's text; one with a set index bit is refused.
    public init(from decoder: any Decoder) throws {
        let value = try APNsID(from: decoder)
        guard let id = BatchID(value) else {
            let context = DecodingError.Context(
                codingPath: decoder.codingPath,
                debugDescription: "a batch id ends in 14 zero bits; this names one notification of a batch"
            )
            throw DecodingError.dataCorrupted(context)
        }
        self = id
    }

    public func encode(to encoder: any Encoder) throws {
        try self.value.encode(to: encoder)
    }
}
