// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs

/// The answer to a broadcast or to a channel management request.
struct ChannelAnswer: Equatable, Sendable {
    var status: Int
    /// `apns-request-id`: the request's, or one that was made up; on errors as well.
    var requestID: APNsID
    /// `apns-unique-id`, of a broadcast that was accepted.
    var uniqueID: APNsID?
    /// `apns-channel-id`, of a channel that was created.
    var channelID: String?
    var body: [UInt8] = []
    /// Why the request was refused.
    var rejection: Rejection?
    /// How many bytes of the body one DATA frame carries at most.
    var maximumFrame = Int.max

    init(status: Int, requestID: APNsID) {
        self.status = status
        self.requestID = requestID
    }

    /// A refusal.
    init(_ rejection: Rejection, requestID: APNsID) {
        self.status = rejection.status
        self.requestID = requestID
        self.body = rejection.body
        self.rejection = rejection
    }

    /// The refusal that a fault asks for; `nil` for a fault that asks for none.
    init?(_ fault: SimulatorFault.Action, requestID: APNsID) {
        switch fault {
        case .reject(let rejection): self.init(rejection, requestID: requestID)
        case .garble(let rejection, let body):
            self.init(rejection, requestID: requestID)
            self.body = body.bytes(for: rejection)
            self.maximumFrame = body.frameSize ?? .max
        default: return nil
        }
    }
}
