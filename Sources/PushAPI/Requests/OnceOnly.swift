// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import HTTPTypes
import Hummingbird
import NIOCore
import PushModel
import PushStore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A request that its caller named, so that it is carried out once however often it is sent.
///
/// The answer is stored in the transaction that stores what was asked for. So of two that come at the same time one is
/// carried out, and the other finds its answer.
struct OnceOnly: Sendable {
    let slot: IdempotencySlot
    let requestHash: [UInt8]
    private let store: any PushStore

    /// Takes the name of a request, and all that makes it what it is; `nil` when it has no name.
    init?(_ call: APICall, body: [UInt8], store: any PushStore) throws {
        guard let slot = try call.idempotencySlot() else { return nil }
        self.slot = slot
        self.requestHash = IdempotencyRecord.hash([Array(call.request.uri.path.utf8), body])
        self.store = store
    }

    /// What the request was answered before; `nil` when it was not carried out yet.
    ///
    /// - Throws: ``Problem`` `.idempotencyKeyReused` when the name was used for another request.
    func earlier() async throws -> IdempotencyRecord? {
        guard let record = try await self.store.idempotencyRecord(self.slot) else { return nil }
        guard record.requestHash == self.requestHash else {
            throw Problem(
                .idempotencyKeyReused,
                "The key was used for another request at \(record.createdAt.formatted(Timestamp.style))."
            )
        }
        return record
    }

    /// What is stored together with a notification.
    func note(_ notification: PushModel.Notification, answer: IdempotencyRecord.Answer) -> AcceptanceNote {
        .answer(self.record(of: notification.id, answer: answer, createdAt: notification.createdAt))
    }

    /// What is stored together with what was asked for.
    func record(
        of notification: NotificationID,
        answer: IdempotencyRecord.Answer,
        createdAt: Date
    ) -> IdempotencyRecord {
        IdempotencyRecord(
            slot: self.slot,
            requestHash: self.requestHash,
            notification: notification,
            answer: answer,
            createdAt: createdAt
        )
    }
}

extension IdempotencyRecord.Answer {
    /// An answer in JSON.
    init(_ value: some Encodable, status: HTTPResponse.Status, location: String? = nil) throws {
        self.init(status: status.code, location: location, body: try JSONBody.bytes(value))
    }
}

extension Response {
    /// An answer as it was, or will be, stored.
    init(_ answer: IdempotencyRecord.Answer, isReplayed: Bool = false) {
        var headers: HTTPFields = [.contentType: "application/json"]
        headers[.location] = answer.location
        if isReplayed { headers[.idempotencyReplayed] = "true" }
        self.init(
            status: HTTPResponse.Status(code: answer.status),
            headers: headers,
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: answer.body))
        )
    }
}
