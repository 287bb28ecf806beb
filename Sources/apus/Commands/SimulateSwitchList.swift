// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNsSimulator

/// What `apus simulate --list-switches` prints: every switch of the simulator.
struct SwitchList {
    let asJSON: Bool

    private struct Row: Encodable {
        let name: String
        let byDefault: String
        let positions: String
        let summary: String

        private enum CodingKeys: String, CodingKey {
            case name, positions, summary
            case byDefault = "default"
        }
    }

    func print() throws {
        let rows = APNsSimulatorSwitches.catalogue.map { entry in
            Row(
                name: entry.name,
                byDefault: entry.defaultChoice,
                positions: "\(entry.positions)",
                summary: entry.summary
            )
        }
        if self.asJSON { return try Console.json(rows) }
        for row in rows {
            Console.out("\(row.name)=\(row.byDefault)")
            Console.out("    \(row.summary)")
            Console.out("    \(row.positions)")
        }
    }
}
