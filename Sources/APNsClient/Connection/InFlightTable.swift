// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import NIOCore

/// The requests that a connection has on the wire, by the slots of their streams, and what has come of their answers.
struct InFlightTable {
    private var requests: [InFlight?] = []
    private var errorBodies = ErrorBodies()
    private(set) var count = 0

    /// Every slot that a request may be in.
    var slots: Range<Int> { self.requests.indices }

    /// A request goes out on the stream in a slot, which is free.
    mutating func add(_ request: InFlight, in slot: Int) {
        while self.requests.count <= slot { self.requests.append(nil) }
        self.requests[slot] = request
        self.count += 1
    }

    mutating func received(status: UInt16, in slot: Int) {
        self.requests[slot]?.status = status
    }

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

/// What a connection knows of one request that is on the wire.
struct InFlight {
    let job: SendJob
    /// Which of the job's targets it is for.
    let index: Int32
    let sentAt: NIODeadline
    /// The status that was received; 0 before it was.
    var status: UInt16 = 0
    /// Whether the caller was told that its deadline passed; the stream only has to be closed.
    var isExpired = false

    init(job: SendJob, index: Int, sentAt: NIODeadline) {
        self.job = job
        self.index = Int32(index)
        self.sentAt = sentAt
    }

    /// Whether what has come is an answer: a whole one, a success, or a rejection that names its reason.
    ///
    /// To send such a request again could deliver twice. A rejection that was cut off before it named its reason says
    /// nothing of the notification.
    func isAnswered(by body: [UInt8], isWhole: Bool) -> Bool {
        guard self.status >= 200 else { return false }
        if isWhole || self.status == 200 { return true }
        return Rejection(status: Int(self.status), body: body).reason != .unknown
    }
}

/// What a connection must do with a request that APNs has answered.
enum Answer {
    case settled(SendOutcome)
    /// The same request may succeed on another connection; this one takes no more work.
    case sendElsewhere(fallback: SendOutcome)

    init(status: UInt16, body: [UInt8]) {
        guard status != 200 else {
            self = .settled(.accepted)
            return
        }
        let rejection = Rejection(status: Int(status), body: body)
        switch rejection.reason {
        case .expiredProviderToken, .tooManyProviderTokenUpdates, .unrelatedKeyIDInToken, .shutdown, .idleTimeout:
            self = .sendElsewhere(fallback: .rejected(rejection))
        default:
            self = .settled(.rejected(rejection))
        }
    }
}

/// The bodies of answers other than 200, as far as they have come, by the slots of their streams.
struct ErrorBodies {
    /// The most bytes of a body that are kept.
    ///
    /// Apple's are below 100.
    private static let maximumCount = 1024

    private var bodies: [Int: [UInt8]] = [:]

    /// Adds a piece of a body; what is beyond the limit is dropped.
    mutating func append(_ bytes: UnsafeRawBufferPointer, to slot: Int) {
        let room = Self.maximumCount - self.bodies[slot, default: []].count
        self.bodies[slot, default: []].append(contentsOf: bytes.prefix(max(0, room)))
    }

    /// Takes a body out; empty where nothing came.
    mutating func take(_ slot: Int) -> [UInt8] {
        guard !self.bodies.isEmpty else { return [] }
        return self.bodies.removeValue(forKey: slot) ?? []
    }
}
