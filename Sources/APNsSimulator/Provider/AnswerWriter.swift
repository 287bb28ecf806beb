// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import HTTP2Session

/// Writes the answers of one connection: constant fields are laid out once, ids go through a scratch of its own.
final class AnswerWriter {
    private var success = HTTP2FieldTable(capacity: 3)
    private var failure = HTTP2FieldTable(capacity: 3)
    private let scratch: UnsafeMutableBufferPointer<UInt8>
    private static let idCount = APNsID.canonicalCount

    init() {
        self.scratch = .allocate(capacity: 2 * Self.idCount + 3)
        self.scratch.initialize(repeating: 0)
        self.success.append(":status", "200")
    }

    deinit {
        self.scratch.deallocate()
    }

    /// 200 with an empty body: the stream ends on its HEADERS.
    func accept(_ stream: HTTP2Stream, in session: HTTP2Session, apnsID: APNsID, uniqueID: APNsID?) {
        self.success.truncate(to: 1)
        self.success.append("apns-id", self.write(apnsID, at: 0), .copiedUnindexed)
        if let uniqueID {
            self.success.append("apns-unique-id", self.write(uniqueID, at: Self.idCount), .copiedUnindexed)
        }
        // A stream that was reset in the meantime needs no answer.
        try? session.submitResponse(on: stream, self.success)
    }

    /// The rejection's status with `{"reason":…}`, or with another body.
    func reject(
        _ stream: HTTP2Stream,
        in session: HTTP2Session,
        apnsID: APNsID,
        rejection: Rejection,
        body: ErrorBody? = nil
    ) {
        self.failure.truncate(to: 0)
        self.failure.append(":status", self.write(status: rejection.status, at: 2 * Self.idCount), .copied)
        self.failure.append("content-type", "application/json")
        self.failure.append("apns-id", self.write(apnsID, at: 0), .copiedUnindexed)
        let frameSize = body?.frameSize ?? .max
        (body?.bytes(for: rejection) ?? rejection.body).withUnsafeBytes { bytes in
            // A stream that was reset in the meantime needs no answer.
            try? session.submitResponse(on: stream, self.failure, body: bytes, maximumFrame: frameSize)
        }
    }

    private func write(_ id: APNsID, at offset: Int) -> UnsafeBufferPointer<UInt8> {
        let place = UnsafeMutableBufferPointer(rebasing: self.scratch[offset..<offset + Self.idCount])
        id.write(into: UnsafeMutableRawBufferPointer(place))
        return UnsafeBufferPointer(place)
    }

    private func write(status: Int, at offset: Int) -> UnsafeBufferPointer<UInt8> {
        let place = UnsafeMutableBufferPointer(rebasing: self.scratch[offset..<offset + 3])
        place[0] = UInt8(ascii: "0") + UInt8(status / 100 % 10)
        place[1] = UInt8(ascii: "0") + UInt8(status / 10 % 10)
        place[2] = UInt8(ascii: "0") + UInt8(status % 10)
        return UnsafeBufferPointer(place)
    }
}
