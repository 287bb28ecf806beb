// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import HTTPTypes
import Hummingbird
import NIOCore

/// The live feed.
extension ControlAPI {
    /// Every arrival from now on: one JSON object a line, or server-sent events where the request asks for them.
    func streamDeliveries(_ request: Request, _ context: Context) async throws -> Response {
        let isEventStream = request.headers[.accept]?.contains("text/event-stream") ?? false
        let deliveries = self.simulator.deliveries()
        let body = ResponseBody { writer in
            // The reader may leave at any time; that ends the loop.
            try? await request.body.consumeWithCancellationOnInboundClose { _ in
                var writer = writer
                for await delivery in deliveries {
                    try await writer.write(Self.line(delivery, isEventStream: isEventStream))
                }
            }
            try await writer.finish(nil)
        }
        return Response(
            status: .ok,
            headers: [
                .contentType: isEventStream ? "text/event-stream" : "application/x-ndjson",
                .cacheControl: "no-store",
            ],
            body: body
        )
    }

    private static func line(_ delivery: Delivery, isEventStream: Bool) -> ByteBuffer {
        var buffer = ByteBuffer()
        if isEventStream { buffer.writeString("event: delivery\nid: \(delivery.sequence)\ndata: ") }
        // A payload may hold line breaks between its tokens; a line of the feed may not.
        buffer.writeBytes(delivery.output.bytes.lazy.map { $0 == 0x0A || $0 == 0x0D ? 0x20 : $0 })
        buffer.writeString(isEventStream ? "\n\n" : "\n")
        return buffer
    }
}
