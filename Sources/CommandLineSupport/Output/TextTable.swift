// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// Rows of text in aligned columns, the first row being the heading.
package struct TextTable {
    private var rows: [[String]]

    package init(heading: String...) {
        self.rows = [heading]
    }

    package mutating func add(_ cells: String...) {
        self.rows.append(cells)
    }

    /// The lines, with two spaces between columns and none at the end.
    package var lines: [String] {
        let columns = self.rows.map(\.count).max() ?? 0
        let widths = (0..<columns).map { column in
            self.rows.map { column < $0.count ? $0[column].count : 0 }.max() ?? 0
        }
        return self.rows.map { row in
            let cells = row.enumerated().map { column, cell in
                column == row.count - 1 ? cell : cell + String(repeating: " ", count: widths[column] - cell.count)
            }
            return cells.joined(separator: "  ")
        }
    }
}
