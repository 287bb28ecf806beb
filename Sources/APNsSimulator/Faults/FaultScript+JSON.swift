// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs

extension FaultScript {
    /// A script that is written in JSON, as the control API takes it: an object with `steps`, or a single fault.
    ///
    /// - Throws: ``ValidationFailure`` that names the member, the rule and what stands there.
    public init(json: [UInt8]) throws(ValidationFailure) {
        do {
            self = try FaultDraft.script(try RequestObject(json))
        } catch {
            throw ValidationFailure(
                field: error.field ?? "fault script",
                rule: error.rule ?? "a JSON object",
                value: error.value ?? error.detail
            )
        }
    }
}
