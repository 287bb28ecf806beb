// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import HTTPTypes
import Hummingbird
import PushModel
import PushStore

/// Files of devices: `/v1/apps/{app}/devices:import` and `/v1/apps/{app}/devices:export`.
struct DeviceFileRoutes: APIRoutes {
    let store: any AppStore & DeviceStore

    /// The maximum number of bytes of a line: the same as for the registration of one device.
    let lineLimit: Int

    let clock: any Clock<Duration>
    let now: @Sendable () -> Date

    var routes: [APIRoute] {
        [
            APIRoute(.post, "/v1/apps/{app}/devices:import", .scopes([.devices]), self.read),
            APIRoute(.get, "/v1/apps/{app}/devices:export", .scopes([.devices, .read]), self.write),
        ]
    }

    private func read(_ call: AuthorizedRequest) async throws -> Response {
        let query = try call.query("dryRun", "columns", "skip")
        let isDryRun = try Self.oneOf(["true", "false"], query, "dryRun") == "true"
        let mapping = try query["columns"].map { text throws(Problem) in try ColumnMapping(text) }
        let skippedLines = try query["skip"].map { text throws(Problem) in try Self.lineNumber(text) } ?? 0
        let type = try call.mediaType(among: DeviceFileFormat.allCases.map(\.mediaType))
        let format = DeviceFileFormat.allCases.first { $0.mediaType == type } ?? .ndjson
        if mapping != nil, format == .ndjson {
            let rule = "none, or a body of \(MediaType.csv) or \(MediaType.tsv)"
            throw Problem(.invalidRequest, at: .query("columns"), expected: rule, got: format.mediaType)
        }
        try call.refuseIdempotencyKey(insteadOf: "none; an import may be repeated as often as you like")
        let share = try call.share(of: .import)
        let session = DeviceImport(
            app: try await call.requireApp(),
            format: format,
            mapping: mapping,
            skippedLines: skippedLines,
            isDryRun: isDryRun,
            store: self.store,
            lineLimit: self.lineLimit,
            clock: self.clock,
            now: self.now,
            logger: call.context.logger,
            refusal: call.refusal
        )
        await call.inviteBody(isStream: true)
        let body = call.request.body
        return Response(
            status: .ok,
            headers: [.contentType: MediaType.ndjson],
            body: .stream { writer in
                defer { withExtendedLifetime(share) {} }
                try await session.run(body, &writer)
            }
        )
    }

    private func write(_ call: AuthorizedRequest) async throws -> Response {
        let query = try call.query("format")
        let formats = [DeviceFileFormat.ndjson, .csv].map(\.rawValue)
        let name = try Self.oneOf(formats, query, "format")
        let format = name.flatMap(DeviceFileFormat.init(rawValue:)) ?? .ndjson
        let app = try await call.requireApp()
        let share = try call.share(of: .export)
        let export = DeviceExport(app: app.id, format: format, store: self.store, share: share)
        return Response(
            status: .ok,
            headers: [.contentType: format.mediaType],
            body: export.body(from: try await export.firstPage())
        )
    }

    private static func lineNumber(_ text: String) throws(Problem) -> Int {
        if let number = Int(text), (0...Int(Int32.max)).contains(number) { return number }
        let rule = "the number of a line, 0...2147483647"
        throw Problem(.invalidRequest, at: .query("skip"), expected: rule, got: "'\(text.prefix(64))'")
    }

    private static func oneOf(_ values: [String], _ query: [String: String], _ name: String) throws(Problem) -> String?
    {
        guard let value = query[name] else { return nil }
        if values.contains(value) { return value }
        let rule = "one of \(values.joined(separator: ", "))"
        throw Problem(.invalidRequest, at: .query(name), expected: rule, got: "\(value.utf8.count) characters")
    }
}

/// How devices are written in a file.
enum DeviceFileFormat: String, CaseIterable, Sendable {
    /// One JSON object in each line.
    case ndjson

    /// Comma-separated values (RFC 4180) below a line with the names of the columns.
    case csv

    /// Tab-separated values, as `mysql --batch` writes them; only for imports.
    case tsv

    var mediaType: String {
        switch self {
        case .ndjson: MediaType.ndjson
        case .csv: MediaType.csv
        case .tsv: MediaType.tsv
        }
    }

    /// The cells of a record in a format with columns.
    ///
    /// - Throws: `InvalidValueError` if a quotation mark of CSV is misplaced.
    func cells(_ record: ArraySlice<UInt8>) throws(InvalidValueError) -> [[UInt8]] {
        self == .tsv ? TSVRecord.cells(record) : try CSVRecord.cells(record)
    }
}
