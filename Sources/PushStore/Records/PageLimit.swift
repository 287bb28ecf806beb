// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// How many elements a page may hold.
package enum PageLimit {
    /// The limit asked for, brought into 1...1000.
    package static func clamp(_ limit: Int) -> Int { min(max(1, limit), 1000) }
}
