// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation

/// The simulated time of the demo, by which the simulator, the server and the scheduler go.
struct DemoClock: Sendable {
    let control: SimulatorClient

    /// When the second act begins, in whole seconds.
    let start: Date

    init(_ control: SimulatorClient) async throws {
        self.control = control
        self.start = Date(timeIntervalSince1970: try await control.now().timeIntervalSince1970.rounded(.down))
    }

    /// So many minutes after the beginning.
    func time(_ minutes: Int) -> Date { self.start.addingTimeInterval(Double(minutes) * 60) }

    /// Moves the time on to so many minutes after the beginning.
    func move(to minutes: Int) async throws {
        let rest = self.time(minutes).timeIntervalSince(try await self.control.now())
        if rest > 0 { try await self.control.advance(by: rest) }
    }

    /// What a clock on the wall shows.
    static func text(_ time: Date) -> String {
        let parts = Calendar.current.dateComponents([.hour, .minute], from: time)
        func digits(_ number: Int?) -> String { String("0\(number ?? 0)".suffix(2)) }
        return "\(digits(parts.hour)):\(digits(parts.minute))"
    }
}
