// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// Switches whose positions are numbers.
extension SimulatorSwitch {
    static func integer(
        _ name: String,
        _ keyPath: any WritableKeyPath<APNsSimulatorSwitches, Int> & Sendable,
        _ range: ClosedRange<Int>,
        _ summary: String
    ) -> Self {
        Self(
            name: name,
            summary: summary,
            positions: .integer(range, orOff: false),
            read: { String($0[keyPath: keyPath]) },
            write: { switches, text in if let value = Int(text) { switches[keyPath: keyPath] = value } }
        )
    }

    static func optionalInteger(
        _ name: String,
        _ keyPath: any WritableKeyPath<APNsSimulatorSwitches, Int?> & Sendable,
        _ range: ClosedRange<Int>,
        _ summary: String
    ) -> Self {
        Self(
            name: name,
            summary: summary,
            positions: .integer(range, orOff: true),
            read: { $0[keyPath: keyPath].map { String($0) } ?? SwitchPositions.off },
            write: { $0[keyPath: keyPath] = Int($1) }
        )
    }

    static func number(
        _ name: String,
        _ keyPath: any WritableKeyPath<APNsSimulatorSwitches, Double> & Sendable,
        _ range: ClosedRange<Double>,
        _ summary: String
    ) -> Self {
        Self(
            name: name,
            summary: summary,
            positions: .number(range, orOff: false),
            read: { String($0[keyPath: keyPath]) },
            write: { switches, text in if let value = Double(text) { switches[keyPath: keyPath] = value } }
        )
    }

    static func optionalNumber(
        _ name: String,
        _ keyPath: any WritableKeyPath<APNsSimulatorSwitches, Double?> & Sendable,
        _ range: ClosedRange<Double>,
        _ summary: String
    ) -> Self {
        Self(
            name: name,
            summary: summary,
            positions: .number(range, orOff: true),
            read: { $0[keyPath: keyPath].map { String($0) } ?? SwitchPositions.off },
            write: { $0[keyPath: keyPath] = Double($1) }
        )
    }
}
