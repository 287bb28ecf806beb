// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import NIOCore

/// The requests that a connection has on the wire, by the slots of their streams, and what has come of their answers.
struct InFlightTable {
    private var requests: [InFlight?] = []
    private var errorBodies = ErrorBodies()
    /// How many there are.
    private(set) var count = 0

    /// Every slot that a request may be in.
    var slots: Range<Int> { self.requests.indices }

    /// A request goes out on the stream in a slot, which is free.
    mutating func add(_ request: InFlight, in slot: Int) {
        while self.requests.count <= slot { self.requests.append(nil) }
        self.requests[slot] = request
        self.count += 1
    }

    /// The status of an answer came.
    mutating func received(status: UInt16, in slot: Int) {
        self.requests[slot]?.status = status
    }

    /// A piece of the body of an answer came.
    mutating func received(_ bytes: UnsafeRawBufferPointer, in slot: Int) {
        guard let status = self.requests[slot]?.status, status != 200 else { return }
        self.errorBodies.append(bytes, to: slot)
    }

    /// Takes a request off the wire, with what came of the body of its answer; `nil` where there is none.
    mutating func take(_ slot: Int) -> (request: InFlight, body: [UInt8])? {
        guard slot < self.requests.count, let request = self.requests[slot].take() else { return nil }
        self.count -= 1
        return (request, self.errorBodies.take(slot))
    }

    /// Marks the requests whose deadlines have passed, each once; they stay until their streams are closed.
    ///
    /// - Parameter now: the time.
    /// - Returns: these, with their slots, and when the oldest of all was sent.
    mutating func expire(now: NIODeadline) -> (late: [(slot: Int, request: InFlight)], oldest: NIODeadline?) {
        var late: [(slot: Int, request: InFlight)] = []
        var oldest: NIODeadline?
        guard self.count > 0 else { return (late, oldest) }
        for slot in self.requests.indices {
            guard let request = self.requests[slot] else { continue }
            oldest = min(oldest ?? now, request.sentAt)
            guard request.job.deadline <= now, !request.isExpired else { continue }
            self.requests[slot]?.isExpired = true
            late.append((slot, request))
        }
        return (late, oldest)
    }
}
