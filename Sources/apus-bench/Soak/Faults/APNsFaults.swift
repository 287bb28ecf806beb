// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import APNsSimulator
import HTTP2Session

/// Plays the faults of Apple's side with the simulator.
struct APNsFaults: Sendable {
    let simulator: APNsSimulator
    let configuration: SoakConfiguration
    let record: SoakLog

    /// Begins a fault, holds it for its time, and takes it back.
    ///
    /// It is taken back also when the task is cancelled meanwhile.
    func play(_ fault: SoakFault) async throws {
        switch fault.kind {
        case .revokedKey: try await self.revokeKey(for: fault)
        case .clockJump: try await self.jump(for: fault)
        case .oneStream:
            await self.strike(fault)
            // The stream limit of an open connection does not change.
            self.simulator.endConnections(reason: .shutdown)
        default: await self.strike(fault)
        }
    }

    /// The simulator fault that is equivalent to a request fault.
    static func scripted(_ fault: SoakFault) -> SimulatorFault? {
        let share = Double(fault.victim % 10 + 1) / 10
        func requests(_ action: SimulatorFault.Action, count: Int, rate: Double) -> SimulatorFault {
            SimulatorFault(
                action,
                count: count,
                rate: rate,
                seed: fault.seed,
                deliversFirst: fault.deliversFirst
            )
        }
        func rejection(_ reason: RejectionReason) -> SimulatorFault {
            SimulatorFault(.reject(Rejection(reason)), count: 2 * fault.strength, rate: share, seed: fault.seed)
        }
        return switch fault.kind {
        case .goAwayStorm:
            SimulatorFault(
                .goAway(reason: .shutdown, code: .noError, lastStreamID: nil),
                count: fault.strength,
                rate: 0.1,
                seed: fault.seed
            )
        case .droppedConnections: requests(.drop, count: fault.strength / 4 + 1, rate: 0.05)
        case .silence: requests(.silence, count: fault.strength / 3 + 1, rate: share)
        case .unavailable: rejection(.serviceUnavailable)
        case .tooManyRequests: rejection(.tooManyRequests)
        case .expiredToken: rejection(.expiredProviderToken)
        case .oneStream:
            SimulatorFault(.settings(SettingsOverride(maximumConcurrentStreams: 1)), count: fault.strength)
        case .unreachable: SimulatorFault(.unreachable)
        default: nil
        }
    }

    private func strike(_ fault: SoakFault) async {
        guard let scripted = Self.scripted(fault) else { return }
        // An open connection would not notice that the port is closed.
        if fault.kind == .unreachable { self.simulator.endConnections(reason: nil) }
        let id = self.simulator.inject(scripted)
        try? await Task.sleep(for: .milliseconds(fault.milliseconds))
        // One that has struck as often as it may is forgotten.
        let struck = self.simulator.faults.first { $0.id == id }?.struck ?? scripted.count ?? 0
        self.simulator.removeFault(id)
        self.record.change { $0.strikes[fault.kind.rawValue, default: 0] += struck }
    }

    private func revokeKey(for fault: SoakFault) async throws {
        let key = self.simulator.demoKey
        self.simulator.revokeKey(key.keyID)
        try? await Task.sleep(for: .milliseconds(fault.milliseconds))
        try self.simulator.trust(pem: key.p8, keyID: key.keyID, teamID: key.teamID)
    }

    /// Sets the clock of APNs more than one hour ahead for a while, so that every provider token is too old.
    ///
    /// Only a reset sets it back. That removes the devices, which return unchanged because they derive from a seed. The
    /// response to pushes in between is `BadDeviceToken`.
    private func jump(for fault: SoakFault) async throws {
        self.simulator.advance(by: .seconds(3700 + 60 * fault.strength))
        try? await Task.sleep(for: .milliseconds(fault.milliseconds))
        self.simulator.reset()
        try self.simulator.bootDevices(self.configuration.devices, apps: [SoakConfiguration.app])
    }
}
