// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// What Apple says of one rejection reason.
public struct ReasonEntry: Hashable, Sendable {
    /// The HTTP status that the reason comes with.
    public var status: Int
    /// What it means, in one sentence.
    public var meaning: String
    /// What to do about it.
    public var nextStep: NextStep

    /// How long Apple asks to wait after a 5xx before the first retry: 15 minutes.
    public static let serverErrorDelay: Duration = .seconds(15 * 60)
    /// How long to wait after `TooManyRequests`: one minute.
    ///
    /// Apple asks for a delay and gives no figure.
    public static let tooManyRequestsDelay: Duration = .seconds(60)
    /// How long to wait after `TooManyProviderTokenUpdates`: Apple's 20 minutes between two provider tokens.
    public static let tokenUpdateDelay: Duration = .seconds(20 * 60)

    init(_ status: Int, _ meaning: String, _ nextStep: NextStep) {
        self.status = status
        self.meaning = meaning
        self.nextStep = nextStep
    }
}
