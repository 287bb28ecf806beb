// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// What a fuzzer feeds with bytes.
///
/// Whatever the bytes are, ``feed(_:)`` returns; a broken promise stops the process.
protocol FuzzTarget {
    init() throws

    /// Takes one input.
    func feed(_ bytes: [UInt8])
}
