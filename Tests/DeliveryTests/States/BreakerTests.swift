// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import Testing
import Work

@testable import Delivery

@Suite("A breaker")
struct BreakerTests {
    /// When a step is taken.
    enum Moment {
        case after(Double)
        /// When the pause is over.
        case probe
        /// A moment before.
        case early
    }

    /// What a step changes, without the values.
    enum Change {
        case none
        case proven
        case opened
        case closed
    }

    enum Standing {
        case halfOpen
        case closed
        case open
    }

    struct Step {
        let moment: Moment
        let evidence: ChunkObservation
        let change: Change
        let standing: Standing
        /// How many seconds the pause is, that this step began.
        var pause: ClosedRange<Double>?

        init(
            _ moment: Moment,
            _ evidence: ChunkObservation,
            _ change: Change,
            _ standing: Standing,
            _ pause: ClosedRange<Double>? = nil
        ) {
            self.moment = moment
            self.evidence = evidence
            self.change = change
            self.standing = standing
            self.pause = pause
        }
    }

    struct Course: CustomTestStringConvertible {
        let testDescription: String
        let steps: [Step]
    }

    private static let served = ChunkObservation(served: 10)
    private static let refused = ChunkObservation(served: 3, refusal: Rejection(.invalidProviderToken))
    private static let unreachable = ChunkObservation(unreachability: "no connection")
    private static func overloads(_ count: Int, of answers: Int) -> ChunkObservation {
        ChunkObservation(served: answers - count, overloads: count, overload: Rejection(.serviceUnavailable))
    }

    private static func crowded(_ tokens: Range<Int>) -> ChunkObservation {
        ChunkObservation(crowded: Set(tokens), overload: Rejection(.tooManyRequests))
    }

    private static let rule: CircuitBreakerConfiguration = {
        var rule = CircuitBreakerConfiguration()
        rule.stormWindow = .seconds(10)
        rule.stormCount = 50
        rule.stormShare = 0.5
        rule.calm = .seconds(60)
        rule.outage = ExponentialBackoff(minimum: .seconds(1), maximum: .seconds(4))
        rule.refusal = ExponentialBackoff(minimum: .seconds(10), maximum: .seconds(40))
        rule.storm = ExponentialBackoff(minimum: .seconds(4), maximum: .seconds(16))
        return rule
    }()

    static let courses = [
        Course(
            testDescription: "serves",
            steps: [
                Step(.after(0), ChunkObservation(), .none, .halfOpen),
                Step(.after(1), served, .proven, .closed),
                Step(.after(1), served, .none, .closed),
            ]
        ),
        Course(
            testDescription: "is paused longer each time while there is no connection",
            steps: [
                Step(.after(0), unreachable, .opened, .open, 0.5...1),
                Step(.early, unreachable, .none, .open),
                Step(.probe, unreachable, .none, .open, 1...2),
                Step(.probe, unreachable, .none, .open, 2...4),
                Step(.probe, unreachable, .none, .open, 2...4),
                Step(.probe, served, .closed, .closed),
            ]
        ),
        Course(
            testDescription: "is not unreachable any more as soon as something is answered",
            steps: [
                Step(.after(0), unreachable, .opened, .open),
                Step(.early, served, .closed, .closed),
            ]
        ),
        Course(
            testDescription:
                "is paused by the first refusal of its credential, and by late answers neither freed nor prolonged",
            steps: [
                Step(.after(0), served, .proven, .closed),
                Step(.after(70), refused, .opened, .open, 5...10),
                Step(.early, served, .none, .open),
                Step(.early, refused, .none, .open),
                Step(.probe, refused, .none, .open, 10...20),
                Step(.probe, ChunkObservation(served: 1), .closed, .closed),
            ]
        ),
        Course(
            testDescription: "goes on with longer pauses when it served for a short while only",
            steps: [
                Step(.after(0), refused, .opened, .open, 5...10),
                Step(.probe, served, .closed, .closed),
                Step(.after(59), refused, .opened, .open, 10...20),
                Step(.probe, served, .closed, .closed),
                Step(.after(61), refused, .opened, .open, 5...10),
            ]
        ),
        Course(
            testDescription: "bears a token that APNs has had enough of, however often that is sent to",
            steps: (0..<100).map { Step(.after(0), crowded(7..<8), $0 == 0 ? .proven : .none, .closed) }
        ),
        Course(
            testDescription:
                "is paused when APNs has had enough of very many tokens, and a single one cannot prolong that",
            steps: [
                Step(.after(0), served, .proven, .closed),
                Step(.after(0), crowded(0..<49), .none, .closed),
                Step(.after(1), crowded(0..<9), .none, .closed),
                Step(.after(1), crowded(48..<50), .opened, .open, 2...4),
                Step(.probe, crowded(0..<10), .none, .open, 4...8),
                Step(.probe, crowded(3..<4), .closed, .closed),
            ]
        ),
        Course(
            testDescription: "bears a few overloads, and those that are a small share",
            steps: [
                Step(.after(0), served, .proven, .closed),
                Step(.after(0), overloads(49, of: 49), .none, .closed),
                Step(.after(11), overloads(40, of: 40), .none, .closed),
                Step(.after(11), overloads(60, of: 1000), .none, .closed),
            ]
        ),
        Course(
            testDescription: "is paused in a storm, which adds up over slices",
            steps: [
                Step(.after(0), overloads(25, of: 30), .proven, .closed),
                Step(.after(9), overloads(25, of: 30), .opened, .open, 2...4),
                Step(.probe, overloads(5, of: 10), .none, .open, 4...8),
                Step(.probe, overloads(4, of: 10), .closed, .closed),
            ]
        ),
        Course(
            testDescription: "stays half-open while all that APNs says is that it is overloaded",
            steps: [
                Step(.after(0), overloads(10, of: 10), .none, .halfOpen),
                Step(.after(1), overloads(39, of: 39), .none, .halfOpen),
                Step(.after(1), overloads(1, of: 1), .opened, .open),
            ]
        ),
        Course(
            testDescription: "probes after an outage into a storm, and tells of it as one trouble",
            steps: [
                Step(.after(0), unreachable, .opened, .open),
                Step(.probe, overloads(1, of: 1), .none, .open),
                Step(.probe, refused, .none, .open),
                Step(.probe, served, .closed, .closed),
            ]
        ),
    ]

