// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs
public import HTTP2Session

/// Something that goes wrong on purpose: which requests it strikes, how often, and what happens to them.
public struct SimulatorFault: Sendable, Hashable {
    /// What happens to a request that is struck.
    public enum Action: Sendable, Hashable {
        /// The request is answered with this rejection; no rule is asked.
        case reject(Rejection)
        /// The rules are applied at once, and the answer is held back for this long.
        case delay(Duration)
        /// The connection is told to go away with `{"reason":…}`; the request and later ones are not taken.
        ///
        /// `lastStreamID` is the last stream that is still answered; `nil` names the one before the request's.
        case goAway(reason: RejectionReason, code: HTTP2ErrorCode, lastStreamID: Int32?)
        /// The stream is reset.
        case reset(HTTP2ErrorCode)
        /// The connection is cut without a word.
        case drop
        /// There is never an answer.
        case silence
    }

    /// Which requests may be struck.
    ///
    /// Every condition has to hold; without any, all requests do.
    public struct Match: Sendable, Hashable {
        /// The device token in the path, in hexadecimal, upper or lower case.
        public var token: String?
        /// The app that the topic belongs to, whatever suffix the push type gives it.
        public var bundleID: String?

        /// Conditions; `nil` is none.
        public init(token: String? = nil, bundleID: String? = nil) {
            self.token = token
            self.bundleID = bundleID
        }
    }

    /// What happens.
    public var action: Action
    /// Which requests may be struck.
    public var match: Match
    /// How many requests are struck before the fault is spent; `nil` never spends it.
    ///
    /// Default: `nil`.
    public var count: Int?
    /// The share of matching requests that is struck.
    ///
    /// Range: 0...1. Default: 1.
    public var rate: Double
    /// What the dice of ``rate`` start from: the same seed strikes the same requests again.
    ///
    /// Default: 0.
    public var seed: UInt64
    /// Whether a request that gets no answer is delivered all the same: only its answer is lost.
    ///
    /// Default: `false`. A delayed request always is; a rejected one never.
    public var deliversFirst: Bool

    /// A fault.
    public init(
        _ action: Action,
        match: Match = Match(),
        count: Int? = nil,
        rate: Double = 1,
        seed: UInt64 = 0,
        deliversFirst: Bool = false
    ) {
        self.action = action
        self.match = match
        self.count = count
        self.rate = rate
        self.seed = seed
        self.deliversFirst = deliversFirst
    }

    /// Whether the rules are asked and the notification is delivered although the fault strikes.
    var processesRequest: Bool {
        switch self.action {
        case .delay: true
        case .reject: false
        case .goAway, .reset, .drop, .silence: self.deliversFirst
        }
    }
}
