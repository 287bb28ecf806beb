// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import PushModel

/// Many notifications to one token each, in one request.
struct BatchRequest: Sendable {
    static let members = ["notifications", "lane"]

    /// The most notifications of one request.
    static let maximumItems = Batch.maximumTargets

    /// The notifications, grouped into batches.
    private(set) var groups: ItemBatcher

    /// Where each of them went, in their order.
    private(set) var places: [ItemBatcher.Place] = []

    /// The caller's names for them, as the contents of JSON strings; empty without a name.
    private(set) var names: [ArraySlice<UInt8>] = []

    /// The queue that the caller chose, or `nil` to leave it to the server.
    private(set) var lane: Lane?

    /// Reads the body of a request.
    ///
    /// - Throws: ``Problem`` with every fault of the request, each with the index of its notification.
    init(_ body: [UInt8], app: App) throws(Problem) {
        var draft = BatchRequest(app: app)
        var isGiven = false
        self = try JSONReader.read(body, members: Self.members) { reader, member, path throws(JSONSyntaxError) in
            switch member {
            case "notifications":
                isGiven = true
                try draft.readItems(&reader, path, app: app.id)
            case "lane": draft.lane = try reader.oneOf(Lane.self, path)
            default: try reader.skip()
            }
        } finish: { reader in
            if !isGiven { _ = reader.require(nil as Int?, "notifications") }
            return draft
        }
    }

    private init(app: App) {
        self.groups = ItemBatcher(app: app)
    }

    private mutating func readItems(
        _ reader: inout JSONReader,
        _ path: FieldPath,
        app: AppID
    ) throws(JSONSyntaxError) {
        let count = try reader.array(path) { reader, index throws(JSONSyntaxError) in
            guard index < Self.maximumItems else { return try reader.skip() }
            try self.readItem(&reader, app: app) { path.element(index) }
        }
        guard let count else { return }
        if count == 0 { reader.faults.add(path, expected: "at least one element", got: "an empty array") }
        if count > Self.maximumItems {
            let rule = "at most \(Self.maximumItems) elements"
            reader.faults.add(path, expected: rule, got: "\(count)", code: .tooManyTargets)
        }
    }

    private mutating func readItem(
        _ reader: inout JSONReader,
        app: AppID,
        at path: () -> FieldPath
    ) throws(JSONSyntaxError) {
        let found = try reader.withCursor { cursor throws(JSONSyntaxError) -> (ItemBatcher.Place, FastItemParser)? in
            var attempt = cursor
            guard let scan = FastItemParser.read(&attempt), let place = self.groups.add(scan, of: cursor.bytes) else {
                return nil
            }
            cursor = attempt
            return (place, scan)
        }
        if let (place, scan) = found {
            self.places.append(place)
            self.names.append(scan.name.map { reader.cursor.bytes[$0] } ?? [])
            return
        }
        let path = path()
        var draft = ItemParser()
        let isObject = try reader.object(path, members: ItemParser.members) {
            (reader, member, path) throws(JSONSyntaxError) in
            try draft.read(member, &reader, path)
        }
        guard isObject, let item = draft.finish(&reader, app: app, at: path) else { return }
        self.places.append(self.groups.add(item))
        self.names.append(item.name ?? [])
    }
}

extension BatchRequest {
    /// The `apns-id` of each notification once it is planned, in the order of the request.
    func apnsIDs(_ plan: BatchedNotification) -> [APNsID] {
        self.places.map { plan.batches[$0.ordinal].id.apnsID(at: $0.index) }
    }

    /// Returns the outcome of each notification, in the order of the request.
    func outcomes(_ plan: BatchedNotification, _ known: [BatchID: BatchOutcomes]) -> [OutcomeResponse] {
        zip(self.places, self.names).enumerated().map { index, element in
            let (place, name) = element
            let batch = plan.batches[place.ordinal]
            return OutcomeResponse(
                index: index,
                id: name.isEmpty ? nil : Self.text(of: name),
                apnsID: batch.id.apnsID(at: place.index),
                recipient: Recipient(target: batch.targets[place.index]),
                outcome: known[batch.id]?.outcome(at: place.index)
            )
        }
    }

    private static func text(of name: ArraySlice<UInt8>) -> String? {
        let quote = [UInt8(ascii: "\"")]
        guard case .string(let text)? = try? JSONValue(json: quote + name + quote) else { return nil }
        return text
    }
}
