// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs

/// What became of one notification to one target.
public enum Outcome: Hashable, Sendable {
    /// APNs accepted it (200); whether the device showed it is not known to anyone.
    case delivered

    /// APNs refused it.
    case rejected(Rejection)

    /// APNs gave no answer, or was not asked.
    case failed(FailureCode)
}
