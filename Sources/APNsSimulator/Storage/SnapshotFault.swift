// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// What is wrong with the document of a world that was to be restored.
struct SnapshotFault: Error, Equatable {
    /// The highest number that a counter of a document may have, so that it can be counted on.
    static let maximumCount = 1 << 53

    /// Where in the document.
    var path: String
    /// What should stand there.
    var rule: String
}
