// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// What becomes of a request at an edge that Apple does not document.
public enum EdgeHandling: String, Sendable, Hashable, CaseIterable {
    /// The request is served as if nothing were wrong.
    case accept
    /// The request is refused with the reason that the switch names.
    case reject
}
