// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import PushModel

extension EventKind {
    /// The kinds that a webhook may be there for: those of the feed, and the calls of jobs.
    static let forWebhooks = EventKind.known + [.jobCalled]

    /// Takes the name of a kind that a caller wants: nothing would ever come of one that does not exist.
    ///
    /// - Parameters:
    ///   - text: the name.
    ///   - known: the kinds that there are.
    /// - Throws: `ValidationFailure` for any other name.
    init(_ text: String, among known: [EventKind]) throws(ValidationFailure) {
        let kind = try EventKind(validating: text)
        guard known.contains(kind) else {
            let names = known.sorted().map(\.rawValue).joined(separator: ", ")
            throw ValidationFailure(field: "kind", rule: "one of \(names)", value: "'\(text)'")
        }
        self = kind
    }
}
