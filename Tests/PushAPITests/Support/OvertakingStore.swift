// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import PushModel
import PushStore
import SQLStore
import Synchronization

/// Says of the first stream that is opened that nothing was accepted, while another connection has gone on with it.
final class Overtaker: Sendable {
    private let isDone = Mutex(false)

    /// Whether this is the first time.
    func begin() -> Bool {
        self.isDone.withLock { isDone in
            defer { isDone = true }
            return !isDone
        }
    }
}

enum OvertakingStore {
    static func wrap(_ store: any PushStore & SQLBacked) -> any PushStore {
        let overtaker = Overtaker()
        return SilentStore(
            base: store,
            acceptedLines: { stream, app in
                let accepted = try await store.acceptedLines(of: stream, app: app)
                guard overtaker.begin() else { return accepted }
                var lines = StreamLineList()
                lines.append(.init(fate: .empty))
                try await store.append(
                    StreamChunk(
                        stream: stream,
                        app: app,
                        lines: 1..<2,
                        notification: nil,
                        entries: lines.encoded,
                        createdAt: TestTime.start
                    )
                )
                return accepted
            }
        )
    }
}
