// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation

/// One page of a list; the server names the list's member after what is in it.
struct APIPage<Element: Decodable>: Decodable {
    private struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    let elements: [Element]
    let next: String?

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        var elements: [Element] = []
        for key in container.allKeys where key.stringValue != "next" {
            elements = try container.decode([Element].self, forKey: key)
        }
        self.elements = elements
        self.next = try container.decodeIfPresent(String.self, forKey: Key(stringValue: "next"))
    }
}

extension APIClient {
    /// Reads a list to its end, page by page.
    ///
    /// - Parameters:
    ///   - path: the list's path without a query.
    ///   - type: what the list holds.
    ///   - body: gets each element in the list's order.
    /// - Throws: what a call throws, and what `body` throws.
    func each<Element: Decodable>(of path: String, as type: Element.Type, _ body: (Element) throws -> Void) async throws
    {
        var query = "?limit=1000"
        while true {
            let page = try await self.call(.get, path + query).decoded(as: APIPage<Element>.self)
            try page.elements.forEach(body)
            guard let next = page.next else { return }
            query = "?limit=1000&after=\(next.asPathSegment)"
        }
    }
}
