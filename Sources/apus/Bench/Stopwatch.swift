// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNsClient
import Synchronization

/// Counts answers, and reads clock and usage at the first one and at the one that reaches the goal.
final class Stopwatch: APNsClientMetrics {
    private struct State {
        var answered = 0
        var rejected = 0
        var started: ContinuousClock.Instant?
        var startUsage: ProcessUsage?
        var report: SenderReport?
    }

    private let goal: Int
    private let state = Mutex(State())

    init(goal: Int) {
        self.goal = goal
    }

    var report: SenderReport? { self.state.withLock(\.report) }

    func start() {
        self.state.withLock {
            $0.started = .now
            $0.startUsage = .current()
        }
    }

    func answered(accepted: Int, rejected: Int) {
        self.state.withLock { state in
            state.answered += accepted + rejected
            state.rejected += rejected
            guard state.report == nil, state.answered >= self.goal else { return }
            guard let started = state.started, let startUsage = state.startUsage else { return }
            let seconds = (ContinuousClock.now - started) / .seconds(1)
            let usage = ProcessUsage.current()
            let cpu = (usage.cpuSeconds - startUsage.cpuSeconds) * 1e6 / Double(state.answered)
            state.report = SenderReport(
                perSecond: Double(state.answered) / seconds,
                cpuMicroseconds: cpu,
                peakResidentMiB: usage.peakResidentMiB,
                rejected: state.rejected
            )
        }
    }

    func connectionOpened(to host: String) {}
    func connectionFailed(to host: String) {}
    func connectionClosed(to host: String, by end: ConnectionEnd) {}
    func resent(_ count: Int) {}
}
