// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import PushModel
import PushStore

/// A request with an idempotency key, which is executed once.
///
/// The transaction of the request stores its response. So of two concurrent requests, one is executed, and the other
/// replays its response.
struct IdempotentRequest: Sendable {
    let slot: ScopedIdempotencyKey
    let requestHash: [UInt8]
    private let store: any IdempotencyStore

    /// Reads the idempotency key of a request, and hashes the request; `nil` without a key.
    init?(_ call: AuthorizedRequest, body: [UInt8], store: any IdempotencyStore) throws {
        guard let slot = try call.idempotencySlot() else { return nil }
        self.slot = slot
        self.requestHash = IdempotencyRecord.hash([Array(call.request.uri.path.utf8), body])
        self.store = store
    }

    /// Returns the stored response; `nil` if the request was not executed yet.
    ///
    /// - Throws: ``Problem`` `.idempotencyKeyReused` if the key was used for another request.
    func earlier() async throws -> IdempotencyRecord? {
        guard let record = try await self.store.idempotencyRecord(self.slot) else { return nil }
        guard IdempotencyRecord.Answer.statuses.contains(record.answer.status) else {
            throw StoreError.damaged("response to a request")
        }
        guard record.requestHash == self.requestHash else {
            throw Problem(
                .idempotencyKeyReused,
                "The key was used for another request at \(Timestamp.text(record.createdAt))."
            )
        }
        return record
    }

    /// The record to store with a notification.
    func note(_ notification: PushModel.Notification, answer: IdempotencyRecord.Answer) -> AcceptanceAttachment {
        .answer(self.record(of: notification.id, answer: answer, createdAt: notification.createdAt))
    }

    /// The record to store with the result of a request.
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
    /// The statuses that an answer can have.
    fileprivate static let statuses = 200...599

    init(_ value: some JSONWritable, status: HTTPResponse.Status, location: String? = nil) {
        self.init(status: status.code, location: location, body: JSONResponseEncoder.bytes(value))
    }

    init(_ value: some Encodable, status: HTTPResponse.Status, location: String? = nil) throws {
        self.init(status: status.code, location: location, body: try JSONResponseEncoder.bytes(value))
    }
}

extension Response {
    /// An answer as it was, or will be, stored.
    init(_ answer: IdempotencyRecord.Answer, isReplayed: Bool = false) {
        var headers: HTTPFields = [.contentType: "application/json"]
        headers[.location] = answer.location
        if isReplayed { headers[.idempotentReplayed] = "true" }
        self.init(
            // A value out of range is corrupt, and `HTTPResponse.Status` would trap.
            status: IdempotencyRecord.Answer.statuses.contains(answer.status)
                ? HTTPResponse.Status(code: answer.status) : .internalServerError,
            headers: headers,
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: answer.body))
        )
    }
}

extension AuthorizedRequest {
    /// Returns the idempotency key of the request; `nil` if it has none.
    ///
    /// - Throws: ``Problem`` `.invalidRequest` for an invalid key.
    func idempotencySlot() throws -> ScopedIdempotencyKey? {
        let values = self.request.headers[values: .idempotencyKey]
        guard let text = values.first, let apiKey = self.key?.id else { return nil }
        guard values.count == 1 else {
            throw Problem(.invalidRequest, at: .idempotencyKey, expected: "one value", got: "\(values.count)")
        }
        do {
            return ScopedIdempotencyKey(app: try self.app(), apiKey: apiKey, key: try IdempotencyKey(validating: text))
        } catch let failure as InvalidValueError {
            throw Problem(.invalidRequest, at: .idempotencyKey, expected: failure.rule, got: failure.value)
        }
    }

    /// Refuses a name for a request that cannot be repeated as a whole.
    ///
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
    /// The header with the idempotency key.
    static let idempotencyKey = known("Idempotency-Key")

    /// Says that the answer is that of an earlier request.
    static let idempotentReplayed = known("Idempotent-Replayed")

    private static func known(_ text: String) -> HTTPField.Name {
        // Cannot trap: the callers give constants that are valid field names.
        guard let name = HTTPField.Name(text) else { preconditionFailure("a valid field name") }
        return name
    }
}
