// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import PushModel
import PushStore
import SQLite

/// Several rising lists of device numbers, read together part by part.
struct NumberLists {
    /// A list: a query of the column `value` that takes values, the number behind which to begin, and the last number.
    struct Query {
        let sql: String
        fileprivate let values: StatementArguments

        /// Whether an index gives the numbers in their order.
        fileprivate let isByIndex: Bool

        init(_ sql: String, _ values: StatementArguments, isByIndex: Bool) {
            self.sql = sql
            self.values = values
            self.isByIndex = isByIndex
        }
    }

    /// The lists that have more numbers.
    private var queries: [Query]
    private var after: Int64
    private let through: Int64

    init(queries: [Query], after: Int64, through: Int64) {
        self.queries = queries
        self.after = after
        self.through = through
    }

    /// The list that has all numbers, if an index gives them in their order.
    ///
    /// Lists that turn out to be empty are left out from then on.
    mutating func only(in database: Database) throws -> Query? {
        guard self.queries.allSatisfy(\.isByIndex) else { return nil }
        self.queries = try self.queries.filter { try !self.numbers(of: $0, atMost: 1, in: database).isEmpty }
        return self.queries.count == 1 ? self.queries[0] : nil
    }

    /// What a list's query takes.
    func values(of query: Query) -> StatementArguments {
        query.values + [self.after, self.through]
    }

    private func numbers(of query: Query, atMost limit: Int, in database: Database) throws -> [Int64] {
        try database.cachedStatement("\(query.sql) ORDER BY value LIMIT ?")
            .rows(self.values(of: query) + [limit]) { try $0.int64("value") }
    }

    /// The next numbers of all lists, each once, in rising order.
    ///
    /// `limit` is at least 1.
    /// - Returns: one number at least; `nil` when there are no more.
    /// - Throws: what SQLite says.
    mutating func next(_ limit: Int, in database: Database) throws -> [Int64]? {
        guard !self.queries.isEmpty else { return nil }
        var last = Int64.max
        var lists: [[Int64]] = []
        var unfinished: [Query] = []
        for query in self.queries {
            let list = try self.numbers(of: query, atMost: limit, in: database)
            // Behind the last number of a list that goes on, others may be missing.
            if list.count == limit { last = min(last, list[limit - 1]) }
            // A list that gave nothing has nothing behind that either.
            if !list.isEmpty {
                unfinished.append(query)
                lists.append(list)
            }
        }
        self.queries = unfinished
        guard !lists.isEmpty else { return nil }
        let numbers: [Int64]
        if lists.count == 1 {
            numbers = lists[0]
        } else {
            numbers = Array(Set(lists.joined().filter { $0 <= last }).sorted().prefix(limit))
        }
        if let last = numbers.last { self.after = last }
        return numbers
    }
}
