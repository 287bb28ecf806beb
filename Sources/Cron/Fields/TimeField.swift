// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs

/// The values of a field that is no day: seconds, minutes, hours or months.
struct TimeField: Hashable, Sendable {
    let values: ValueSet
    /// Whether it says how often rather than when: it begins with `*`, or goes on in steps without an end, as `0/15`.
    let isOpen: Bool

    init(_ text: Substring, of field: CronField) throws(ValidationFailure) {
        var values = ValueSet()
        var hasOpenStep = false
        for term in try field.terms(of: text) {
            values.formUnion(try field.values(of: term))
            hasOpenStep = hasOpenStep || (term.contains("/") && !term.contains("-"))
        }
        self.values = values
        self.isOpen = text.hasPrefix("*") || hasOpenStep
    }
}
