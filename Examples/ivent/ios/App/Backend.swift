// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A lesson, as the backend describes it.
struct Schedule: Decodable, Identifiable, Sendable {
    var id: String
    var childId: String
    var childName: String
    var academyName: String
    var title: String
    var startTime: Date
    var endTime: Date
    var timeZone: String
    var status: String
}

struct PushTokenRequest: Encodable, Sendable {
    var token: String
    var activityId: String
    /// `sandbox` or `production`.
    var environment: String
}

/// A response that is no success.
struct BackendError: Error {
    var status: Int
}

/// The HTTP API of the backend.
actor Backend {
    private struct SignIn: Codable { var invitation: String }
    private struct Session: Codable { var parentId, session: String }

    private let server: URL
    private let file = AppSettings.directory.appendingPathComponent("session.json")
    private var session: Session?

    init(server: URL) {
        self.server = server
        self.session = (try? Data(contentsOf: self.file)).flatMap { try? JSONDecoder().decode(Session.self, from: $0) }
    }

    var isSignedIn: Bool { self.session != nil }

    /// Signs in with the invitation from the academy, and returns the parent's ID.
    ///
    /// An app in the store keeps the session in the Keychain, which does not exist on Linux.
    func signIn(invitation: String) async throws -> String {
        let data = try await self.send("POST", "sign-in", SignIn(invitation: invitation))
        let session = try JSONDecoder().decode(Session.self, from: data)
        self.session = session
        try FileManager.default.createDirectory(at: AppSettings.directory, withIntermediateDirectories: true)
        try JSONEncoder().encode(session).write(to: self.file, options: .atomic)
        return session.parentId
    }

    func schedules() async throws -> [Schedule] {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        return try decoder.decode([Schedule].self, from: try await self.send("GET", "schedules"))
    }

    func registerPushToken(_ body: PushTokenRequest, of scheduleId: String) async throws {
        _ = try await self.send("PUT", "schedules/\(scheduleId)/push-token", body)
    }

    private func send(_ method: String, _ path: String, _ body: (any Encodable)? = nil) async throws -> Data {
        var request = URLRequest(url: self.server.appendingPathComponent(path))
        request.httpMethod = method
        request.timeoutInterval = 15
        if let session { request.setValue("Bearer \(session.session)", forHTTPHeaderField: "Authorization") }
        if let body {
            request.setValue("application/json", forHTTPHeaderField: "Content-Type")
            request.httpBody = try JSONEncoder().encode(body)
        }
        let (data, response) = try await URLSession.shared.data(for: request)
        let status = (response as? HTTPURLResponse)?.statusCode ?? 0
        guard (200..<300).contains(status) else { throw BackendError(status: status) }
        return data
    }
}
