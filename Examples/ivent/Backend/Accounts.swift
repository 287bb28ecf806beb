// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Crypto
import Foundation
import Hummingbird
import IventCore

/// The credentials: the staff's key, invitations and sessions of parents.
///
/// Invitations and session tokens are 128 random bits, so their SHA-256 is all that the database needs.
struct Accounts: Sendable {
    let database: Database
    let staffKey: String

    /// Creates a random code.
    static func code() -> String {
        var generator = SystemRandomNumberGenerator()
        return (0..<4).map { _ in String(format: "%08x", UInt32.random(in: .min ... .max, using: &generator)) }.joined()
    }

    static func hash(_ code: String) -> String {
        SHA256.hash(data: Data(code.utf8)).map { String(format: "%02x", $0) }.joined()
    }

    /// Signs a parent in by the invitation to a child.
    ///
    /// - Returns: the parent's ID and the session token; `nil` for an unknown invitation.
    func signIn(invitation: String) throws -> (parent: String, session: String)? {
        let sql = "SELECT parent_id FROM children WHERE invitation_hash = ?"
        guard let parent = try self.database.rows(sql, [.text(Self.hash(invitation))], map: { $0.text(0) }).first else {
            return nil
        }
        let session = Self.code()
        let values: [Value] = [.text(Self.hash(session)), .text(parent)]
        try self.database.execute("INSERT INTO sessions (token_hash, parent_id) VALUES (?, ?)", values)
        return (parent, session)
    }

    /// The owner of a bearer token.
    func caller(token: String) throws -> Caller? {
        // Hashes are compared, so the time tells nothing about the key.
        if Self.hash(token) == Self.hash(self.staffKey) { return .staff }
        let sql = "SELECT parent_id FROM sessions WHERE token_hash = ?"
        let parents = try self.database.rows(sql, [.text(Self.hash(token))]) { $0.text(0) }
        return parents.first.map { .parent(id: $0) }
    }
}

/// Sets the caller of a request with a bearer token.
struct AccountMiddleware: RouterMiddleware {
    let accounts: Accounts

    func handle(
        _ request: Request,
        context: BackendContext,
        next: (Request, BackendContext) async throws -> Response
    ) async throws -> Response {
        var context = context
        if let header = request.headers[.authorization], header.hasPrefix("Bearer ") {
            context.caller = try self.accounts.caller(token: String(header.dropFirst("Bearer ".count)))
            guard context.caller != nil else { throw HTTPError(.unauthorized, message: "Unknown token: sign in.") }
        }
        return try await next(request, context)
    }
}

/// Academies, children, and the sign-in of parents.
struct AccountRoutes {
    let accounts: Accounts
    let database: Database

    private struct Academy: Decodable { var name: String }
    private struct Child: Decodable { var name, parentId: String }
    private struct Invitation: ResponseCodable { var invitation: String }
    private struct Session: ResponseCodable { var parentId, session: String }

    func add(to router: Router<BackendContext>) {
        router.put("academies/{id}") { request, context -> HTTPResponse.Status in
            try context.requireStaff()
            let id = try context.parameters.require("id")
            let academy = try await request.decode(as: Academy.self, context: context)
            let sql = "INSERT INTO academies VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET name = excluded.name"
            try self.database.execute(sql, [.text(id), .text(academy.name)])
            return .noContent
        }
        // The response has a new invitation for the parent; an earlier one is no longer valid.
        router.put("children/{id}") { request, context -> Invitation in
            try context.requireStaff()
            let id = try context.parameters.require("id")
            let child = try await request.decode(as: Child.self, context: context)
            let code = Accounts.code()
            let sql = """
                INSERT INTO children VALUES (?, ?, ?, ?) ON CONFLICT (id) DO UPDATE
                SET name = excluded.name, parent_id = excluded.parent_id, invitation_hash = excluded.invitation_hash
                """
            let values: [Value] = [.text(id), .text(child.name), .text(child.parentId), .text(Accounts.hash(code))]
            try self.database.execute(sql, values)
            return Invitation(invitation: code)
        }
        router.post("sign-in") { request, context -> Session in
            let body = try await request.decode(as: Invitation.self, context: context)
            guard let (parent, session) = try self.accounts.signIn(invitation: body.invitation) else {
                throw HTTPError(.unauthorized, message: "Unknown invitation. Ask the academy for a new one.")
            }
            return Session(parentId: parent, session: session)
        }
    }
}
