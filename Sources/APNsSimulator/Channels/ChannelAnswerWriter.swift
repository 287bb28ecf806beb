// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import HTTP2Session

/// Writes the answers to broadcasts and to channel management requests.
enum ChannelAnswerWriter {
    /// Answers on a stream; one that was reset in the meantime needs no answer.
    static func write(_ answer: ChannelAnswer, on stream: HTTP2Stream, in session: HTTP2Session) {
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
            var table = HTTP2FieldTable(capacity: fields.count)
            for (name, range) in fields { table.append(name, UnsafeBufferPointer(rebasing: values[range]), .copied) }
            answer.body.withUnsafeBytes { body in
                try? session.submitResponse(on: stream, table, body: body, maximumFrame: answer.maximumFrame)
            }
        }
    }
}
