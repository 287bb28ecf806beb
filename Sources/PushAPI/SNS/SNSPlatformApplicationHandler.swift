// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import PushModel
import PushStore
import SNSProtocol

/// The operations on platform applications: apps with their credentials.
struct SNSPlatformApplicationHandler: Sendable {
    let directory: SNSResourceResolver
    let credentials: SNSCredentialParser
    let pages: SNSPagination
    let now: @Sendable () -> Date

    private var store: any PlatformStore & PublicationStore & TopicStore { self.directory.store }

    func create(_ request: CreatePlatformApplicationRequest, _ caller: SNSPrincipal) async throws -> SNSResult {
        let arn = ApplicationARN(scope: caller.scope, platform: request.platform, name: request.name)
        guard let arn else { throw SNSError.invalidParameter(request.name) }
        let reading = try self.credentials.read(request.credential)
        let app = try request.platform.app(bundleID: Self.bundleID(of: reading, request.attributes))
        try caller.check(.createPlatformApplication, for: app)
        try await self.checkTopics(request.attributes, of: app, caller)
        let environment = request.platform.environment
        let credential = self.credentials.stored(reading, of: app, in: environment)
        var application = PlatformApplication(
            name: arn.modelName,
            app: app,
            environment: environment,
            credential: credential.id,
            attributes: [:],
            createdAt: credential.createdAt
        )
        application.set(request.attributes.values)
        application.set(self.credentials.attributes(of: reading))
        do {
            try await self.store.putApplication(application, credential: credential)
        } catch let error as StoreError where error.code == .conflict {
            throw SNSError.invalidParameter(
                "Attributes",
                reason: "There is an application of this name and platform for another bundle identifier"
            )
        }
        return .application(arn)
    }

    /// `DeletePlatformApplication`, which is done as well when there is none.
    func delete(_ arn: ApplicationARN, _ caller: SNSPrincipal) async throws -> SNSResult {
        if try await self.directory.application(arn, for: .deletePlatformApplication, caller) != nil {
            try await self.store.removeApplication(arn.modelName)
        }
        return .done(.deletePlatformApplication)
    }

    func attributes(_ arn: ApplicationARN, _ caller: SNSPrincipal) async throws -> SNSResult {
        let action = SNSAction.getPlatformApplicationAttributes
        let application = try await self.directory.requireApplication(arn, for: action, caller)
        return .attributes(action, ApplicationAttributes.description(of: application.attributes))
    }

    func set(
        _ attributes: ApplicationAttributes,
        of arn: ApplicationARN,
        _ caller: SNSPrincipal
    ) async throws -> SNSResult {
        let action = SNSAction.setPlatformApplicationAttributes
        let application = try await self.directory.requireApplication(arn, for: action, caller)
        try await self.checkTopics(attributes, of: application.app, caller)
        var values = attributes.values
        var credential: Credential?
        if let given = try attributes.credential(stored: application.attributes) {
            let reading = try self.credentials.read(given)
            try Self.check(reading, attributes, isFor: application, on: arn.platform)
            values.merge(self.credentials.attributes(of: reading)) { $1 }
            credential = self.credentials.stored(reading, of: application.app, in: application.environment)
        } else if let bundleID = values["ApplePlatformBundleID"], !bundleID.isEmpty {
            try Self.check(arn.platform.app(bundleID: bundleID), isThatOf: application)
        }
        guard try await self.store.changeApplication(arn.modelName, attributes: values, credential: credential) != nil
        else { throw ApplicationAttributes.notFound }
        return .done(action)
    }

    func list(after token: String?, _ caller: SNSPrincipal) async throws -> SNSResult {
        let list = SNSAction.listPlatformApplications.rawValue
        let cursor = try self.pages.place(token, of: list) { PlatformApplication.Name($0) }
        let page = try await self.store.applications(
            of: caller.key.app,
            after: cursor,
            limit: self.pages.size
        )
        let listings = try page.elements.map { application in
            SNSResult.ApplicationListing(
                application: try ApplicationARN(application, caller.scope),
                attributes: ApplicationAttributes.description(of: application.attributes)
            )
        }
        let next = page.next.map { self.pages.token($0.description, of: list) }
        return .applications(listings, nextToken: next)
    }

    /// Checks that the topics are there that events of endpoints are to be published to, and belong to the app.
    private func checkTopics(
        _ attributes: ApplicationAttributes,
        of app: AppID,
        _ caller: SNSPrincipal
    ) async throws {
        for name in ApplicationAttributes.eventNames {
            guard let text = attributes.values[name], !text.isEmpty else { continue }
            let arn = try? TopicARN(text, region: nil)
            if let arn, let topic = try await self.store.knownTopic(of: arn, caller),
                try await self.store.outline(of: topic.name, app: nil)?.belongs(to: app) ?? false
            {
                continue
            }
            throw SNSError.invalidParameter("Attributes", reason: "\(name): Topic does not exist")
        }
    }

    /// Returns the app's bundle ID: that of the request, or that of the certificate.
    private static func bundleID(
        of reading: SNSCredentialParser.Reading,
        _ attributes: ApplicationAttributes
    ) throws(SNSError) -> String {
        let stated = reading.credential.statedBundleID ?? attributes.values["ApplePlatformBundleID"]
        if let bundleID = stated ?? reading.facts?.bundleID, !bundleID.isEmpty { return bundleID }
        throw PlatformCredential.invalid(
            "the certificate's subject has no UID with the bundle identifier; give it as ApplePlatformBundleID"
        )
    }

