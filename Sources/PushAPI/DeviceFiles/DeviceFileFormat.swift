// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// How devices are written in a file.
enum DeviceFileFormat: String, CaseIterable, Sendable {
    /// One JSON object in each line.
    case ndjson

    /// Comma-separated values (RFC 4180) below a line with the names of the columns.
    case csv

    /// By what it is announced.
    var mediaType: String {
        switch self {
        case .ndjson: MediaType.ndjson
        case .csv: MediaType.csv
        }
    }
}
