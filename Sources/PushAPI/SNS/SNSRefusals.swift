// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import Logging
import SNSProtocol
import Synchronization

/// Writes what is refused into the log: each request for whoever looks closely, and the rate of those that somebody tries
/// without a right to for everybody.
final class SNSRefusals: Sendable {
    /// How often the rate is written at most, in seconds.
    static let interval: TimeInterval = 60

    private static let suspicious: Set<SNSErrorCode> = [
        .missingAuthenticationToken, .incompleteSignature, .invalidClientTokenId, .signatureDoesNotMatch,
        .authorizationError,
    ]

    private struct Tally {
        var counts: [SNSErrorCode: Int] = [:]
        var writtenAt: Date?
    }

    private let tally = Mutex(Tally())
    private let now: @Sendable () -> Date

    init(now: @escaping @Sendable () -> Date) {
        self.now = now
    }

    /// Logs a refusal, which holds no secret, and `cause`, the server's own error.
    func note(
        _ refusal: SNSError,
        of action: SNSAction?,
        cause: (any Error)?,
        requestID: String,
        logger: Logger
    ) {
        let metadata: Logger.Metadata = [
            "sns.action": "\(action?.rawValue ?? "none")", "sns.code": "\(refusal.code.rawValue)",
            "sns.request": "\(requestID)",
        ]
        logger.log(level: cause == nil ? .debug : .error, "\(refusal.message)", error: cause, metadata: metadata)
        guard Self.suspicious.contains(refusal.code), let counts = self.count(refusal.code) else { return }
        let list = counts.map { "\($0.key.rawValue) \($0.value)" }.sorted().joined(separator: ", ")
        logger.warning("Requests to the SNS endpoint were not allowed", metadata: ["sns.refusals": "\(list)"])
    }

    /// Counts a refusal; the counts since the last time when they are to be written now.
    private func count(_ code: SNSErrorCode) -> [SNSErrorCode: Int]? {
        let now = self.now()
        return self.tally.withLock { tally in
            tally.counts[code, default: 0] += 1
            if let last = tally.writtenAt, (0..<Self.interval).contains(now.timeIntervalSince(last)) { return nil }
            defer { tally = Tally(writtenAt: now) }
            return tally.counts
        }
    }
}
