// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// Signed calls to single endpoints, each answered when its message is stored durably.
struct MeasuredPublishing: Sendable {
    /// How many callers there are, each with a connection and one call at a time.
    private static let callers = 32

    let seconds: Double

    /// From the request to the answer.
    ///
    /// Unit: milliseconds.
    let times: Percentiles

    var perSecond: Double { Double(self.times.count) / self.seconds }

    /// Publishes to one endpoint after the other.
    ///
    /// - Parameters:
    ///   - calls: how many there are in all.
    ///   - caller: who calls.
    /// - Returns: what it took.
    /// - Throws: ``CommandFailure`` when a call is refused.
    static func run(_ calls: Int, on caller: SNSBenchCaller) async throws -> MeasuredPublishing {
        try await caller.createApplication()
        let all = try (0..<Self.callers).map { place in
            try stride(from: place, to: calls, by: Self.callers).map(caller.publication(to:))
        }
        let start = ContinuousClock.now
        let times = try await withThrowingTaskGroup(of: [Double].self) { group in
            for calls in all { group.addTask { try await caller.make(calls) } }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        return MeasuredPublishing(seconds: (ContinuousClock.now - start) / .seconds(1), times: Percentiles(times))
    }
}
