// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// What kind of numbers a metric has, as the exposition format calls it.
public enum MetricKind: String, Hashable, Sendable, CaseIterable {
    /// It only ever grows, from zero at the start of the process.
    case counter

    /// It goes up and down.
    case gauge

    /// Observations, counted in fixed buckets.
    case histogram
}
