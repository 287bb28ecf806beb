// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import NIOCore

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
    /// The outcome is settled.
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
