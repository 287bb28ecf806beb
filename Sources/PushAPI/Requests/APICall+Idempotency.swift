// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import HTTPTypes
import Hummingbird
import PushModel

extension APICall {
    /// What the caller named the request so that it is carried out once; `nil` when it has no name.
    ///
    /// - Throws: ``Problem`` `.invalidRequest` for a name that breaks the rule.
    func idempotencySlot() throws -> IdempotencySlot? {
        let values = self.request.headers[values: .idempotencyKey]
        guard let text = values.first, let apiKey = self.key?.id else { return nil }
        guard values.count == 1 else {
            throw Problem(.invalidRequest, at: .idempotencyKey, expected: "one value", got: "\(values.count)")
        }
        do {
            return IdempotencySlot(app: try self.app(), apiKey: apiKey, key: try IdempotencyKey(validating: text))
        } catch let failure as ValidationFailure {
            throw Problem(.invalidRequest, at: .idempotencyKey, expected: failure.rule, got: failure.value)
        }
    }

    /// Refuses a name for a request that cannot be repeated as a whole.
    ///
    /// - Parameter rule: what is expected, which says what to do instead.
    /// - Throws: ``Problem`` `.invalidRequest` when there is one.
    func refuseIdempotencyKey(insteadOf rule: String) throws(Problem) {
        guard self.request.headers[.idempotencyKey] != nil else { return }
        throw Problem(.invalidRequest, at: .idempotencyKey, expected: rule, got: "one")
    }
}

extension FieldPath {
    fileprivate static let idempotencyKey = FieldPath(description: IdempotencyKey.field)
}

extension HTTPField.Name {
    /// What the caller names a request so that it is carried out once.
    static let idempotencyKey = known("Idempotency-Key")

    /// Says that the answer is that of an earlier request.
    static let idempotencyReplayed = known("Idempotency-Replayed")

    private static func known(_ text: String) -> HTTPField.Name {
        guard let name = HTTPField.Name(text) else { preconditionFailure("a valid field name") }
        return name
    }
}
