// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Metrics

/// Counts what is removed from the store for its age.
struct PruningMetrics: Sendable {
    /// What is removed.
    enum Kind: String, CaseIterable {
        case notification
        case batch
        case chunk
        case stream
        case answer
        case event
        case activity
    }

    private let counters: [Kind: Counter]

    init(_ factory: any MetricsFactory) {
        let counters = Kind.allCases.map { kind in
            let dimensions = [("kind", kind.rawValue)]
            return (kind, Counter(label: "apus_store_pruned_total", dimensions: dimensions, factory: factory))
        }
        self.counters = Dictionary(uniqueKeysWithValues: counters)
    }

    /// So many were removed.
    func count(_ kind: Kind, _ count: Int) {
        if count > 0 { self.counters[kind]?.increment(by: count) }
    }
}
