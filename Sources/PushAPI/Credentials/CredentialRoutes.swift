// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import HTTPTypes
import Hummingbird
import PushModel
import PushStore

/// The operations on credentials: `/v1/apps/{app}/credentials`.
struct CredentialRoutes: APIRoutes {
    let store: any AppStore & CredentialStore
    let inspector: any CredentialValidator
    let masterKey: MasterKey?
    let directory: CredentialDirectory
    let bodyLimit: Int
    let now: @Sendable () -> Date

    var routes: [APIRoute] {
        let list = "/v1/apps/{app}/credentials"
        return [
            APIRoute(.post, list, .scopes([.admin]), self.add),
            APIRoute(.get, list, .scopes([.admin]), self.list),
            APIRoute(.delete, "/v1/apps/{app}/credentials/{credential}", .scopes([.admin]), self.remove),
        ]
    }

    private func add(_ call: AuthorizedRequest) async throws -> Response {
        _ = try call.query()
        let request = try CredentialRequest(try await call.body(upTo: self.bodyLimit))
        if case .file = request.source, let bound = call.key?.app {
            // The server's files belong to its operator; through them one app could use the key of another.
            throw Problem(.apiKeyAppMismatch, "The key is bound to '\(bound)' and may not name files of the server.")
        }
        let app = try await call.requireApp()
        let id = CredentialID(unchecked: APNsID.random().description)
        let credential = Credential(
            id: id,
            app: app.id,
            kind: request.kind,
            environments: request.environments,
            secret: try self.secret(of: request, for: id),
            createdAt: Date(millisecondsSince1970: self.now().millisecondsSince1970)
        )
        try await self.store.addCredential(credential)
        let location = "/v1/apps/\(app.id)/credentials/\(id)"
        return try .json(CredentialResponse(credential), status: .created, headers: [.location: location])
    }

    private func list(_ call: AuthorizedRequest) async throws -> Response {
        _ = try call.query()
        let app = try await call.requireApp()
        let credentials = try await self.store.credentials(of: app.id)
        return try .json(CredentialListResponse(credentials: credentials.map(CredentialResponse.init)))
    }

    private func remove(_ call: AuthorizedRequest) async throws -> Response {
        _ = try call.query()
        let app = try await call.requireApp()
        guard let id = call.parameter("credential").flatMap(CredentialID.init(rawValue:)),
            let credential = try await self.store.credential(id), credential.app == app.id,
            try await self.store.removeCredential(id)
        else { throw Problem(.credentialNotFound, "The app has no credential of the id in the path.") }
        return Response(status: .noContent)
    }

    /// Validates the private part, and returns its stored form.
    private func secret(of request: CredentialRequest, for id: CredentialID) throws(Problem) -> CredentialSecret {
        do {
            switch request.source {
            case .inline(let material):
                try self.inspect(material, as: request.kind)
                guard let masterKey else {
                    throw Problem(.masterKeyMissing, ProblemCode.masterKeyMissing.entry.meaning)
                }
                return .sealed(masterKey.seal(material, for: id))
            case .file(let path, let passwordPath):
                let material = try self.directory.read(path, passwordPath: passwordPath)
                try self.inspect(material, as: request.kind)
                return .file(path: path, passwordPath: passwordPath)
            }
        } catch let refusal as CredentialValidationError {
            throw request.problem(refusal)
        } catch let error as CredentialFileError {
            throw request.problem(CredentialValidationError(code: .unreadable, found: error.found))
        } catch let problem as Problem {
            throw problem
        } catch {
            throw Problem(.internalError, ProblemCode.internalError.entry.meaning, cause: error)
        }
    }

    /// Has a private part inspected; a certificate whose time is over, too, is of no use: APNs would refuse each
    /// handshake.
    private func inspect(_ material: CredentialMaterial, as kind: CredentialKind) throws(CredentialValidationError) {
        try self.inspector.inspect(material, as: kind)
        guard let end = self.inspector.facts(of: material, as: kind)?.expiresAt, end <= self.now() else { return }
        throw CredentialValidationError(
            code: .unreadable,
            found: "a certificate that expired at \(end.formatted(Date.ISO8601FormatStyle()))"
        )
    }
}

/// A credential as returned by the API, without its private part.
struct CredentialResponse: Encodable {
    let id: String
    let app: String
    let type: String
    let keyID: String?
    let teamID: String?
    let format: CertificateFormat?
    let environments: [APNsEnvironment]
    let storage: String
    let file: String?
    let createdAt: Date

    init(_ credential: Credential) {
        self.id = credential.id.rawValue
        self.app = credential.app.rawValue
        switch credential.kind {
        case .key(let keyID, let teamID):
            (self.type, self.keyID, self.teamID, self.format) = ("key", keyID, teamID, nil)
        case .certificate(let format):
            (self.type, self.keyID, self.teamID, self.format) = ("certificate", nil, nil, format)
        }
        switch credential.secret {
        case .file(let path, _): (self.storage, self.file) = ("file", path)
        case .sealed: (self.storage, self.file) = ("sealed", nil)
        }
        self.environments = credential.environments.sorted { $0.rawValue < $1.rawValue }
        self.createdAt = credential.createdAt
    }
}

/// The credentials of an app, as returned by the API.
struct CredentialListResponse: Encodable {
    let credentials: [CredentialResponse]
}
