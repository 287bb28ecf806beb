// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import HTTPTypes
import Hummingbird

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

    /// The query of a request.
    ///
    /// - Parameters:
    ///   - request: the request.
    ///   - kinds: whether `kind` may be asked for.
    ///   - buffer: how many entries may wait for the reader where the request does not say.
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
