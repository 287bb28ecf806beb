// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// Whether a store does its work.
public protocol StoreHealth: Sendable {
    /// Writes a little and waits until that is durable, as every change does; what is stored stays as it is.
    ///
    /// Not free, since it waits for the disk: for questions that come about once a second.
    /// - Throws: ``StoreError`` that a change would meet now: `.unavailable`, `.locked`, `.readOnly`, `.full`, `.corrupt`.
    func checkWritable() async throws
}
