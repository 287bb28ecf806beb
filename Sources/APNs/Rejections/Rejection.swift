// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// APNs said no to one request.
///
/// A value, not an error: rejections are ordinary traffic.
public struct Rejection: Hashable, Sendable, Codable {
    /// The HTTP status of the answer.
    public var status: Int
    /// The reason; ``RejectionReason/unknown`` if the answer named none.
    public var reason: RejectionReason
    /// When APNs found the token inactive, in milliseconds since 1970; only with status 410.
    public var inactiveSince: Int64?

    /// A rejection with this status and reason.
    public init(status: Int, reason: RejectionReason, inactiveSince: Int64? = nil) {
        self.status = status
        self.reason = reason
        self.inactiveSince = inactiveSince
    }

    /// A rejection for a known reason, with the status that belongs to it (400 for an unknown one).
    public init(_ reason: RejectionReason, inactiveSince: Int64? = nil) {
        self.init(status: reason.entry?.status ?? 400, reason: reason, inactiveSince: inactiveSince)
    }

    /// What to do about it: by the reason where it is known, else by the status.
    public var nextStep: NextStep { self.reason.entry?.nextStep ?? Self.nextStep(status: self.status) }

    private static func nextStep(status: Int) -> NextStep {
        switch status {
        case 410: .pruneToken
        case 413: .never
        case 429: .retryLater(after: ReasonEntry.tooManyRequestsDelay)
        case 401, 403: .fixCredential
        case 400..<500: .fixRequest
        case 500..<600: .retryLater(after: ReasonEntry.serverErrorDelay)
        default: .never
        }
    }
}

extension Rejection: CustomStringConvertible {
    /// Status and reason: `410 Unregistered`.
    public var description: String { "\(self.status) \(self.reason)" }
}
