// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// Where and why a text is not JSON (RFC 8259).
struct JSONSyntaxError: Error, Hashable, Sendable {
    /// The place of the first byte that cannot stand there, counted from 0.
    let offset: Int

    /// What is wrong, without the text itself.
    let message: String
}
