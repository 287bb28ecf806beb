// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Synchronization

/// Tells the answers that a fault holds back whether they may go.
///
/// The fault and the streams that it has struck share it. It is one of its own for every injection: a later fault that
/// happens to have the same number, as after a reset, has nothing to do with it.
final class AnswerHold: Sendable {
    private let isOver = Atomic(false)

    /// Whether the fault was taken away.
    var isReleased: Bool { self.isOver.load(ordering: .acquiring) }

    /// The fault is taken away: the answers may go from now on.
    func release() { self.isOver.store(true, ordering: .releasing) }
}

extension AnswerHold: Hashable {
    static func == (left: AnswerHold, right: AnswerHold) -> Bool { left === right }

    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
