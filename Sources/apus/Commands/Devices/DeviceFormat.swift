// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ArgumentParser

/// How devices are written in a file.
enum DeviceFormat: String, CaseIterable, ExpressibleByArgument, Sendable {
    case ndjson
    case csv

    /// The format that the name of a file speaks of; JSON unless it ends in `.csv`.
    init(file: String) {
        self = file.lowercased().hasSuffix(".csv") ? .csv : .ndjson
    }

    /// By what it is announced.
    var mediaType: String {
        switch self {
        case .ndjson: "application/x-ndjson"
        case .csv: "text/csv"
        }
    }
}
