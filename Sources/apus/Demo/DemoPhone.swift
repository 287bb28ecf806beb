// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// A virtual device of the demo and the name under which the server knows its app.
struct DemoPhone: Sendable {
    /// The installation, chosen by the app.
    let installation: String

    /// The device in the simulator.
    let device: String

    let token: String
}
