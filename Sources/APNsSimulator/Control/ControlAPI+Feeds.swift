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

/// What a live feed tells of.
protocol FeedEntry: Sendable {
    /// The name under which server-sent events carry it.
    static var eventName: String { get }

    var sequence: UInt64 { get }
    /// The device, where it is one that it happened to.
    var place: VirtualDeviceID? { get }
    var bundle: String? { get }
    /// What kind of thing happened, where there are several.
    var word: String? { get }
    /// The entry as the control API shows it.
    var output: JSONOutput { get }
}

extension FeedEntry {
    /// Writes the entry as one line, or as one server-sent event.
    func write(into buffer: inout ByteBuffer, isEventStream: Bool) {
        if isEventStream { buffer.writeString("event: \(Self.eventName)\nid: \(self.sequence)\ndata: ") }
        // A payload may hold line breaks between its tokens; a line of the feed may not.
        buffer.writeBytes(self.output.bytes.lazy.map { $0 == 0x0A || $0 == 0x0D ? 0x20 : $0 })
        buffer.writeString(isEventStream ? "\n\n" : "\n")
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
        // What a device keeps of its own has no place in the feed.
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

/// Which entries of a live feed a request asks for.
struct FeedQuery: Sendable {
    /// The most entries that wait for a reader before it misses the oldest.
    private static let maximumBuffer = 100_000

    /// Only what happened to these devices; empty is all.
    let devices: Set<String>
    /// Only what concerns these apps; empty is all.
    let bundleIDs: Set<String>
    /// Only these kinds; empty is all.
    let kinds: Set<String>
    /// Those that are kept and came after the entry of this number, before those that are still to come.
    let since: UInt64?
    /// Whether the answer goes on with what is still to come, or ends with what is kept.
    let follows: Bool
    /// How many entries may wait for the reader before it misses the oldest.
    let bufferLimit: Int

    /// The query of a request; `kinds` allows the parameter `kind`, `buffer` is the limit where the request names none.
    ///
    /// - Throws: ``ControlProblem`` for a parameter that nobody knows, and for a value that is none.
    init(_ request: Request, kinds: Bool, buffer: Int) throws(ControlProblem) {
        var (devices, bundleIDs, words): (Set<String>, Set<String>, Set<String>) = ([], [], [])
        var (since, follows, limit): (UInt64?, Bool, Int) = (nil, true, buffer)
        for (name, value) in try ControlQuery(request).members {
            let values = value.split(separator: ",").map(String.init)
            switch name {
            case "device": devices.formUnion(values)
            case "bundleID": bundleIDs.formUnion(values)
            case "kind" where kinds: words.formUnion(try Self.kinds(values))
            case "since": since = try Self.number("since", value, in: 0...UInt64(Int.max))
            case "follow": follows = try Self.flag(value)
            case "buffer": limit = Int(try Self.number("buffer", value, in: 1...UInt64(Self.maximumBuffer)))
            default:
                let field = String(name.prefix(40))
                throw ControlProblem(.unknownField, field: field, rule: "no such parameter", value: "one")
            }
        }
        if since == nil, let name = HTTPField.Name("last-event-id"), let text = request.headers[name] {
            since = try Self.number("Last-Event-ID", text, in: 0...UInt64(Int.max))
        }
        self.devices = devices
        self.bundleIDs = bundleIDs
        self.kinds = words
        self.since = since
        self.follows = follows
        self.bufferLimit = limit
    }

    /// Whether the filters let an entry through.
    func admits(_ entry: some FeedEntry) -> Bool {
        (self.devices.isEmpty || entry.place.map { self.devices.contains($0.rawValue) } ?? false)
            && (self.bundleIDs.isEmpty || entry.bundle.map { self.bundleIDs.contains($0) } ?? false)
            && (self.kinds.isEmpty || entry.word.map { self.kinds.contains($0) } ?? false)
    }

    /// Whether an entry came after the one that the request names.
    func isAfterStart(_ entry: some FeedEntry) -> Bool { entry.sequence > self.since ?? 0 }

    private static func kinds(_ words: [String]) throws(ControlProblem) -> [String] {
        let known = SimulatorEvent.Kind.allCases.map(\.rawValue)
        for word in words where !known.contains(word) {
            let rule = "one of " + known.joined(separator: ", ")
            throw ControlProblem(.invalidValue, field: "kind", rule: rule, value: String(word.prefix(20)))
        }
        return words
    }

    private static func number(
        _ field: String,
        _ text: String,
        in range: ClosedRange<UInt64>
    ) throws(ControlProblem) -> UInt64 {
        guard let number = UInt64(text), range.contains(number) else {
            let rule = "an integer of \(range.lowerBound)...\(range.upperBound)"
            throw ControlProblem(.invalidValue, field: field, rule: rule, value: String(text.prefix(20)))
        }
        return number
    }

    private static func flag(_ text: String) throws(ControlProblem) -> Bool {
        switch text {
        case "true": true
        case "false": false
        default:
            throw ControlProblem(.invalidValue, field: "follow", rule: "true or false", value: String(text.prefix(20)))
        }
    }
}