    /// Another credential may not turn the application into that of another app.
    private static func check(
        _ reading: SNSCredentialParser.Reading,
        _ attributes: ApplicationAttributes,
        isFor application: PlatformApplication,
        on platform: SNSPlatform
    ) throws(SNSError) {
        let stated = reading.credential.statedBundleID ?? attributes.values["ApplePlatformBundleID"]
        guard let bundleID = stated ?? reading.facts?.bundleID, !bundleID.isEmpty else { return }
        try self.check(platform.app(bundleID: bundleID), isThatOf: application)
    }

    private static func check(_ app: AppID, isThatOf application: PlatformApplication) throws(SNSError) {
        guard app != application.app else { return }
        throw .invalidParameter(
            "Attributes",
            reason: "the application is that of '\(application.app)', not of '\(app)'; create another application"
        )
    }
}

/// Creates credentials from the attributes of callers of the SNS endpoint.
struct SNSCredentialParser: Sendable {
    /// A validated credential, and its attributes in responses.
    struct Reading {
        var credential: PlatformCredential

        /// The data of a certificate.
        var facts: CertificateInfo?
    }

    private static let method = "AuthenticationMethod"
    private static let expiry = "AppleCertificateExpiryDate"
    let inspector: any CredentialValidator
    let masterKey: MasterKey
    let now: @Sendable () -> Date

    /// Validates a credential in the same way as for sending.
    ///
    /// - Throws: `SNSError` `InvalidParameter` that describes the error without the content.
    func read(_ credential: PlatformCredential) throws(SNSError) -> Reading {
        let material = credential.material
        do {
            try self.inspector.inspect(material, as: credential.kind)
            return Reading(credential: credential, facts: self.inspector.facts(of: material, as: credential.kind))
        } catch {
            throw PlatformCredential.invalid(error.found)
        }
    }

    func stored(_ reading: Reading, of app: AppID, in environment: APNsEnvironment) -> Credential {
        let id = CredentialID(unchecked: APNsID.random().description)
        return Credential(
            id: id,
            app: app,
            kind: reading.credential.kind,
            environments: [environment],
            secret: .sealed(self.masterKey.seal(reading.credential.material, for: id)),
            createdAt: Date(millisecondsSince1970: self.now().millisecondsSince1970)
        )
    }

    /// Returns the attributes about the authentication of an application; empty values remove former ones.
    func attributes(of reading: Reading) -> [String: String] {
        let expiry = reading.facts?.expiresAt.formatted(Date.ISO8601FormatStyle()) ?? ""
        guard case .token = reading.credential else { return [Self.method: "certificate", Self.expiry: expiry] }
        return [Self.method: "token", Self.expiry: expiry]
    }
}

/// Conversions of a platform credential.
extension PlatformCredential {
    /// A provider key or a certificate.
    var kind: CredentialKind {
        switch self {
        case .token(_, let keyID, let teamID, _): .key(keyID: keyID, teamID: teamID)
        case .certificate: .certificate(format: .pem)
        case .pkcs12: .certificate(format: .pkcs12)
        }
    }

    var material: CredentialMaterial {
        switch self {
        case .token(let pem, _, _, _): return CredentialMaterial(content: Array(pem.utf8))
        case .certificate(let certificate, let key):
            // Who gives both in one text gives it for the other one too.
            let pem = certificate == key ? key : "\(certificate)\n\(key)\n"
            return CredentialMaterial(content: Array(pem.utf8))
        case .pkcs12(let bytes, let passphrase):
            return CredentialMaterial(content: bytes, password: passphrase.isEmpty ? nil : passphrase)
        }
    }

    /// The bundle identifier, where it is given beside the credential.
    var statedBundleID: String? {
        if case .token(_, _, _, let bundleID) = self { bundleID } else { nil }
    }
}

extension SNSPlatform {
    private static let callSuffix = ".voip"

    /// Whether its messages are calls, whose tokens are others than those of notifications.
    private var isForCalls: Bool { self == .apnsVoIP || self == .apnsVoIPSandbox }

    /// The app whose devices are the endpoints of an application: for calls, a separate one, because a device has a
    /// separate token for them.
    ///
    /// - Throws: `SNSError` `InvalidParameter` for an invalid bundle ID.
    func app(bundleID: String) throws(SNSError) -> AppID {
        let isWhole = !self.isForCalls || bundleID.hasSuffix(Self.callSuffix)
        guard let app = AppID(rawValue: isWhole ? bundleID : bundleID + Self.callSuffix) else {
            throw .invalidParameter("Attributes", reason: "ApplePlatformBundleID: Must be \(AppID.rule).")
        }
        return app
    }

    /// The bundle identifier of an app that ``app(bundleID:)`` made.
    func bundleID(of app: AppID) -> String {
        let text = app.rawValue
        guard self.isForCalls, text.hasSuffix(Self.callSuffix) else { return text }
        return String(text.dropLast(Self.callSuffix.count))
    }
}
