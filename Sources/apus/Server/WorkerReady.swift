// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// What a worker says when it works.
struct WorkerReady: Codable, Sendable {
    /// What it does.
    let role: Worker.Role

    /// The process.
    let pid: Int32

    /// The address of its probes and metrics; `nil` where it listens on no port.
    let probes: String?
}
