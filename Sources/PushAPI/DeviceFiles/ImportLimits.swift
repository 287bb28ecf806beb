// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// How much of an import is in memory, and how often it tells how far it is.
enum ImportLimits {
    /// How many devices are stored in one transaction: others wait for it, so it takes no longer than milliseconds.
    static let chunkDevices = 500

    /// How many bytes of lines are gathered at most before they are stored.
    static let chunkBytes = 1 << 20

    /// How many bytes of answers are gathered at most before they are handed to the connection.
    static let answerBytes = 16 << 10

    /// After how many lines the client is told how far the import is, at the latest.
    static let progressLines = 10_000

    /// After what time lines are stored, and the client is told how far the import is, if they come that slowly.
    static let interval: Duration = .seconds(1)

    /// How many seconds a client is given to end its request once the server has ended the import.
    static let closingSeconds = 2.0
}
