// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import Hummingbird
import NIOCore
import PushModel
import PushStore
import ServiceLifecycle

/// All devices of an app, written page by page as the client takes them.
struct DeviceExport: Sendable {
    let app: AppID
    let format: DeviceFileFormat
    let store: any DeviceStore

    /// The place that it takes among the server's exports.
    let share: CallShares.Share

    /// How many devices are read at once.
    static let pageSize = 500

    /// The server stops before the last device, or the deadline has passed: the connection breaks, so that the client detects an incomplete file.
    struct Interrupted: Error {}

    /// Reads the first page before the response starts, so that an error of the store gets an error response.
    func firstPage() async throws -> Page<Device, Int64> {
        try await self.store.devices(of: self.app, in: nil, after: nil, limit: Self.pageSize)
    }

    /// Writes everything from the first page on.
    func body(from first: Page<Device, Int64>) -> ResponseBody {
        let deadline = self.share.deadline.map { ContinuousClock.now + $0 }
        return .stream { writer in
            var file = DeviceFileWriter(self.format)
            var page = first
            while true {
                for device in page.elements { file.write(DeviceResponse(device)) }
                try await writer.write(file.take())
                guard let next = page.next else { break }
                let isLate = deadline.map { ContinuousClock.now >= $0 } ?? false
                guard !Task.isShuttingDownGracefully, !isLate else { throw Interrupted() }
                page = try await self.store.devices(of: self.app, in: nil, after: next, limit: Self.pageSize)
            }
            try await writer.finish(nil)
        }
    }
}

/// Writes devices as an import reads them.
struct DeviceFileWriter {
    let format: DeviceFileFormat
    private(set) var bytes: [UInt8] = []

    /// Begins a file; the first line of CSV has the names of the columns.
    init(_ format: DeviceFileFormat) {
        self.format = format
        if format == .csv { self.record(CSVColumns.exported) }
    }

    /// Removes and returns the written bytes.
    mutating func take() -> ByteBuffer {
        defer { self.bytes.removeAll(keepingCapacity: true) }
        return ByteBuffer(bytes: self.bytes)
    }

    mutating func write(_ device: DeviceResponse) {
        switch self.format {
        case .ndjson: self.line(device)
        case .csv, .tsv: self.record(Self.cells(device))  // A route that exports offers no TSV.
        }
    }

    private mutating func line(_ device: DeviceResponse) {
        self.bytes.append(UInt8(ascii: "{"))
        for (name, text) in device.texts { self.member(name, text) }
        self.bytes.append(jsonName: "tags")
        self.bytes += Self.tags(device)
        self.bytes.append(jsonName: "topics")
        self.bytes += Self.topics(device)
        for (name, time) in Self.times(device) { self.member(name, Timestamp.text(time)) }
        self.bytes.append(jsonName: "status")
        self.bytes.append(UInt8(ascii: "{"))
        self.member("state", device.status.state)
        self.member("reason", device.status.reason)
        self.member("since", device.status.since.map(Timestamp.text))
        self.bytes += "}}\n".utf8
    }

    private mutating func member(_ name: String, _ text: String?) {
        if let text { self.bytes.append(jsonMember: name, text.utf8) }
    }

    private mutating func record(_ cells: [String?]) {
        for (index, cell) in cells.enumerated() {
            if index > 0 { self.bytes.append(UInt8(ascii: ",")) }
            self.append(cell: FormulaEscaping.guarded(cell ?? ""))
        }
        self.bytes += "\r\n".utf8
    }

    private mutating func append(cell: String) {
        let needsQuotes = cell.utf8.contains { "\",\r\n".utf8.contains($0) }
        guard needsQuotes || cell.hasPrefix(" ") || cell.hasSuffix(" ") else {
            self.bytes += cell.utf8
            return
        }
        let quote = UInt8(ascii: "\"")
        self.bytes.append(quote)
        for byte in cell.utf8 {
            if byte == quote { self.bytes.append(quote) }
            self.bytes.append(byte)
        }
        self.bytes.append(quote)
    }

    /// The cells in the order of ``CSVColumns/exported``; `app`, the first text, has none.
    private static func cells(_ device: DeviceResponse) -> [String?] {
        let tags = device.tags.isEmpty ? nil : String(decoding: self.tags(device), as: UTF8.self)
        let topics = device.topics.isEmpty ? nil : String(decoding: self.topics(device), as: UTF8.self)
        let status = [device.status.state, device.status.reason, device.status.since.map(Timestamp.text)]
        return device.texts.dropFirst().map(\.text) + [tags, topics]
            + self.times(device).map { Timestamp.text($0.time) }
            + status
    }

    private static func times(_ device: DeviceResponse) -> [(name: String, time: Date)] {
        [("createdAt", device.createdAt), ("registeredAt", device.registeredAt), ("seenAt", device.seenAt)]
    }

    private static func tags(_ device: DeviceResponse) -> [UInt8] {
        var json: [UInt8] = [UInt8(ascii: "{")]
        for (name, value) in device.tags.sorted(by: { $0.key < $1.key }) {
            json.append(jsonMember: name, value.utf8)
        }
        return json + [UInt8(ascii: "}")]
    }

    private static func topics(_ device: DeviceResponse) -> [UInt8] {
        var json: [UInt8] = [UInt8(ascii: "[")]
        for (index, topic) in device.topics.enumerated() {
            if index > 0 { json.append(UInt8(ascii: ",")) }
            json.append(jsonString: topic.utf8)
        }
        return json + [UInt8(ascii: "]")]
    }
}

/// One device of a file: a line in JSON, or a record of CSV put into the same form.
struct DeviceFileRecord: Sendable {
    /// The members that an export writes and an import ignores.
    static let passedOver = ["app", "createdAt", "seenAt", "status"]

    static let members = ["device"] + DeviceRequest.members + ["registeredAt"] + Self.passedOver
    let installation: DeviceID
    let device: DeviceRequest

    /// When the app registered the device; `nil` when the line does not say.
    let registeredAt: Date?
}

extension DeviceFileRecord {
    /// Reads a line.
    ///
    /// - Throws: ``Problem`` with every fault of the line.
    init(_ json: [UInt8]) throws(Problem) {
        var installation: DeviceID?
        var registeredAt: Date?
        var draft = DeviceParser()
        self = try JSONReader.read(json, members: Self.members) { reader, member, path throws(JSONSyntaxError) in
            switch member {
            case "device": installation = try reader.value(path, DeviceID.init(validating:))
            case "registeredAt": registeredAt = try reader.value(path, Timestamp.parse)
            case _ where Self.passedOver.contains(member): try reader.skip()
            default: try draft.read(member, &reader, path)
            }
        } finish: { reader in
            let parts = (reader.require(installation, "device"), draft.finish(&reader))
            guard case (let installation?, let device?) = parts else { return nil }
            return DeviceFileRecord(installation: installation, device: device, registeredAt: registeredAt)
        }
    }

    /// Returns the registration of the line, which took place before now.
    ///
    /// Without a time, its registration time counts as the beginning of 1970, so that any timestamp of APNs applies to
    /// its token.
    func registration(of app: App, now: Date) -> DeviceRegistration {
        let earliest = Date(timeIntervalSince1970: 0)
        return DeviceRegistration(
            app: app.id,
            installation: self.installation,
            token: self.device.token,
            environment: self.device.environment ?? app.defaultEnvironment,
            profile: self.device.profile,
            registeredAt: min(max(self.registeredAt ?? earliest, earliest), now)
        )
    }
}
