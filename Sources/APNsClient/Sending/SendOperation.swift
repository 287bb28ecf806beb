// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import HTTP2Session
import NIOCore
import Synchronization

/// A batch that is being sent: its bytes at fixed addresses, an outcome for each target, and a completion.
///
/// Connections on several event loops work on it concurrently. Its state is divided so that no notification needs a
/// lock: ``outcomes`` has one writer for each index, ``remaining`` is atomic, and the rest is constant or protected by
/// the lock of the pool that queues it (``progress``).
final class SendOperation: @unchecked Sendable {
    /// The pool's state of a job; read and written only under the pool's lock.
    struct Progress {
        /// The first target that no connection has taken yet.
        var next = 0
        /// Targets to be sent again, which go before ``next``.
        var resends: [Int32] = []
        /// The attempts of targets that were returned, by index.
        var attempts: [Int: Attempts] = [:]
        var isQueued = false
        /// Whether the caller has cancelled: nothing is retried.
        var isCancelled = false
    }

    /// The attempts of one target that was returned.
    struct Attempts {
        var count = 0
        /// The outcome if it is not retried.
        var outcome: SendOutcome
    }

    let deadline: NIODeadline
    let count: Int
    /// The maximum number of retries of lost targets; see ``SendBatch/maximumResends``.
    let maximumResends: Int?
    var progress = Progress()

    private let storage: UnsafeMutableRawBufferPointer
    /// Where the payload that all share ends.
    private let payloadEnd: Int
    /// Where each target's own payload ends; empty when all share one.
    private let payloadEnds: [UInt32]
    private let fieldRanges: [(name: StaticString, value: Range<Int>)]
    /// Where the path of a broadcast is; `nil` when the targets are devices.
    private let broadcastPathRange: Range<Int>?
    private let tokens: TokenList
    private let firstID: APNsID?
    private let idOffsets: [UInt32]
    private let outcomes: UnsafeMutablePointer<SendOutcome>
    private let remaining: Atomic<Int>
    private let completion: @Sendable ([SendOutcome]) -> Void

    init(
        _ batch: SendBatch,
        deadline: NIODeadline,
        completion: @escaping @Sendable ([SendOutcome]) -> Void
    ) {
        self.deadline = deadline
        self.count = batch.tokens.count
        self.maximumResends = batch.maximumResends
        self.tokens = batch.tokens
        self.firstID = batch.firstID
        self.idOffsets = batch.idOffsets
        self.completion = completion
        self.remaining = Atomic(batch.tokens.count)
        self.outcomes = .allocate(capacity: max(1, self.count))
        self.outcomes.initialize(repeating: .accepted, count: self.count)

        var bytes: [UInt8]
        switch batch.payload {
        case .shared(let payload): (bytes, self.payloadEnds) = (payload.bytes, [])
        case .distinct(let payloads): (bytes, self.payloadEnds) = (payloads.bytes, payloads.ends)
        }
        self.payloadEnd = bytes.count
        self.fieldRanges = batch.headers.fields.compactMap { field in
            guard let name = field.name.wireName else { return nil }
            let start = bytes.count
            bytes.append(contentsOf: field.value.utf8)
            return (name, start..<bytes.count)
        }
        if batch.headers.isBroadcast {
            let start = bytes.count
            bytes.append(contentsOf: APNsPath.broadcast(bundleID: batch.headers.topic.rawValue).utf8)
            self.broadcastPathRange = start..<bytes.count
        } else {
            self.broadcastPathRange = nil
        }
        self.storage = .allocate(byteCount: max(1, bytes.count), alignment: 1)
        self.storage.copyBytes(from: bytes)
    }

    deinit {
        self.outcomes.deinitialize(count: self.count)
        self.outcomes.deallocate()
        self.storage.deallocate()
    }

    // MARK: Wire format

