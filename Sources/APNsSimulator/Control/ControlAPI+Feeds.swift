// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import HTTPTypes
import Hummingbird
import NIOCore

/// The live feeds.
extension ControlAPI {
    /// The arrivals at all devices.
    func streamDeliveries(_ request: Request, _ context: Context) async throws -> Response {
        let query = try FeedQuery(request, kinds: false, buffer: self.simulator.configuration.deliveryBuffer)
        return Self.stream(self.simulator.core.feed, query, request)
    }

    /// Everything that happens at all devices.
    func streamEvents(_ request: Request, _ context: Context) async throws -> Response {
        let query = try FeedQuery(request, kinds: true, buffer: self.simulator.configuration.deliveryBuffer)
        return Self.stream(self.simulator.core.events, query, request)
    }

    /// What the query asks for: one JSON object a line, or server-sent events where the request asks for them.
    private static func stream<Entry: FeedEntry>(
        _ feed: LiveFeed<Entry>,
        _ query: FeedQuery,
        _ request: Request
    ) -> Response {
        let isEventStream = request.headers[.accept]?.contains("text/event-stream") ?? false
        return Response(
            status: .ok,
            headers: [
                .contentType: isEventStream ? "text/event-stream" : "application/x-ndjson",
                .cacheControl: "no-store",
            ],
            body: query.follows
                ? self.live(feed, query, request, isEventStream: isEventStream)
                : self.kept(feed, query, isEventStream: isEventStream)
        )
    }

    private static func kept<Entry: FeedEntry>(
        _ feed: LiveFeed<Entry>,
        _ query: FeedQuery,
        isEventStream: Bool
    ) -> ResponseBody {
        var buffer = ByteBuffer()
        for entry in feed.history where query.admits(entry) && query.isAfterStart(entry) {
            entry.write(into: &buffer, isEventStream: isEventStream)
        }
        return ResponseBody(byteBuffer: buffer)
    }

    private static func live<Entry: FeedEntry>(
        _ feed: LiveFeed<Entry>,
        _ query: FeedQuery,
        _ request: Request,
        isEventStream: Bool
    ) -> ResponseBody {
        let entries = feed.read(bufferingNewest: query.bufferLimit) { query.since != nil && query.isAfterStart($0) }
        return ResponseBody { writer in
            // The reader may leave at any time; that ends the loop.
            try? await request.body.consumeWithCancellationOnInboundClose { _ in
                var writer = writer
                for await entry in entries where query.admits(entry) {
                    var buffer = ByteBuffer()
                    entry.write(into: &buffer, isEventStream: isEventStream)
                    try await writer.write(buffer)
                }
            }
            try await writer.finish(nil)
        }
    }
}
