// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs

/// One entry of the catalogue of switches: what it decides and the positions it has.
///
/// Its name is the property's, behind the group's where it belongs to one: `connections.idleTimeout`.
public struct SimulatorSwitch: Sendable {
    /// The name, as it is written in commands and documents.
    public let name: String
    /// What it decides, in one sentence.
    public let summary: String
    /// The positions that it can be put into.
    public let positions: SwitchPositions

    let read: @Sendable (APNsSimulatorSwitches) -> String
    let write: @Sendable (inout APNsSimulatorSwitches, String) -> Void

    /// The position that it has unless it is set.
    public var defaultChoice: String { self.read(APNsSimulatorSwitches()) }

    static func position<Value: RawRepresentable & CaseIterable & Sendable>(
        _ name: String,
        _ keyPath: any WritableKeyPath<APNsSimulatorSwitches, Value> & Sendable,
        _ summary: String
    ) -> Self where Value.RawValue == String {
        Self(
            name: name,
            summary: summary,
            positions: .choices(Value.allCases.map(\.rawValue)),
            read: { $0[keyPath: keyPath].rawValue },
            write: { switches, choice in
                if let value = Value(rawValue: choice) { switches[keyPath: keyPath] = value }
            }
        )
    }

    static func reason(
        _ name: String,
        _ keyPath: any WritableKeyPath<APNsSimulatorSwitches, RejectionReason> & Sendable,
        _ choices: [RejectionReason],
        _ summary: String
    ) -> Self {
        Self(
            name: name,
            summary: summary,
            positions: .choices(choices.map(\.rawValue)),
            read: { $0[keyPath: keyPath].rawValue },
            write: { $0[keyPath: keyPath] = RejectionReason(rawValue: $1) }
        )
    }

    static func optionalReason(
        _ name: String,
        _ keyPath: any WritableKeyPath<APNsSimulatorSwitches, RejectionReason?> & Sendable,
        _ choices: [RejectionReason],
        _ summary: String
    ) -> Self {
        Self(
            name: name,
            summary: summary,
            positions: .choices(choices.map(\.rawValue) + [EdgeHandling.accept.rawValue]),
            read: { $0[keyPath: keyPath]?.rawValue ?? EdgeHandling.accept.rawValue },
            write: { switches, choice in
                switches[keyPath: keyPath] =
                    choice == EdgeHandling.accept.rawValue ? nil : RejectionReason(rawValue: choice)
            }
        )
    }

    static func flag(
        _ name: String,
        _ keyPath: any WritableKeyPath<APNsSimulatorSwitches, Bool> & Sendable,
        _ summary: String
    ) -> Self {
        Self(
            name: name,
            summary: summary,
            positions: .choices(["true", "false"]),
            read: { String($0[keyPath: keyPath]) },
            write: { $0[keyPath: keyPath] = $1 == "true" }
        )
    }
}
