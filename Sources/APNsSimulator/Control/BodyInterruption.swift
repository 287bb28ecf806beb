// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// The body of a request ended before it was there: the client is gone, or what it sends is no HTTP.
///
/// Nobody is left to be told, and nothing is wrong with the simulator.
struct BodyInterruption: Error {
    /// What the transport says.
    let cause: any Error
}
