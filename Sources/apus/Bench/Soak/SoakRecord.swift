// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Synchronization

/// What a soak has seen so far, and what of it was wrong; tells it as it happens.
final class SoakRecord: Sendable {
    /// More breaches than this are counted and not told.
    private static let toldBreaches = 50

    struct State: Sendable {
        /// What must not be, in words.
        var breaches: [String] = []
        var breachCount = 0
        var faults: [String: Int] = [:]
        /// How many requests the faults of each kind have struck.
        var strikes: [String: Int] = [:]
        var restarts = 0
        /// How many requests were tried again because the first try had no answer of success.
        var retries = 0
        /// Targets that the server said it has accepted.
        var accepted = 0
        var acceptedTwice = 0
        /// What the client was answered as the ids of single notifications.
        var singles: Set<String> = []
        /// What devices got so far.
        var arrivals = 0
    }

    private let state = Mutex(State())
    private let start = ContinuousClock.now
    private let line = ProgressLine.standardError()

    var now: State { self.state.withLock { $0 } }

    func change(_ body: (inout State) -> Void) { self.state.withLock { body(&$0) } }

    /// Takes note of something that must not be.
    func breach(_ text: String) {
        let count = self.state.withLock { state in
            state.breachCount += 1
            if state.breaches.count < Self.toldBreaches { state.breaches.append(text) }
            return state.breachCount
        }
        if count <= Self.toldBreaches { self.say("WRONG: \(text)") }
    }

    /// Tells what happens.
    func say(_ text: String) {
        self.line.clear()
        Console.note("\(self.time)  \(text)")
    }

    /// Tells how far it is: on a terminal on one line over and over, otherwise every now and then.
    func showProgress(second: Int) {
        let state = self.now
        let text =
            "\(state.accepted) accepted, \(state.arrivals) arrived, \(state.faults.values.reduce(0, +)) faults, "
            + "\(state.restarts) restarts, \(state.breachCount) wrong"
        if self.line.isTerminal { return self.line.show("\(self.time)  \(text)") }
        if second.isMultiple(of: 15) { self.say(text) }
    }

    private var time: String {
        let tenths = Int((ContinuousClock.now - self.start) / .milliseconds(100))
        let text = "\(tenths / 10).\(tenths % 10) s"
        return String(repeating: " ", count: max(0, 8 - text.count)) + text
    }
}
