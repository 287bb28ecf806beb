// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The two requests that this app sends to Supabase: an update and a selection, through its PostgREST interface.
///
/// An app with more requests uses the package supabase-swift, whose calls look the same.
struct Supabase: Sendable {
    static let shared = Supabase(
        url: Setting.string("SupabaseURL", "SUPABASE_URL"),
        key: Setting.string("SupabaseKey", "SUPABASE_KEY")
    )

    let url: String
    let key: String

    func from(_ table: String) -> Query { Query(supabase: self, table: table) }

    struct Query: Sendable {
        let supabase: Supabase
        let table: String
        private(set) var filters: [URLQueryItem] = []
        private(set) var values: [String: String]?

        init(supabase: Supabase, table: String) {
            (self.supabase, self.table) = (supabase, table)
        }

        func update(_ values: [String: String]) -> Query {
            var copy = self
            copy.values = values
            return copy
        }

        func eq(_ column: String, value: String) -> Query {
            var copy = self
            copy.filters.append(URLQueryItem(name: column, value: "eq.\(value)"))
            return copy
        }

        /// Sends the request, and returns the changed or selected rows as JSON.
        @discardableResult
        func execute() async throws -> Data {
            var components = URLComponents(string: "\(self.supabase.url)/rest/v1/\(self.table)")
            components?.queryItems = self.filters
            guard let url = components?.url else { throw URLError(.badURL) }
            var request = URLRequest(url: url)
            request.setValue(self.supabase.key, forHTTPHeaderField: "apikey")
            if let values = self.values {
                request.httpMethod = "PATCH"
                request.setValue("application/json", forHTTPHeaderField: "Content-Type")
                request.setValue("return=representation", forHTTPHeaderField: "Prefer")
                request.httpBody = try JSONEncoder().encode(values)
            }
            let (data, response) = try await URLSession.shared.data(for: request)
            guard let status = (response as? HTTPURLResponse)?.statusCode, 200..<300 ~= status else {
                throw URLError(.badServerResponse)
            }
            return data
        }
    }
}

/// A setting of the app: on an iPhone from `Info.plist`, on a virtual device from the environment.
enum Setting {
    static func string(_ key: String, _ variable: String) -> String {
        ProcessInfo.processInfo.environment[variable] ?? Bundle.main.object(forInfoDictionaryKey: key) as? String ?? ""
    }
}