    /// The body of a target's request.
    ///
    /// It stays in place as long as the job.
    func payload(of index: Int) -> UnsafeRawBufferPointer {
        if self.payloadEnds.isEmpty { return UnsafeRawBufferPointer(rebasing: self.storage[..<self.payloadEnd]) }
        let start = index == 0 ? 0 : Int(self.payloadEnds[index - 1])
        return UnsafeRawBufferPointer(rebasing: self.storage[start..<Int(self.payloadEnds[index])])
    }

    /// Adds the headers that every request of the job shares.
    func appendFields(to table: inout HTTP2HeaderList) {
        for field in self.fieldRanges {
            let bytes = UnsafeRawBufferPointer(rebasing: self.storage[field.value])
            table.append(field.name, bytes.assumingMemoryBound(to: UInt8.self), .borrowed)
        }
    }

    /// Writes a target's token as hexadecimal digits.
    ///
    /// Returns how many were written: at most 200.
    func writeToken(_ index: Int, into output: UnsafeMutablePointer<UInt8>) -> Int {
        let start = index == 0 ? 0 : Int(self.tokens.ends[index - 1])
        let end = Int(self.tokens.ends[index])
        return self.tokens.bytes.withUnsafeBufferPointer { bytes in
            Hex.write(UnsafeBufferPointer(rebasing: bytes[start..<end]), into: output)
            return 2 * (end - start)
        }
    }

    /// The path of every request of a broadcast, which stays in place as long as the job; `nil` when the targets are
    /// devices.
    var broadcastPath: UnsafeBufferPointer<UInt8>? {
        self.broadcastPathRange.map { range in
            UnsafeRawBufferPointer(rebasing: self.storage[range]).bindMemory(to: UInt8.self)
        }
    }

    /// Writes a target's bytes as they are: of a broadcast, the text of its channel.
    ///
    /// Returns how many were written: at most 100.
    func writeChannel(_ index: Int, into output: UnsafeMutablePointer<UInt8>) -> Int {
        let start = index == 0 ? 0 : Int(self.tokens.ends[index - 1])
        let end = Int(self.tokens.ends[index])
        self.tokens.bytes.withUnsafeBufferPointer { bytes in
            for offset in start..<end { output[offset - start] = bytes[offset] }
        }
        return end - start
    }

    /// Whether the targets carry an `apns-id`.
    var hasIDs: Bool { self.firstID != nil }

    /// Writes a target's `apns-id`: 36 characters.
    func writeID(_ index: Int, into output: UnsafeMutableRawBufferPointer) {
        guard let firstID = self.firstID else { return }
        let offset = self.idOffsets.isEmpty ? UInt64(index) : UInt64(self.idOffsets[index])
        APNsID(high: firstID.high, low: firstID.low &+ offset).write(into: output)
    }

    // MARK: Outcomes

    /// Records the outcome of a target that was not accepted.
    ///
    /// Once for each index, before ``finish(_:)`` counts it.
    func record(_ outcome: SendOutcome, at index: Int) {
        self.outcomes[index] = outcome
    }

    /// Counts targets that are done.
    ///
    /// The last one calls the completion.
    func finish(_ count: Int) {
        guard self.remaining.subtract(count, ordering: .acquiringAndReleasing).newValue == 0 else { return }
        self.completion(Array(UnsafeBufferPointer(start: self.outcomes, count: self.count)))
    }

    /// Ends targets that are not sent, or not again.
    func fail(_ indices: some Collection<Int>, with failure: SendFailure, except outcomes: [Int: SendOutcome]) {
        guard !indices.isEmpty else { return }
        for index in indices { self.outcomes[index] = outcomes[index] ?? .failed(failure) }
        self.finish(indices.count)
    }
}

extension RequestHeader {
    /// The header's name as a constant that a session may borrow.
    fileprivate var wireName: StaticString? {
        switch self {
        case .topic: "apns-topic"
        case .pushType: "apns-push-type"
        case .priority: "apns-priority"
        case .expiration: "apns-expiration"
        case .collapseID: "apns-collapse-id"
        default: nil
        }
    }
}
