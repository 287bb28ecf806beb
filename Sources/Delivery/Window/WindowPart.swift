// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Synchronization

/// The part of the window that one batch holds; gives back what is left of it at the end.
final class WindowPart: Sendable {
    private let window: SendWindow
    private let holder: WindowShares.Holder
    private let held = Mutex(0)

    /// A part that is empty yet.
    init(of window: SendWindow, for holder: WindowShares.Holder) {
        self.window = window
        self.holder = holder
    }

    /// Waits for more; see ``SendWindow/take(_:for:)``.
    func take(_ wanted: Int) async -> Int {
        let granted = await self.window.take(wanted, for: self.holder)
        self.held.withLock { $0 += granted }
        return granted
    }

    /// Gives some of it back.
    func giveBack(_ count: Int) {
        self.held.withLock { $0 -= count }
        self.window.giveBack(count, from: self.holder)
    }

    /// Gives back all of it.
    func giveBackAll() {
        let count = self.held.withLock { held in
            defer { held = 0 }
            return held
        }
        self.window.giveBack(count, from: self.holder)
    }
}
