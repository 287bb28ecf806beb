// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// When a line is paused, and for how long.
struct BreakerRule: Sendable {
    /// For how long answers count together.
    var stormWindow: Duration = .seconds(10)

    /// How many overloads make a storm, at least; a token that is sent to too often counts once.
    var stormCount = 50

    /// Which share of the answers they have to be, 0...1.
    var stormShare = 0.5

    /// How long a line has to answer before its next pause is a short one again.
    var calm: Duration = .seconds(60)

    /// How long a line is paused that cannot be reached.
    var outage = RetryBackoff(minimum: .seconds(1), maximum: .seconds(30))

    /// How long a line is paused whose credential APNs refuses.
    var refusal = RetryBackoff(minimum: .seconds(10), maximum: .seconds(300))

    /// How long a line is paused that answers with overload.
    var storm = RetryBackoff(minimum: .seconds(5), maximum: .seconds(120))

    /// How long to pause after so many pauses in a row.
    func delay(
        for cause: Breaker.Cause,
        after pauses: Int,
        using generator: inout some RandomNumberGenerator
    ) -> Duration {
        switch cause {
        case .unreachable: self.outage.delay(after: pauses, using: &generator)
        case .credential: self.refusal.delay(after: pauses, using: &generator)
        case .overload: self.storm.delay(after: pauses, using: &generator)
        }
    }
}

extension BreakerRule {
    /// The rule that a configuration asks for.
    init(_ configuration: DeliveryConfiguration) {
        self.init()
        self.stormWindow = configuration.stormWindow
        self.stormCount = max(1, configuration.stormCount)
        self.stormShare = min(max(0, configuration.stormShare), 1)
        self.outage = configuration.outageBackoff
        self.refusal = configuration.refusalBackoff
        self.storm = configuration.stormBackoff
    }
}
