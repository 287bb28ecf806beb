// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import PushModel

/// Makes of what a transaction came to the answer for repetitions of the request, which is stored in the same transaction;
/// `nil` stores none.
public typealias AnswerNote<Value> = @Sendable (Value) throws -> IdempotencyRecord?

/// What is stored together with a notification, in the same transaction.
public enum AcceptanceNote: Hashable, Sendable {
    /// The answer for repetitions of the request.
    case answer(IdempotencyRecord)

    /// The lines of a stream that the notification was made of.
    case chunk(StreamChunk)

    /// The endpoint that the notification is for, whose application wants to be told when it fails.
    case endpoint(EndpointPublication)
}
