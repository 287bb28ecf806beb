// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs

/// What the columns of a file of devices mean, from its first line.
struct CSVColumns: Sendable {
    /// The columns of an export, in their order.
    static let exported = [
        "installation", "token", "environment", "platform", "appVersion", "locale", "timeZone", "userID", "tags",
        "topics", "createdAt", "registeredAt", "seenAt", "status", "statusReason", "statusSince",
    ]

    /// What comes before the name of a tag that has a column of its own.
    static let tagPrefix = "tags."

    private enum Column {
        /// A text.
        case text(String)

        /// A tag of this name.
        case tag(String)

        /// All tags, as a JSON object.
        case tags

        /// All topics: a JSON array, or texts with semicolons between them.
        case topics

        /// Something that an import passes over.
        case passedOver
    }

    private let columns: [Column]

    /// Reads the first line of a file.
    ///
    /// - Throws: ``Problem`` `.invalidRequest` with every fault of it.
    init(header: ArraySlice<UInt8>) throws(Problem) {
        var faults = FaultList()
        var columns: [Column] = []
        var names: [String] = []
        do {
            names = try CSVRecord.cells(Self.withoutMark(header)).map { String(decoding: $0, as: UTF8.self) }
        } catch {
            faults.add(error)
        }
        for (index, name) in names.enumerated() {
            guard let column = Self.column(name) else {
                let known = Self.exported.joined(separator: ", ") + ", \(Self.tagPrefix)NAME"
                faults.add(Self.path(index), expected: "one of the columns \(known)", got: "an unknown one")
                continue
            }
            if names[..<index].contains(name) {
                faults.add(Self.path(index), expected: "each column once", got: "'\(name)' again")
            }
            columns.append(column)
        }
        for name in ["installation", "token"] where !names.contains(name) && !names.isEmpty {
            faults.add(FieldPath(description: "header"), expected: "a column '\(name)'", got: "none")
        }
        if names.contains("tags"), names.contains(where: { $0.hasPrefix(Self.tagPrefix) }) {
            let rule = "either 'tags' or columns '\(Self.tagPrefix)NAME'"
            faults.add(FieldPath(description: "header"), expected: rule, got: "both")
        }
        try faults.check()
        self.columns = columns
    }

    /// A record as JSON, as a line of the other format would have it.
    ///
    /// An empty cell says nothing. What is not what it has to be is left to the reading of the JSON, which says so.
    /// - Throws: ``Problem`` `.invalidRequest` when it cannot be cut into as many cells as there are columns.
    func json(_ record: ArraySlice<UInt8>) throws(Problem) -> [UInt8] {
        guard String(validating: record, as: UTF8.self) != nil else {
            throw Problem(.invalidRequest, at: FieldPath(description: "record"), expected: "UTF-8", got: "other bytes")
        }
        let cells: [[UInt8]]
        do {
            cells = try CSVRecord.cells(record)
        } catch {
            throw Problem(
                .invalidRequest,
                at: FieldPath(description: error.field),
                expected: error.rule,
                got: error.value
            )
        }
        guard cells.count == self.columns.count else {
            let rule = "\(self.columns.count) cells, as the first line has"
            throw Problem(.invalidRequest, at: FieldPath(description: "record"), expected: rule, got: "\(cells.count)")
        }
        var json: [UInt8] = [UInt8(ascii: "{")]
        var tags: [UInt8] = [UInt8(ascii: "{")]
        for (column, cell) in zip(self.columns, cells) where !cell.isEmpty {
            switch column {
            case .text(let name): json.append(jsonMember: name, FormulaGuard.unguarded(cell))
            case .tag(let name): tags.append(jsonMember: name, FormulaGuard.unguarded(cell))
            case .tags: Self.append("tags", cell, beginningWith: "{", to: &json)
            case .topics:
                if cell.first == UInt8(ascii: "[") {
                    Self.append("topics", cell, beginningWith: "[", to: &json)
                } else {
                    Self.append(topics: FormulaGuard.unguarded(cell), to: &json)
                }
            case .passedOver: continue
            }
        }
        if tags.count > 1 {
            json.append(jsonName: "tags")
            json += tags + [UInt8(ascii: "}")]
        }
        return json + [UInt8(ascii: "}")]
    }

    /// Adds a cell that is JSON already; anything else becomes a string, which the reading finds fault with.
    private static func append(
        _ name: String,
        _ cell: [UInt8],
        beginningWith bracket: Unicode.Scalar,
        to json: inout [UInt8]
    ) {
        var cursor = JSONCursor(cell)
        let isJSON = cursor.peek() == UInt8(ascii: bracket) && (try? cursor.skipValue()) != nil && cursor.peek() == nil
        guard isJSON else { return json.append(jsonMember: name, cell) }
        json.append(jsonName: name)
        json += cell
    }

    private static func append(topics: ArraySlice<UInt8>, to json: inout [UInt8]) {
        json.append(jsonName: "topics")
        json.append(UInt8(ascii: "["))
        for topic in topics.split(separator: UInt8(ascii: ";")) {
            let text = topic.drop { $0 == UInt8(ascii: " ") }
            if json.last != UInt8(ascii: "[") { json.append(UInt8(ascii: ",")) }
            json.append(jsonString: text)
        }
        json.append(UInt8(ascii: "]"))
    }

    private static func column(_ name: String) -> Column? {
        switch name {
        case "tags": .tags
        case "topics": .topics
        case "app", "createdAt", "seenAt", "status", "statusReason", "statusSince": .passedOver
        case _ where name.hasPrefix(self.tagPrefix): .tag(String(name.dropFirst(self.tagPrefix.count)))
        case _ where self.exported.contains(name): .text(name)
        default: nil
        }
    }

    /// Some programs write a byte order mark, which is no part of the first name.
    private static func withoutMark(_ header: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        header.starts(with: [0xEF, 0xBB, 0xBF]) ? header.dropFirst(3) : header
    }

    private static func path(_ index: Int) -> FieldPath { FieldPath(description: "header, column \(index + 1)") }
}
