// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs

/// The columns of a device file, from its first line.
struct CSVColumns: Sendable {
    /// The columns of an export, in their order.
    static let exported =
        ["device"] + DeviceRequest.members
        + ["createdAt", "registeredAt", "seenAt", "status", "statusReason", "statusSince"]

    /// The columns that an import knows, for messages.
    static let readable = Self.exported.joined(separator: ", ") + ", \(Self.tagPrefix)NAME"

    /// The prefix of a tag in the name of a column.
    static let tagPrefix = "tags."

    private enum Column {
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
    private let format: DeviceFileFormat

    /// Reads the first line of a file.
    ///
    /// - Parameters:
    ///   - header: the line.
    ///   - format: a format with columns.
    ///   - mapping: the columns to read if they have other names; `nil` reads all.
    /// - Throws: ``Problem`` `.invalidRequest` with every fault of it.
    init(header: ArraySlice<UInt8>, format: DeviceFileFormat, mapping: ColumnMapping? = nil) throws(Problem) {
        var faults = ValidationErrors()
        var columns: [Column] = []
        var names: [String] = []
        do {
            // A long name is of no column, and must not be compared; see `String.isStreamSafe`.
            names = try format.cells(Self.withoutMark(header)).map { cell in
                cell.count <= 256 ? String(decoding: cell, as: UTF8.self) : ""
            }
        } catch {
            faults.add(error)
        }
        if let mapping, !names.isEmpty {
            for column in mapping.columns where !names.contains(column) {
                let rule = "a column '\(column)', as the parameter 'columns' says"
                faults.add(FieldPath(description: "header"), expected: rule, got: "none")
            }
            try faults.check()
            names = names.map { mapping.names[$0] ?? Self.unread }
        }
        var seen: Set<String> = []
        for (index, name) in names.enumerated() {
            guard let column = Self.column(name) else {
                let rule = "one of the columns \(Self.readable)"
                faults.add(Self.path(index), expected: rule, got: "an unknown one")
                continue
            }
            if !seen.insert(name).inserted, name != Self.unread {
                faults.add(Self.path(index), expected: "each column once", got: "'\(name)' again")
            }
            columns.append(column)
        }
        for name in ["device", "token"] where !names.contains(name) && !names.isEmpty {
            faults.add(FieldPath(description: "header"), expected: "a column '\(name)'", got: "none")
        }
        if names.contains("tags"), names.contains(where: { $0.hasPrefix(Self.tagPrefix) }) {
            let rule = "either 'tags' or columns '\(Self.tagPrefix)NAME'"
            faults.add(FieldPath(description: "header"), expected: rule, got: "both")
        }
        try faults.check()
        self.columns = columns
        self.format = format
    }

