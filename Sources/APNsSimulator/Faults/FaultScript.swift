// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// Faults that belong together: what goes wrong in a run, and when.
///
/// The same script strikes the same requests and connections again if these come in the same order and at the same
/// times: every die starts from a seed.
public struct FaultScript: Sendable, Hashable {
    /// What it is called in listings; empty by default.
    public var name: String
    /// What the dice of those steps start from that name no seed of their own.
    ///
    /// Default: 0.
    public var seed: UInt64
    /// What goes wrong; of several steps that strike the same request the first is played.
    public var steps: [SimulatorFault]

    /// A script.
    public init(name: String = "", seed: UInt64 = 0, steps: [SimulatorFault]) {
        self.name = name
        self.seed = seed
        self.steps = steps
    }

    /// The steps, each with a seed: its own, or one made of the script's and its place.
    var seededSteps: [SimulatorFault] {
        var seeds = SplitMix64(seed: self.seed)
        return self.steps.map { step in
            let drawn = seeds.next()
            var step = step
            // 53 bits: every program that reads JSON can read them and hand them in again.
            step.seed = step.seed ?? drawn >> 11
            return step
        }
    }
}
