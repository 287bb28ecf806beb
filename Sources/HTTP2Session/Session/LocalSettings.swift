// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// What this side has announced, and how much of that binds the peer yet: a setting does when it is acknowledged.
struct LocalSettings {
    /// What the peer has acknowledged.
    private(set) var acknowledged = HTTP2Settings(maximumConcurrentStreams: nil)
    private var announced: [HTTP2Settings] = []

    /// What was announced last.
    var latest: HTTP2Settings { self.announced.last ?? self.acknowledged }

    mutating func announce(_ settings: HTTP2Settings) {
        self.announced.append(settings)
    }

    /// Takes note of an acknowledgement; `false` where nothing waits for one.
    mutating func acknowledge() -> Bool {
        guard !self.announced.isEmpty else { return false }
        self.acknowledged = self.announced.removeFirst()
        return true
    }
}
