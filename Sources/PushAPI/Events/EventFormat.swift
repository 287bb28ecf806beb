// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import NIOCore
import PushModel

/// How a stream of events is written.
enum EventFormat: Sendable {
    /// Newline-delimited JSON: one event a line, an empty line as a heartbeat.
    case lines

    /// Server-sent events (WHATWG HTML, section 9.2), as `EventSource` reads them.
    case serverSent

    /// The format that a request's `Accept` asks for; `nil` for a page.
    init?(accept: String?) {
        let types = (accept ?? "").split(separator: ",").map { type in
            type.prefix { $0 != ";" }.filter { !$0.isWhitespace }.lowercased()
        }
        if types.contains("text/event-stream") {
            self = .serverSent
        } else if types.contains("application/x-ndjson") {
            self = .lines
        } else {
            return nil
        }
    }

    var contentType: String {
        switch self {
        case .lines: "application/x-ndjson"
        case .serverSent: "text/event-stream"
        }
    }

    /// What is written first: a reader that loses the connection comes back after two seconds.
    var opening: ByteBuffer {
        switch self {
        case .lines: ByteBuffer(string: "\n")
        case .serverSent: ByteBuffer(string: "retry: 2000\n\n")
        }
    }

    /// What is written when nothing happens, and readers pass over.
    var heartbeat: ByteBuffer {
        switch self {
        case .lines: ByteBuffer(string: "\n")
        case .serverSent: ByteBuffer(string: ": heartbeat\n\n")
        }
    }

    /// Events as they are written.
    func bytes(of events: [Event]) throws -> ByteBuffer {
        var buffer = ByteBuffer()
        for event in events {
            let json = try event.json.json()
            switch self {
            case .lines:
                buffer.writeBytes(json)
                buffer.writeString("\n")
            case .serverSent:
                buffer.writeString("id: \(event.cursor)\nevent: \(event.kind)\ndata: ")
                buffer.writeBytes(json)
                buffer.writeString("\n\n")
            }
        }
        return buffer
    }
}
