// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs

/// Why a schema was not taken: the faults that were found, each with its place in the schema; at most 20.
public struct SchemaFaults: Error, Hashable, Sendable {
    /// The faults; the field of each is its place, such as `properties.endsAt.format`, and empty for the schema itself.
    public let faults: [ValidationFailure]

    init(_ faults: [ValidationFailure]) {
        self.faults = faults
    }

    init(_ place: String, rule: String, value: String) {
        self.init([ValidationFailure(field: place, rule: rule, value: value)])
    }
}
