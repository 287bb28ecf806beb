// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs
import Crypto
public import Foundation

/// Identifies one run of a job and, with the same 16 bytes, the campaign that it creates.
///
/// The ID of a scheduled run follows from the job and its due time. So two schedulers cannot create two runs of one
/// occurrence, regardless of their clocks.
public struct JobRunID: TimeOrderedIdentifier {
    public let value: APNsID

    public init(_ value: APNsID) {
        self.value = value
    }

    public init(of job: Job, dueAt: Date) {
        var bits = OccurrenceHash(job, dueAt: dueAt).bits
        self.value = TimeOrderedID.draw(now: dueAt, using: &bits)
    }

    public var campaign: CampaignID { CampaignID(self.value) }

    /// An id that follows from the run and a text, the same for every attempt at it.
    ///
    /// It sorts by `time`.
    public func derived(by key: String, at time: Date) -> APNsID {
        var bits = OccurrenceHash("\(self)\n\(key)").bits
        return TimeOrderedID.draw(now: time, using: &bits)
    }
}

/// The hash of a job and one of its occurrences, which is the same in every process.
struct OccurrenceHash {
    /// Numbers that look random.
    struct Bits: RandomNumberGenerator {
        fileprivate var words: [UInt64]

        mutating func next() -> UInt64 { self.words.isEmpty ? 0 : self.words.removeFirst() }
    }

    let bits: Bits

    init(_ job: Job, dueAt: Date) {
        // A job that is deleted and created again is another job.
        let made = job.createdAt.millisecondsSince1970
        self.init("\(job.app)\n\(job.id)\n\(made)\n\(dueAt.millisecondsSince1970)")
    }

    init(_ name: String) {
        let digest = Array(SHA256.hash(data: Array(name.utf8)))
        self.bits = Bits(
            words: stride(from: 0, to: digest.count, by: 8).map { start in
                digest[start..<start + 8].reduce(0) { $0 << 8 | UInt64($1) }
            }
        )
    }

    /// A share of a span, from 0 to just below the whole.
    func share(ofMilliseconds span: Int64) -> Int64 {
        var bits = self.bits
        return span <= 0 ? 0 : Int64(bits.next() % UInt64(span))
    }
}
