// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs

/// Cuts a record of comma-separated values into its cells, as RFC 4180 has it.
enum CSVRecord {
    /// The cells of a record.
    ///
    /// A cell in quotation marks may hold commas, line breaks and doubled quotation marks; a carriage return at the end
    /// of the record belongs to the line break.
    /// - Throws: `ValidationFailure` for a quotation mark where none may be, and for one that is not closed.
    static func cells(_ record: ArraySlice<UInt8>) throws(ValidationFailure) -> [[UInt8]] {
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
    ) throws(ValidationFailure) -> (cell: [UInt8], end: Int) {
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
            default: throw self.failure(number, "a comma behind the closing quotation mark", "something else")
            }
        }
        throw self.failure(number, "a closing quotation mark", "none")
    }

    private static func failure(_ number: Int, _ rule: String, _ value: String) -> ValidationFailure {
        ValidationFailure(field: "cell \(number)", rule: rule, value: value)
    }
}

/// Keeps spreadsheets from taking a cell for a formula.
///
/// A cell that begins with `=`, `+`, `-`, `@`, a tab or a carriage return, behind apostrophes or not, is written with an
/// apostrophe before it. Reading takes that apostrophe away, so that nothing is lost; other cells are left as they are.
enum FormulaGuard {
    /// The cell as it is written.
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
