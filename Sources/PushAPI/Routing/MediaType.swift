// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// The names of media types beside that of JSON.
enum MediaType {
    /// One JSON value in each line.
    static let ndjson = "application/x-ndjson"

    /// Comma-separated values (RFC 4180).
    static let csv = "text/csv"
}
