// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import PushModel

/// What is stored together with a notification, in the same transaction.
public enum AcceptanceNote: Hashable, Sendable {
    /// The answer for repetitions of the request.
    case answer(IdempotencyRecord)

    /// The lines of a stream that the notification was made of.
    case chunk(StreamChunk)
}
