// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import CLibPQ
import PushStore

/// Where a database is and how it is reached, taken from a connection string.
///
/// A connection string holds a password, and libpq repeats in its complaints what it could not read: neither gets into
/// a message.
struct ConnectionParameters: Sendable {
    /// libpq's keywords and their values.
    private(set) var values: [String: String]

    /// What is said where the string says nothing.
    ///
    /// A peer that vanished without a word is noticed within a minute. Of several hosts the one is taken that takes
    /// changes, which after a failover is not the same one.
    private static let defaults = [
        "fallback_application_name": "apus", "keepalives_idle": "30", "keepalives_interval": "10",
        "keepalives_count": "3", "tcp_user_timeout": "60000", "target_session_attrs": "read-write",
    ]

    /// Reads a connection string, either a URL or `keyword=value` pairs.
    ///
    /// - Throws: `StoreError` `.invalid` when it is neither; the error does not repeat it.
    init(_ text: String) throws {
        var complaint: UnsafeMutablePointer<CChar>?
        let options = PQconninfoParse(text, &complaint)
        if let complaint { PQfreemem(complaint) }
        guard let options else {
            throw StoreError(
                code: .invalid,
                message: "The connection string (\(text.utf8.count) bytes) is not one of PostgreSQL's. It looks like "
                    + "postgres://user:password@host:5432/database; special characters are percent-encoded."
            )
        }
        defer { PQconninfoFree(options) }
        var values = Self.defaults
        var option = options
        while let keyword = option.pointee.keyword {
            if let value = option.pointee.val { values[String(cString: keyword)] = String(cString: value) }
            option += 1
        }
        values["client_encoding"] = "UTF8"
        self.values = values
    }

    /// The same, giving each host so much time to be connected to, unless the string says how much.
    ///
    /// libpq counts in whole seconds, and two are the least.
    func limiting(_ time: Duration) -> ConnectionParameters {
        var limited = self
        if limited.values["connect_timeout"] == nil {
            limited.values["connect_timeout"] = "\(max(2, Int((time / .seconds(1)).rounded(.up))))"
        }
        return limited
    }

    /// The database for people: host, port and name, never the password.
    var place: String {
        let host = self.values["host"] ?? self.values["hostaddr"] ?? "localhost"
        let port = self.values["port"].map { ":\($0)" } ?? ""
        let name = self.values["dbname"] ?? self.values["user"] ?? ""
        return "PostgreSQL \(host)\(port)/\(name)"
    }

    /// A message of libpq's on one line, without the password should it stand there all the same.
    func redacting(_ message: String) -> String {
        let line = message.split(whereSeparator: \.isNewline).joined(separator: " ")
        guard let password = self.values["password"], !password.isEmpty else { return line }
        return line.replacing(password, with: "********")
    }
}
