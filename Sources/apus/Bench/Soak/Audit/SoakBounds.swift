// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// What the faults of a soak explain.
///
/// That is outcomes but `delivered`, and arrivals under the same `apns-id`; more is a breach.
struct SoakBounds: Sendable {
    let configuration: SoakConfiguration

    /// Which faults were played, and how many requests they struck.
    let played: SoakRecord.State

    /// What nothing explains that was played, in words.
    func breaches(in account: SoakAudit.Account) -> [String] {
        let wanted = account.accepted + account.unplanned
        var breaches = account.others.sorted { $0.key < $1.key }.compactMap { outcome, count in
            let most = self.most(of: outcome, account, wanted: wanted)
            return count > most ? "\(count) targets came to '\(outcome)'; what was played explains \(most)" : nil
        }
        let least = Int((Double(wanted) * self.leastDelivered).rounded(.up))
        if account.delivered < least {
            breaches.append("\(account.delivered) of \(wanted) targets were delivered; \(least) are the least")
        }
        if account.duplicates > self.mostDuplicates {
            breaches.append(
                "\(account.duplicates) arrivals came again under their apns-id; "
                    + "what was played explains \(self.mostDuplicates)"
            )
        }
        return breaches
    }

    /// Whether notifications are tried for longer than what APNs and the pauses of a sender hold up; in a shorter soak two
    /// pauses behind one another may take all of their time.
    private var isPatient: Bool { self.configuration.timeToLive >= SoakConfiguration.longestTimeToLive }

    /// The share of all targets that has to be delivered.
    private var leastDelivered: Double { self.isPatient ? 0.9 : 0.1 }

    private func most(of outcome: String, _ account: SoakAudit.Account, wanted: Int) -> Int {
        let window = self.configuration.window
        switch outcome {
        case "rejected BadDeviceToken":
            // A clock that is put back forgets the devices for a moment.
            return account.campaigns * self.configuration.strangers
                + self.faults(.clockJump) * self.configuration.workers * window
        case "rejected ServiceUnavailable": return self.strikes(.unavailable)
        case "rejected TooManyRequests": return self.strikes(.tooManyRequests)
        case "failed expired": return Int(Double(wanted) * (self.isPatient ? 0.05 : 0.9)) - account.unplanned
        case "failed connection", "failed deadline":
            // It takes three attempts, each of which has to be lost, so that those are few of what could be.
            let lost = self.strikes(.silence) + self.lostConnections * window
            return min(lost, 20 + wanted / 50)
        default: return 0
        }
    }

    /// At most as many as the window of a process are sent and not settled: so many come again for each process that dies, and
    /// for each connection that is lost; twice as many for one that stands still, as it goes on where it was.
    private var mostDuplicates: Int {
        let store = self.faults(.lockedStore) + self.faults(.restartedStore) + self.faults(.cutConnections)
        // While the store is away leases lapse. A machine that is busy takes a connection for dead without any fault.
        let windows =
            self.faults(.killedDeliverer) + 2 * self.faults(.stoppedDeliverer) + self.lostConnections
            + self.configuration.workers * (store + 1)
        return windows * self.configuration.window + self.strikes(.silence)
    }

    private var lostConnections: Int {
        self.strikes(.droppedConnections) + self.configuration.workers * self.faults(.unreachable)
    }

    private func faults(_ kind: SoakFault.Kind) -> Int { self.played.faults[kind.rawValue, default: 0] }

    private func strikes(_ kind: SoakFault.Kind) -> Int { self.played.strikes[kind.rawValue, default: 0] }
}
