// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs

/// A name for an expression.
enum CronMacro: String, CaseIterable {
    case yearly, annually, monthly, weekly, daily, midnight, hourly

    /// Reads a name with its `@`.
    init(_ text: String) throws(ValidationFailure) {
        guard let macro = Self(rawValue: text.dropFirst().lowercased()) else {
            let names = Self.allCases.map { "@\($0)" }.joined(separator: ", ")
            throw ValidationFailure(field: "cron", rule: "one of \(names)", value: text)
        }
        self = macro
    }

    /// The five fields it stands for.
    var fields: String {
        switch self {
        case .yearly, .annually: "0 0 1 1 *"
        case .monthly: "0 0 1 * *"
        case .weekly: "0 0 * * 0"
        case .daily, .midnight: "0 0 * * *"
        case .hourly: "0 * * * *"
        }
    }
}