    /// Converts a record to JSON in the form of the other format.
    ///
    /// An empty cell means no value. Invalid values are reported when the JSON is parsed.
    /// - Throws: ``Problem`` `.invalidRequest` if the number of cells differs from that of the columns.
    func json(_ record: ArraySlice<UInt8>) throws(Problem) -> [UInt8] {
        guard String(validating: record, as: UTF8.self) != nil else {
            throw Problem(.invalidRequest, at: FieldPath(description: "record"), expected: "UTF-8", got: "other bytes")
        }
        let cells: [[UInt8]]
        do {
            cells = try self.format.cells(record)
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
            case .text(let name): json.append(jsonMember: name, FormulaEscaping.unguarded(cell))
            case .tag(let name): tags.append(jsonMember: name, FormulaEscaping.unguarded(cell))
            case .tags: Self.append("tags", cell, beginningWith: "{", to: &json)
            case .topics:
                if cell.first == UInt8(ascii: "[") {
                    Self.append("topics", cell, beginningWith: "[", to: &json)
                } else {
                    Self.append(topics: FormulaEscaping.unguarded(cell), to: &json)
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

    /// A name of a column that is passed over, for columns that a mapping leaves out.
    private static let unread = "app"

    /// Whether there is a column of this name.
    static func hasColumn(_ name: String) -> Bool { self.column(name) != nil }

    private static func column(_ name: String) -> Column? {
        switch name {
        case "tags": .tags
        case "topics": .topics
        case Self.unread, "createdAt", "seenAt", "status", "statusReason", "statusSince": .passedOver
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

/// Cuts a record of comma-separated values into its cells, as RFC 4180 has it.
enum CSVRecord {
    /// The cells of a record.
    ///
    /// A cell in quotation marks may hold commas, line breaks and doubled quotation marks; a carriage return at the end
    /// of the record belongs to the line break.
    /// - Throws: `InvalidValueError` for a quotation mark where none may be, and for one that is not closed.
    static func cells(_ record: ArraySlice<UInt8>) throws(InvalidValueError) -> [[UInt8]] {
        let record = record.last == UInt8(ascii: "\r") ? record.dropLast() : record
        var cells: [[UInt8]] = []
        var position = record.startIndex
        while true {
            let (cell, end) = try self.cell(record, from: position, number: cells.count + 1)
            cells.append(cell)
            guard end < record.endIndex else { return cells }
            position = end + 1
        }
    }

    private static func cell(
        _ record: ArraySlice<UInt8>,
        from start: Int,
        number: Int
    ) throws(InvalidValueError) -> (cell: [UInt8], end: Int) {
        let quote = UInt8(ascii: "\"")
        guard start < record.endIndex, record[start] == quote else {
            let end = record[start...].firstIndex(of: UInt8(ascii: ",")) ?? record.endIndex
            let cell = Array(record[start..<end])
            guard !cell.contains(quote) else {
                throw self.failure(number, "no quotation mark in a cell that does not begin with one", "one")
            }
            return (cell, end)
        }
        var cell: [UInt8] = []
        var position = start + 1
        while let end = record[position...].firstIndex(of: quote) {
            cell.append(contentsOf: record[position..<end])
            guard end + 1 < record.endIndex else { return (cell, record.endIndex) }
            switch record[end + 1] {
            case quote:
                cell.append(quote)
                position = end + 2
            case UInt8(ascii: ","): return (cell, end + 1)
            default: throw self.failure(number, "a comma after the closing quotation mark", "something else")
            }
        }
        throw self.failure(number, "a closing quotation mark", "none")
    }

    private static func failure(_ number: Int, _ rule: String, _ value: String) -> InvalidValueError {
        InvalidValueError(field: "cell \(number)", rule: rule, value: value)
    }
}

/// Cuts a line of tab-separated values into its cells, as `mysql --batch` and PostgreSQL's `COPY` write it.
enum TSVRecord {
    /// The cells of a line: a backslash and a letter are a control character, `NULL` and `\N` are no value.
    static func cells(_ record: ArraySlice<UInt8>) -> [[UInt8]] {
        let record = record.last == UInt8(ascii: "\r") ? record.dropLast() : record
        return record.split(separator: UInt8(ascii: "\t"), omittingEmptySubsequences: false).map { cell in
            cell.elementsEqual("NULL".utf8) || cell.elementsEqual(#"\N"#.utf8) ? [] : self.unescaped(cell)
        }
    }

    private static func unescaped(_ cell: ArraySlice<UInt8>) -> [UInt8] {
        guard cell.contains(UInt8(ascii: "\\")) else { return Array(cell) }
        var bytes: [UInt8] = []
        var isEscaped = false
        for byte in cell {
            if isEscaped {
                switch UnicodeScalar(byte) {
                case "n": bytes.append(UInt8(ascii: "\n"))
                case "t": bytes.append(UInt8(ascii: "\t"))
                case "r": bytes.append(UInt8(ascii: "\r"))
                case "0": bytes.append(0)
                default: bytes.append(byte)
                }
                isEscaped = false
            } else if byte == UInt8(ascii: "\\") {
                isEscaped = true
            } else {
                bytes.append(byte)
            }
        }
        return bytes
    }
}

/// Which columns of a file an import reads, and as which columns of a device: `token=apns_token,device=device_id`.
struct ColumnMapping: Sendable {
    /// The columns of the file, in their order.
    let columns: [String]

    /// The names of a device's columns by those of the file.
    let names: [String: String]

    /// Reads the parameter: names separated by commas, each with the name in the file unless they are the same.
    ///
    /// - Throws: ``Problem`` `.invalidRequest` for the parameter `columns`.
    init(_ text: String) throws(Problem) {
        var columns: [String] = []
        var names: [String: String] = [:]
        var faults = ValidationErrors()
        for entry in text.split(separator: ",", omittingEmptySubsequences: false) {
            let parts = entry.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            let (name, column) = (parts[0], parts[parts.count - 1])
            let rule = "NAME=COLUMN, separated by commas"
            guard column.utf8.count <= 256, !column.isEmpty, CSVColumns.hasColumn(name) else {
                let known = "\(rule), with NAME one of \(CSVColumns.readable)"
                faults.add(.query("columns"), expected: known, got: "'\(entry.prefix(64))'")
                continue
            }
            if names.updateValue(name, forKey: column) != nil {
                faults.add(.query("columns"), expected: "\(rule), each COLUMN once", got: "'\(column)' again")
            }
            columns.append(column)
        }
        for name in ["device", "token"] where faults.count == 0 && !names.values.contains(name) {
            faults.add(.query("columns"), expected: "a column for '\(name)'; others are not read", got: "none")
        }
        try faults.check()
        (self.columns, self.names) = (columns, names)
    }
}

/// Keeps spreadsheets from taking a cell for a formula.
///
/// A cell that begins with `=`, `+`, `-`, `@`, a tab or a carriage return, behind apostrophes or not, is written with
/// an apostrophe before it. Reading takes that apostrophe away, so that nothing is lost; other cells are left as they
/// are.
enum FormulaEscaping {
    /// The cell, as returned by the API.
    static func guarded(_ cell: String) -> String {
        self.isFormula(cell.utf8) ? "'" + cell : cell
    }

    /// The cell that was meant.
    static func unguarded(_ cell: [UInt8]) -> ArraySlice<UInt8> {
        guard cell.first == UInt8(ascii: "'"), self.isFormula(cell.dropFirst()) else { return cell[...] }
        return cell.dropFirst()
    }

    private static func isFormula(_ cell: some Sequence<UInt8>) -> Bool {
        guard let first = cell.first(where: { $0 != UInt8(ascii: "'") }) else { return false }
        return "=+-@\t\r".utf8.contains(first)
    }
}

extension [UInt8] {
    /// Adds a JSON string whose content is UTF-8, as far as these bytes are.
    mutating func append(jsonString content: some Sequence<UInt8>) {
        self.append(UInt8(ascii: "\""))
        for byte in content {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                self.append(UInt8(ascii: "\\"))
                self.append(byte)
            case 0..<0x20:
                let digits: StaticString = "0123456789abcdef"
                self.append(contentsOf: "\\u00".utf8)
                self.append(digits.utf8Start[Int(byte >> 4)])
                self.append(digits.utf8Start[Int(byte & 0x0F)])
            default: self.append(byte)
            }
        }
        self.append(UInt8(ascii: "\""))
    }

    /// Adds a member of a JSON object whose value is a string, behind a comma unless it is the first one.
    mutating func append(jsonMember name: String, _ content: some Sequence<UInt8>) {
        self.append(jsonName: name)
        self.append(jsonString: content)
    }

    /// Adds the name of a member of a JSON object, behind a comma unless it is the first one.
    mutating func append(jsonName name: String) {
        if self.last != UInt8(ascii: "{") { self.append(UInt8(ascii: ",")) }
        self.append(jsonString: name.utf8)
        self.append(UInt8(ascii: ":"))
    }
}
