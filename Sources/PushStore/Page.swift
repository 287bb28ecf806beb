// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// A part of a longer list, and where the next part begins.
public struct Page<Element: Sendable, Cursor: Sendable & Hashable>: Sendable {
    /// The elements, in the list's order; fewer than the limit only at the end of the list.
    public let elements: [Element]

    /// What to pass as `after` for the next part; `nil` when this is the last one.
    public let next: Cursor?

    /// Takes elements and where the next part begins.
    public init(elements: [Element], next: Cursor?) {
        self.elements = elements
        self.next = next
    }

    /// Cuts a page from elements of which one more was asked for than the page may hold.
    ///
    /// - Parameters:
    ///   - overfull: up to `limit + 1` elements.
    ///   - limit: how many the page may hold; at least 1.
    ///   - cursor: the cursor of the page's last element.
    public init(overfull: [Element], limit: Int, cursor: (Element) -> Cursor) {
        let elements = Array(overfull.prefix(limit))
        self.init(elements: elements, next: overfull.count > limit ? elements.last.map(cursor) : nil)
    }
}

extension Page: Equatable where Element: Equatable {}
