// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// How many more requests go out on a connection at once.
///
/// What goes beyond the server's window would wait on this connection although another one may have room. So it stays in
/// the queue.
struct SendRoom {
    /// What the server takes of all bodies, less what was submitted since the pull began.
    private var window = 0
    /// What a body has: that of the last one, since most are of a kind.
    private var bodySize = 1

    /// A pull begins, with nothing waiting to be written.
    mutating func begin(window: Int32) {
        self.window = Int(window)
    }

    /// A request with so many bytes of body is submitted.
    mutating func spend(_ bytes: Int) {
        self.window -= bytes
        self.bodySize = max(1, bytes)
    }

    /// How many requests can go out where so many streams are free; at least one as long as the window is open.
    func requests(streams: Int) -> Int {
        self.window <= 0 ? 0 : min(streams, max(1, self.window / self.bodySize))
    }
}
