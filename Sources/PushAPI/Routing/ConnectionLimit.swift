// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import HummingbirdCore
import Logging

/// How many connections are open at once: while as many are as may be, none is taken from the system's queue.
struct ConnectionLimit: AvailableConnectionsDelegate {
    private let maximum: Int
    private let logger: Logger
    private var count = 0
    private var hasWarned = false

    /// - Parameters:
    ///   - maximum: how many may be open.
    ///   - logger: where it is said that there are as many; again only after there were half as many in between.
    init(maximum: Int, logger: Logger) {
        self.maximum = maximum
        self.logger = logger
    }

    mutating func connectionOpened() {
        self.count += 1
        guard self.count >= self.maximum, !self.hasWarned else { return }
        self.hasWarned = true
        self.logger.warning(
            "As many connections are open as may be; others wait",
            metadata: ["connections": "\(self.maximum)"]
        )
    }

    mutating func connectionClosed() {
        self.count -= 1
        if self.count <= self.maximum / 2 { self.hasWarned = false }
    }

    func isAcceptingNewConnections() -> Bool { self.count < self.maximum }
}
