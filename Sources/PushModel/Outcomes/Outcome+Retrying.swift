// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs

extension Outcome {
    /// Whether the same notification to the same token may succeed another time, once its cause is gone.
    ///
    /// That is so of what was not the token's and not the request's fault: APNs asked for another attempt, refused the
    /// credential, or did not answer, or there was no time or no way to ask it. What was called off stays so.
    public var isRetryable: Bool {
        switch self {
        case .delivered: false
        case .rejected(let rejection):
            switch rejection.nextStep {
            case .retryNow, .retryLater, .fixCredential: true
            case .never, .pruneToken, .suspectToken, .fixRequest: false
            }
        case .failed(let code): FailureCode.retryable.contains(code)
        }
    }
}

extension FailureCode {
    /// The codes of failures that were not the token's and not the request's fault.
    public static let retryable: Set<FailureCode> = [
        .deadline, .connection, .expired, .noCredential, .badCredential, .store,
    ]
}
