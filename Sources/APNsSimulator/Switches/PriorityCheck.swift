// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// For which push types a priority that Apple's table does not allow is refused with `BadPriority`.
public enum PriorityCheck: String, Sendable, Hashable, CaseIterable {
    /// For none: only 10, 5 and 1 are told from other values.
    case none
    /// For `background` only, of which Apple says that 10 is an error.
    case background
    /// For every push type of the table.
    case all
}
