// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import HTTP2Session

/// Answers that wait until a fault is taken away.
///
/// Each is kept with its stream, and goes when that is closed: a request that is given up leaves nothing behind.
extension ProviderConnection {
    /// Keeps an answer back.
    ///
    /// A fault that is taken away at this very moment finds it: the look that follows comes to this event loop later.
    func hold(_ answer: HeldAnswer) {
        self.streams[answer.stream.slot].held = answer
    }

    /// Gives the answers whose faults were taken away, in the order of their streams.
    func answerReleased() {
        guard let connection = self.connection, let session = connection.session else { return }
        let released = self.streams.compactMap(\.held).filter(\.hold.isReleased).sorted { $0.stream.id < $1.stream.id }
        guard !released.isEmpty else { return }
        for answer in released {
            self.streams[answer.stream.slot].held = nil
            self.answer(answer.stream, in: session, verdict: answer.verdict, apnsID: answer.apnsID)
        }
        connection.scheduleFlush()
    }

    /// How many answers are held back.
    var heldAnswers: Int { self.streams.count { $0.held != nil } }
}
