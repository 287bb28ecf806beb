// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
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

    /// Responds with one JSON object per line, or with server-sent events if the request accepts them.
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

/// An entry of a live feed.
protocol FeedEntry: Sendable {
    /// The name under which server-sent events carry it.
    static var eventName: String { get }

    var sequence: UInt64 { get }
    /// The device, where it is one that it happened to.
    var place: VirtualDeviceID? { get }
    var bundle: String? { get }
    /// The type of the entry, if the feed has several.
    var word: String? { get }
    /// The entry as the control API shows it.
    var output: JSONOutput { get }
}

extension FeedEntry {
    /// Writes the entry as one line, or as one server-sent event.
    func write(into buffer: inout ByteBuffer, isEventStream: Bool) {
        if isEventStream { buffer.writeString("event: \(Self.eventName)\nid: \(self.sequence)\ndata: ") }
        buffer.writeLine(self.output)
        if isEventStream { buffer.writeString("\n") }
    }
}

extension ByteBuffer {
    /// Writes a value and a line break.
    ///
    /// A payload may have line breaks between its tokens; they become spaces.
    mutating func writeLine(_ value: JSONOutput) {
        self.writeBytes(value.bytes.lazy.map { $0 == 0x0A || $0 == 0x0D ? 0x20 : $0 })
        self.writeString("\n")
    }
}

extension Delivery: FeedEntry {
    static var eventName: String { "delivery" }
    var place: VirtualDeviceID? { self.device }
    var bundle: String? { self.notification.bundleID }
    var word: String? { nil }
}

extension SimulatorEvent: FeedEntry {
    static var eventName: String { "event" }
    var place: VirtualDeviceID? { self.device }
    var bundle: String? { self.bundleID }
    var word: String? { self.kind.rawValue }

    var output: JSONOutput {
        var members: [(String, JSONOutput)] = [("at", .date(self.at)), ("kind", .string(self.kind.rawValue))]
        // Entries with sequence 0 are stored by a device only and are not in the feed.
        if self.sequence > 0 { members.insert(("sequence", .integer(Int(clamping: self.sequence))), at: 0) }
        if let device { members.append(("device", .string(device.rawValue))) }
        if let bundleID { members.append(("bundleID", .string(bundleID))) }
        if let apnsID { members.append(("apnsID", .string(apnsID.description))) }
        if let cause { members.append(("cause", .string(cause))) }
        if !self.details.isEmpty {
            let details = self.details.sorted { $0.key < $1.key }
            members.append(("details", .object(details.map { ($0.key, .string($0.value)) })))
        }
        return .object(members)
    }
}
