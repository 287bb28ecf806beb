// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// A page of failures, as it is written.
struct FailureListBody: Encodable {
    let failures: [OutcomeBody]
    let next: String?
}
