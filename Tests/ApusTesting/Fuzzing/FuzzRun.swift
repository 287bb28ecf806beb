// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import Synchronization

/// A run of a fuzz suite: its seed, its limit, its inputs and its failures.
///
/// A run ends after a number of steps, and with `APUS_FUZZ_SECONDS` in the environment after that time instead.
/// `APUS_FUZZ_SEED` replaces the default seed. ``begin(_:_:)`` writes each input to a file before the suite uses it, so
/// that the input of a crash is known. The files are in `APUS_FUZZ_FINDINGS`, or in the temporary directory.
public final class FuzzRun: Sendable {
    /// A step of a run, with random numbers that depend only on the seed of the run and the number of the step.
    public struct Step: Sendable {
        /// The number of the step; the first one is 1.
        public let number: Int

        /// The random numbers of the step.
        public var random: SeededRandom
    }

    private enum Limit: Sendable {
        case steps(Int)
        case time(Duration)
    }

    private struct State: Sendable {
        var step = 0
        var inputStep = 0
        var input = ""
        var accepted = 0
        var refused = 0
        var failures = 0
    }

    /// A run with more failures ends; the first ones are enough to find the cause.
    private static let maximumFailures = 20

    /// How much of an input a failure message has; the rest is in the file.
    ///
    /// Unit: characters.
    private static let shownInput = 2000

    /// The name of the run, as in `dev/fuzz NAME`.
    public let name: String

    /// The seed of the run.
    public let seed: UInt64

    private let limit: Limit
    private let findings: URL
    private let started = ContinuousClock().now
    private let state = Mutex(State())

    /// Begins a run that ends after so many steps, unless the environment has a time.
    public init(_ name: String, steps: Int) {
        let environment = ProcessInfo.processInfo.environment
        self.name = name
        self.seed = environment["APUS_FUZZ_SEED"].flatMap { UInt64($0) } ?? 1
        if let seconds = Self.seconds {
            self.limit = .time(.seconds(seconds))
        } else {
            self.limit = .steps(steps)
        }
        self.findings =
            environment["APUS_FUZZ_FINDINGS"].map { URL(fileURLWithPath: $0) } ?? FileManager.default.temporaryDirectory
        try? FileManager.default.createDirectory(at: self.findings, withIntermediateDirectories: true)
    }

    /// The time limit of a fuzz suite, which allows for `APUS_FUZZ_SECONDS`.
    ///
    /// Unit: minutes.
    public static var timeLimit: Int { (Self.seconds ?? 0) / 60 + 15 }

    private static var seconds: Int? {
        ProcessInfo.processInfo.environment["APUS_FUZZ_SECONDS"].flatMap { Int($0) }
    }

    /// Whether ``next()`` returns no further step.
    public var isOver: Bool {
        let elapsed = ContinuousClock().now - self.started
        return self.state.withLock { self.isOver($0, after: elapsed) }
    }

    /// The next step; `nil` at the end of the run.
    public func next() -> Step? {
        let elapsed = ContinuousClock().now - self.started
        let number = self.state.withLock { state -> Int? in
            guard !self.isOver(state, after: elapsed) else { return nil }
            state.step += 1
            return state.step
        }
        guard let number else { return nil }
        return Step(number: number, random: self.random(number))
    }

    /// The random numbers of something that is done once in several steps, by its own number.
    public func random(_ number: Int) -> SeededRandom {
        SeededRandom(seed: self.seed &+ UInt64(bitPattern: Int64(number)) &* 0xd1b5_4a32_d192_ed03)
    }

    /// Notes the input of a step, and writes it to the file with the last input.
    public func begin(_ step: Step, _ input: String) {
        self.state.withLock { state in
            state.inputStep = step.number
            state.input = input
        }
        self.write("seed \(self.seed), step \(step.number)\n\(input)\n", to: "\(self.name).last")
    }

    /// Counts an input that the system under test accepted or refused.
    public func count(isAccepted: Bool) {
        self.state.withLock { state in
            if isAccepted { state.accepted += 1 } else { state.refused += 1 }
        }
    }

    /// Counts a failure and writes its input to a file.
    ///
    /// - Returns: the text for the test's issue, with everything that is needed to repeat the failure.
    public func failure(_ message: String) -> String {
        let (step, input) = self.state.withLock { state in
            state.failures += 1
            return (state.inputStep, state.input)
        }
        let file = "\(self.name)-\(self.seed)-\(step).txt"
        self.write("\(message)\n\(input)\n", to: file)
        // dev/test shows the first line.
        return "fuzz \(self.name): seed \(self.seed), step \(step): \(message) "
            + "(input: \(self.findings.appendingPathComponent(file).path))\n\(input.prefix(Self.shownInput))"
    }

    /// Prints one line about the run.
    public func finish() {
        let seconds = Int((ContinuousClock().now - self.started) / .seconds(1))
        let state = self.state.withLock { $0 }
        print(
            "fuzz \(self.name): seed \(self.seed), \(state.accepted + state.refused) requests, "
                + "\(state.accepted) accepted, \(state.refused) refused, \(state.failures) failures in \(seconds) s"
        )
    }

    private func isOver(_ state: State, after elapsed: Duration) -> Bool {
        if state.failures >= Self.maximumFailures { return true }
        switch self.limit {
        case .steps(let count): return state.step >= count
        case .time(let time): return elapsed >= time
        }
    }

    private func write(_ text: String, to name: String) {
        try? Data(text.utf8).write(to: self.findings.appendingPathComponent(name))
    }
}
