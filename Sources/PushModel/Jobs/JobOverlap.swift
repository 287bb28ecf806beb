// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// What becomes of an occurrence that is due while another run of the job has not ended.
public enum JobOverlap: String, Hashable, Sendable, Codable, CaseIterable {
    /// It is left out.
    case skip

    /// It waits until that has ended; further ones are left out while one waits.
    case queue

    /// It runs beside the others, up to ten of them at once; up to a hundred where each missed occurrence is made up for.
    case allow
}
