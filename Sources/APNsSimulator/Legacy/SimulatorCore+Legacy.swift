// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs

extension SimulatorCore {
    /// What became of a notification of the binary gateway.
    enum LegacyHandling: Sendable {
        /// It was taken; the sender is told nothing.
        case taken
        /// It is bad, or a fault says so.
        case refused(LegacyStatus)
        /// A fault cuts the connection.
        case dropped
    }

    /// Takes a notification of the binary gateway through faults, rules and delivery.
    func handle(
        _ notification: BinaryNotification,
        topic: String?,
        rules: LegacyRules,
        apnsID: APNsID
    ) -> LegacyHandling {
        let now = self.now
        let request = RequestHead(notification, topic: topic ?? "")
        return self.withWorld(at: now) { world in
            let now = min(now, world.now)
            world.statistics.requests += 1
            if !world.faults.isEmpty, let fault = world.faults.strike(request, now: now) {
                world.statistics.faulted += 1
                switch fault.action {
                case .reject(let rejection), .garble(let rejection, _):
                    return .refused(LegacyStatus(rejection.reason))
                case .goAway(let reason, _, _): return .refused(LegacyStatus(reason))
                case .drop, .reset: return .dropped
                case .silence: return .taken
                case .delay, .latency, .hold, .settings, .connection, .unreachable:
                    // What is taken has no answer that could be late.
                    break
                }
            }
            switch rules.judge(notification, topic: topic, world: world, now: now) {
            case .refused(let status): return .refused(status)
            case .gone(let since):
                // A notification that has expired is no failure of delivery.
                if notification.expiry.map({ Double($0) > now }) ?? true {
                    let seconds = UInt32(clamping: since / 1000)
                    world.feedback.add(notification.token, topic: topic ?? "", seconds: seconds)
                }
            case .accepted(let index):
                let facts = RequestFacts(request, switches: self.configuration.switches)
                world.accept(request, facts, for: index, apnsID: apnsID, now: now)
            }
            return .taken
        }
    }
}
