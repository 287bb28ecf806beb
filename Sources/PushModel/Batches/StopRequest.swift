// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import Foundation

/// A stop request: what happens to the batch when its worker has released it.
public enum StopRequest: String, Hashable, Sendable, Codable, CaseIterable {
    /// It is kept until it is resumed.
    case pause

    case cancel
}

extension BatchLifecycle {
    /// The result of a stop request.
    public enum Halting: Hashable, Sendable {
        case paused

        /// The batch is `cancelled`, with this number of targets without an outcome.
        case cancelled(remaining: Int)

        /// A worker is sending the batch: it finishes what is in flight and releases it; then the batch is stopped.
        /// This number of targets has no outcome so far.
        case marked(remaining: Int)

        /// It was final, or halted so already. Nothing changed.
        case unchanged
    }

    /// Stops the batch until it is resumed, or permanently.
    ///
    /// A batch that is being sent keeps its lease, so that the outcomes of what is in flight are not lost. `cancel`
    /// also ends a paused batch.
    public mutating func halt(_ halt: StopRequest) -> Halting {
        switch (self.state, halt) {
        case (.settled, _), (.cancelled, _), (.expired, _), (.failed, _), (.paused, .pause): return .unchanged
        case (.leased, _):
            guard self.halt != halt, self.halt != .cancel else { return .unchanged }
            self.halt = halt
            return .marked(remaining: self.remaining)
        case (.pending, .pause), (.waiting, .pause):
            self.pauseNow()
            return .paused
        case (.pending, .cancel), (.waiting, .cancel), (.paused, .cancel):
            return .cancelled(remaining: self.cancelNow())
        }
    }

    /// A paused batch is sent on, also one whose worker has not stopped yet.
    ///
    /// No worker claims it before `notBefore`; `nil` means at once. The length of the pause is added to ``held``.
    ///
    /// - Returns: whether that changed anything.
    public mutating func resume(notBefore: Date?, after pause: Duration = .zero) -> Bool {
        if case .leased = self.state, self.halt == .pause {
            self.halt = nil
            self.held += pause
            return true
        }
        guard self.state == .paused else { return false }
        self.held += pause
        self.waitOrPend()
        guard let notBefore else { return true }
        if case .waiting(let until) = self.state, until > notBefore { return true }
        self.state = .waiting(until: notBefore)
        return true
    }

    /// Waits until the first deferred target is due if nothing else is left, or else can be claimed at once.
    mutating func waitOrPend() {
        if self.cursor == self.targetCount, let next = self.firstDue {
            self.state = .waiting(until: next)
        } else {
            self.state = .pending
        }
    }

    mutating func pauseNow() {
        self.state = .paused
        self.halt = nil
    }

    /// Cancels the batch.
    ///
    /// - Returns: how many targets have no outcome.
    mutating func cancelNow() -> Int {
        self.state = .cancelled
        self.halt = nil
        return self.remaining
    }
}