    @Test("is a table of what is answered and what follows", arguments: Self.courses)
    func course(_ course: Course) {
        var breaker = CircuitBreaker()
        var generator = SystemRandomNumberGenerator()
        var now = Date(timeIntervalSince1970: 1_767_225_600)
        for (index, step) in course.steps.enumerated() {
            let end = breaker.nextProbeAt(now: now) ?? now
            switch step.moment {
            case .after(let seconds): now.addTimeInterval(seconds)
            case .probe: now = end
            case .early: now = now.addingTimeInterval(end.timeIntervalSince(now) / 2)
            }
            let change = breaker.note(step.evidence, now: now, rule: Self.rule, using: &generator)
            #expect(Self.name(change) == step.change, "step \(index)")
            let standing = breaker.standing(now: now)
            #expect(Self.name(standing) == step.standing, "step \(index)")
            #expect((breaker.trouble != nil) == (step.standing == .open), "step \(index)")
            guard let pause = step.pause, let next = breaker.nextProbeAt(now: now) else { continue }
            #expect(pause.contains((next.timeIntervalSince(now) * 1000).rounded() / 1000), "step \(index)")
        }
    }

    @Test("says what is wrong in Apple's words, and since when, until it serves")
    func trouble() {
        var breaker = CircuitBreaker()
        var generator = SystemRandomNumberGenerator()
        let now = Date(timeIntervalSince1970: 1_767_225_600)
        _ = breaker.note(Self.unreachable, now: now, rule: Self.rule, using: &generator)
        #expect(breaker.trouble?.cause.name == "unreachable")
        #expect(breaker.trouble?.cause.reason == "no connection")
        let later = now.addingTimeInterval(10)
        #expect(breaker.standing(now: later) == .halfOpen)
        _ = breaker.note(Self.refused, now: later, rule: Self.rule, using: &generator)
        #expect(breaker.trouble?.cause.name == "credential")
        #expect(breaker.trouble?.cause.reason == "InvalidProviderToken")
        #expect(breaker.trouble?.since == now)
    }

    private static func name(_ change: CircuitBreaker.Change) -> Change {
        switch change {
        case .none, .prolonged: .none
        case .proven: .proven
        case .opened: .opened
        case .closed: .closed
        }
    }

    private static func name(_ standing: CircuitBreaker.Standing) -> Standing {
        switch standing {
        case .halfOpen: .halfOpen
        case .closed: .closed
        case .open: .open
        }
    }
}
