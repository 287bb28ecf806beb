// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Logging
import Metrics
import PushModel
import Synchronization

/// Counts, logs and slows down requests without a valid key.
///
/// Each address may fail 60 times at once, and once a second after that. Then its requests are refused without a look into the
/// store, unless they name a key that has been read lately: others behind the same proxy go on working.
final class AuthenticationFailures: Sendable {
    /// How many failures an address may have at once.
    static let burst = 60

    /// How many addresses are remembered.
    private static let maximumAddresses = 10_000

    private struct State {
        /// When each address will have made up for its failures, which is a second for each.
        var paidOff: [ClientAddress: ContinuousClock.Instant] = [:]
        var loggedAt: ContinuousClock.Instant?
        var unlogged = 0
    }

    private let metrics: any MetricsFactory
    private let state = Mutex(State())

    init(metrics: any MetricsFactory) {
        self.metrics = metrics
    }

    /// Whether an address has failed too often to be listened to.
    func isThrottled(_ address: ClientAddress?, now: ContinuousClock.Instant = .now) -> Bool {
        guard let address else { return false }
        return self.state.withLock { state in
            state.paidOff[address].map { $0 - now > .seconds(Self.burst) } ?? false
        }
    }

    /// Counts a failure, and logs it unless another one was logged within the last second.
    ///
    /// `key` is the id that the request named, where it named one.
    func note(
        _ code: ProblemCode,
        key: APIKeyID?,
        from address: ClientAddress?,
        logger: Logger,
        now: ContinuousClock.Instant = .now
    ) {
        Counter(
            label: "apus_http_authentication_failures_total",
            dimensions: [("reason", code.rawValue)],
            factory: self.metrics
        ).increment()
        let unlogged = self.state.withLock { state -> Int? in
            if let address {
                if state.paidOff.count >= Self.maximumAddresses {
                    state.paidOff = state.paidOff.filter { $0.value > now }
                }
                if state.paidOff.count >= Self.maximumAddresses { state.paidOff.removeAll() }
                let paidOff = max(state.paidOff[address] ?? now, now)
                // No more than a minute of penance, however many there were.
                state.paidOff[address] = min(paidOff + .seconds(1), now + .seconds(Self.burst + 60))
            }
            if let last = state.loggedAt, now - last < .seconds(1) {
                state.unlogged += 1
                return nil
            }
            defer { (state.loggedAt, state.unlogged) = (now, 0) }
            return state.unlogged
        }
        guard let unlogged else { return }
        logger.notice(
            "A request had no valid key",
            metadata: [
                "address": "\(address?.description ?? "unknown")", "key.id": "\(key?.rawValue ?? "none")",
                "problem.code": "\(code.rawValue)", "unlogged": "\(unlogged)",
            ]
        )
    }
}
