// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import FoundationNetworking

/// Where the listing keeps the token of its device: as much of a Supabase client as it calls, which writes to Apus.
final class SupabaseClientManager: Sendable {
    static let shared = SupabaseClientManager()
    let client = SupabaseClient()
}

struct SupabaseClient: Sendable {
    func from(_ table: String) -> TableUpdate { TableUpdate(table: table) }
}

/// An update of the table's row of one device: its token is registered at the server.
struct TableUpdate: Sendable {
    let table: String
    var values: [String: String] = [:]
    var row: [String: String] = [:]

    func update(_ values: [String: String]) throws -> TableUpdate {
        var copy = self
        copy.values = values
        return copy
    }

    func eq(_ column: String, value: String) -> TableUpdate {
        var copy = self
        copy.row[column] = value
        return copy
    }

    func execute() async throws {
        guard self.table == "devices", let device = self.row["device_id"], let token = self.values["apns_token"] else {
            throw UnknownUpdate(update: self)
        }
        let environment = ProcessInfo.processInfo.environment
        let path = "/v1/apps/\(environment["APUS_DEVICE_APP"] ?? "")/devices/\(device)"
        guard let url = URL(string: (environment["APUS_STAGE_SERVER"] ?? "") + path) else {
            throw UnknownUpdate(update: self)
        }
        var request = URLRequest(url: url)
        request.httpMethod = "PUT"
        request.setValue("Bearer \(environment["APUS_STAGE_CLIENT_KEY"] ?? "")", forHTTPHeaderField: "Authorization")
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        request.httpBody = try JSONEncoder().encode(["token": token])
        let (data, response) = try await URLSession.shared.data(for: request)
        let status = (response as? HTTPURLResponse)?.statusCode ?? 0
        guard (200..<300).contains(status) else {
            throw RefusedUpdate(status: status, text: String(decoding: data, as: UTF8.self))
        }
    }
}

struct UnknownUpdate: Error { let update: TableUpdate }
struct RefusedUpdate: Error { let status: Int, text: String }
