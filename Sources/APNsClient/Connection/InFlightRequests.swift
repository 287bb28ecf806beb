// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import NIOCore

/// The requests in flight of a connection, by the slots of their streams, and the received parts of their responses.
struct InFlightRequests {
    private var requests: [InFlightRequest?] = []
    private var errorBodies = ErrorResponseBodies()
    private(set) var count = 0

    /// Every slot that a request may be in.
    var slots: Range<Int> { self.requests.indices }

    /// A request goes out on the stream in a slot, which is free.
    mutating func add(_ request: InFlightRequest, in slot: Int) {
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

    /// Removes a request, and returns it with the received part of its response body; `nil` if there is none.
    mutating func take(_ slot: Int) -> (request: InFlightRequest, body: [UInt8])? {
        guard slot < self.requests.count, let request = self.requests[slot].take() else { return nil }
        self.count -= 1
        return (request, self.errorBodies.take(slot))
    }

    /// Marks the requests whose deadlines have passed, each once; they stay until their streams are closed.
    ///
    /// - Returns: these, with their slots, and when the oldest of all was sent.
    mutating func expire(now: NIODeadline) -> (late: [(slot: Int, request: InFlightRequest)], oldest: NIODeadline?) {
        var late: [(slot: Int, request: InFlightRequest)] = []
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

/// The state of one request in flight.
struct InFlightRequest {
    let job: SendOperation
    /// Which of the job's targets it is for.
    let index: Int32
    let sentAt: NIODeadline
    /// The status that was received; 0 before it was.
    var status: UInt16 = 0
    /// Whether the caller has the timeout already; only the stream must be closed.
    var isExpired = false

    init(job: SendOperation, index: Int, sentAt: NIODeadline) {
        self.job = job
        self.index = Int32(index)
        self.sentAt = sentAt
    }

    /// Whether the received part is a response: a complete one, a success, or a rejection with its reason.
    ///
    /// Retrying such a request could deliver it twice. A rejection that was cut off before its reason is no information
    /// about the notification.
    func isAnswered(by body: [UInt8], isWhole: Bool) -> Bool {
        guard self.status >= 200 else { return false }
        if isWhole || self.status == 200 { return true }
        return Rejection(status: Int(self.status), body: body).reason != .unknown
    }
}

/// The action of a connection for a request with a response from APNs.
enum ResponseAction {
    case settled(SendOutcome)
    /// The same request may succeed on another connection; this one accepts no more work.
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
struct ErrorResponseBodies {
    /// The most bytes of a body that are kept.
    ///
    /// Apple's are below 100.
    private static let maximumCount = 1024

    private var bodies: [Int: [UInt8]] = [:]

    /// Appends a part of a body; bytes beyond the limit are dropped.
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
