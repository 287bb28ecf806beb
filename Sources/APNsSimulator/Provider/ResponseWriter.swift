// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import HTTP2Session

/// Writes the responses of one connection: constant fields are encoded once, IDs use a reused buffer.
final class ResponseWriter {
    private var success = HTTP2HeaderList(capacity: 3)
    private var failure = HTTP2HeaderList(capacity: 3)
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
        // A stream that was reset in the meantime needs no response.
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
            // A stream that was reset in the meantime needs no response.
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

/// Writes the responses to broadcasts and to channel management requests.
enum ChannelResponseWriter {
    /// Sends the response on a stream, unless it was reset in the meantime.
    static func write(_ answer: ChannelResponse, on stream: HTTP2Stream, in session: HTTP2Session) {
        var values: [UInt8] = []
        var fields: [(name: StaticString, value: Range<Int>)] = []
        func add(_ name: StaticString, _ value: String) {
            let start = values.count
            values += Array(value.utf8)
            fields.append((name, start..<values.count))
        }
        add(":status", "\(answer.status)")
        if !answer.body.isEmpty { add("content-type", "application/json") }
        add("apns-request-id", answer.requestID.description)
        if let uniqueID = answer.uniqueID { add("apns-unique-id", uniqueID.description) }
        if let channelID = answer.channelID { add("apns-channel-id", channelID) }
        values.withUnsafeBufferPointer { values in
            var table = HTTP2HeaderList(capacity: fields.count)
            for (name, range) in fields { table.append(name, UnsafeBufferPointer(rebasing: values[range]), .copied) }
            answer.body.withUnsafeBytes { body in
                try? session.submitResponse(on: stream, table, body: body, maximumFrame: answer.maximumFrame)
            }
        }
    }
}

/// The response to a broadcast or to a channel management request.
struct ChannelResponse: Equatable, Sendable {
    var status: Int
    /// `apns-request-id`: the request's or a generated one, also on errors.
    var requestID: APNsID
    /// `apns-unique-id`, of a broadcast that was accepted.
    var uniqueID: APNsID?
    /// `apns-channel-id`, of a channel that was created.
    var channelID: String?
    var body: [UInt8] = []
    var rejection: Rejection?
    /// How many bytes of the body one DATA frame carries at most.
    var maximumFrame = Int.max
}

extension ChannelResponse {
    init(_ rejection: Rejection, requestID: APNsID) {
        self.status = rejection.status
        self.requestID = requestID
        self.body = rejection.body
        self.rejection = rejection
    }

    /// The refusal that a fault asks for; `nil` for a fault that asks for none.
    init?(_ fault: SimulatorFault.Action, requestID: APNsID) {
        switch fault {
        case .reject(let rejection): self.init(rejection, requestID: requestID)
        case .garble(let rejection, let body):
            self.init(rejection, requestID: requestID)
            self.body = body.bytes(for: rejection)
            self.maximumFrame = body.frameSize ?? .max
        default: return nil
        }
    }
}
