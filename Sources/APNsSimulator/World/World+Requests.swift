// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs

extension World {
    /// What has to be done about a request.
    struct Handling: Sendable {
        /// What the rules say; `nil` where a fault kept the request from them.
        var verdict: Verdict?
        /// The fault to play.
        var fault: SimulatorFault.Action?
        /// What the answer waits for, where the fault holds it back.
        var hold: AnswerHold?
    }

    /// Takes a request through faults, rules and delivery.
    mutating func handle(
        _ request: RequestHead,
        _ facts: RequestFacts,
        trust: inout ConnectionTrust,
        rules: ProviderRules,
        apnsID: APNsID,
        now: Double
    ) -> Handling {
        self.advance(to: now)
        self.statistics.requests += 1
        var strike: FaultStrike?
        if !self.faults.isEmpty, let struck = self.faults.strike(request, trust: trust, now: now) {
            self.statistics.faulted += 1
            guard struck.processesRequest else { return Handling(fault: struck.action) }
            strike = struck
        }
        let verdict = rules.judge(request, facts, trust: &trust, world: &self, now: now)
        switch verdict {
        case .accepted(let index): self.accept(request, facts, for: index, apnsID: apnsID, now: now)
        case .rejected(let rejection):
            self.statistics.rejected[rejection.reason, default: 0] += 1
        case .answered: break
        }
        return Handling(verdict: verdict, fault: strike?.action, hold: strike?.hold)
    }
}
