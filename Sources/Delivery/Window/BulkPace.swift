// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// How fast bulk work goes on while there is urgent work: a value without a clock.
///
/// Where the processor is full, whoever waits for one notification waits for the turns of a campaign. So that works in
/// small, even pieces then, at a rate that leaves room.
struct BulkPace {
    /// For how long more urgent work is expected after some began.
    static let attention: Duration = .milliseconds(200)

    /// How much time one piece of bulk work is for.
    static let turn: Duration = .milliseconds(5)

    private let rate: Int?
    private let piece: Int
    private var attentiveUntil: ContinuousClock.Instant?
    private var nextTurn: ContinuousClock.Instant?

    /// A pace at which no urgent work has been seen.
    ///
    /// - Parameter rate: how many targets of bulk work are sent to in a second beside urgent work, at least 1; `nil` holds
    ///   nothing back.
    init(rate: Int?) {
        self.rate = rate.map { max(1, $0) }
        self.piece = self.rate.map { max(1, Int(Double($0) * (Self.turn / .seconds(1)))) } ?? .max
    }

    /// Urgent work begins.
    mutating func urgentWorkBegan(now: ContinuousClock.Instant) {
        self.attentiveUntil = now.advanced(by: Self.attention)
    }

    /// Gives bulk work its next turn.
    ///
    /// - Parameters:
    ///   - wanted: how many targets it would send to.
    ///   - now: the time.
    /// - Returns: how many it may send to, at most `wanted`, and when; `nil` is at once.
    mutating func bulkTurn(
        _ wanted: Int,
        now: ContinuousClock.Instant
    ) -> (count: Int, begin: ContinuousClock.Instant?) {
        guard let rate, let attentiveUntil, now < attentiveUntil else { return (wanted, nil) }
        let count = min(wanted, self.piece)
        let begin = max(now, self.nextTurn ?? now)
        self.nextTurn = begin.advanced(by: .seconds(1) * count / rate)
        return (count, begin > now ? begin : nil)
    }
}
