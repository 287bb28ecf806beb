// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import HTTPTypes
import Hummingbird
import PushModel
import PushStore

/// The members of a ``CredentialRequest`` while they are read, before it is known which belong together.
struct CredentialParser {
    private enum CredentialType: String, CaseIterable {
        case key
        case certificate
    }

    private var type: CredentialType?
    private var keyID: String?
    private var teamID: String?
    private var p8: String?
    private var p12: [UInt8]?
    private var pem: String?
    private var password: String?
    private var file: String?
    private var passwordFile: String?
    private var format: CertificateFormat?
    private var environments: Set<APNsEnvironment>?
    private var present: Set<String> = []

    mutating func read(
        _ member: String,
        _ reader: inout JSONReader,
        _ path: FieldPath
    ) throws(JSONSyntaxError) {
        self.present.insert(member)
        switch member {
        case "type": self.type = try reader.oneOf(CredentialType.self, path)
        case "keyID": self.keyID = try reader.value(path, Self.tenCharacters)
        case "teamID": self.teamID = try reader.value(path, Self.tenCharacters)
        case "p8": self.p8 = try reader.string(path, bytes: 1...16_384)
        case "p12": self.p12 = try reader.value(path, Self.base64)
        case "pem": self.pem = try reader.string(path, bytes: 1...65_536)
        case "password": self.password = try reader.string(path, bytes: 0...1024)
        case "file": self.file = try reader.string(path, bytes: 1...4096)
        case "passwordFile": self.passwordFile = try reader.string(path, bytes: 1...4096)
        case "format": self.format = try reader.oneOf(CertificateFormat.self, path)
        case "environments": self.environments = try Self.environments(&reader, path)
        default: try reader.skip()
        }
    }

    /// Records missing members, and errors about combinations.
    func finish(_ reader: inout JSONReader) -> CredentialRequest? {
        guard let type = reader.require(self.type, "type") else { return nil }
        switch type {
        case .key: return self.key(&reader)
        case .certificate: return self.certificate(&reader)
        }
    }

    private func key(_ reader: inout JSONReader) -> CredentialRequest? {
        self.refuse(["p12", "pem", "password", "format", "passwordFile"], for: "a key", &reader)
        let keyID = reader.require(self.keyID, "keyID")
        let teamID = reader.require(self.teamID, "teamID")
        let field = self.single(of: ["p8", "file"], &reader)
        guard let keyID, let teamID, let field else { return nil }
        let kind = CredentialKind.key(keyID: keyID, teamID: teamID)
        if let p8 { return self.request(kind, .inline(CredentialMaterial(content: Array(p8.utf8))), field) }
        return self.file.map { self.request(kind, .file(path: $0, passwordPath: nil), field) }
    }

    private func certificate(_ reader: inout JSONReader) -> CredentialRequest? {
        self.refuse(["keyID", "teamID", "p8"], for: "a certificate", &reader)
        let field = self.single(of: ["p12", "pem", "file"], &reader)
        switch field {
        case "p12": self.refuse(["format", "passwordFile"], for: "a 'p12'", &reader)
        case "pem": self.refuse(["format", "password", "passwordFile"], for: "a 'pem'", &reader)
        case "file": self.refuse(["password"], for: "a 'file'", &reader)
        default: return nil
        }
        guard let field else { return nil }
        if let p12 {
            let material = CredentialMaterial(content: p12, password: self.password)
            return self.request(.certificate(format: .pkcs12), .inline(material), field)
        }
        if let pem {
            return self.request(.certificate(format: .pem), .inline(.init(content: Array(pem.utf8))), field)
        }
        guard let file, let format = reader.require(self.format, "format") else { return nil }
        return self.request(.certificate(format: format), .file(path: file, passwordPath: self.passwordFile), field)
    }

    private func request(
        _ kind: CredentialKind,
        _ source: CredentialRequest.Source,
        _ field: String
    ) -> CredentialRequest {
        let environments = self.environments ?? Set(APNsEnvironment.allCases)
        return CredentialRequest(kind: kind, environments: environments, source: source, field: field)
    }

    /// The one member of `names` that is there; none or several are noted as a fault.
    private func single(of names: [String], _ reader: inout JSONReader) -> String? {
        let found = names.filter(self.present.contains)
        if found.count == 1 { return found[0] }
        let list = names.map { "'\($0)'" }.joined(separator: ", ")
        let got = found.isEmpty ? "none" : found.map { "'\($0)'" }.joined(separator: " and ")
        reader.faults.add(.root, expected: "exactly one of the members \(list)", got: got)
        return nil
    }

    private func refuse(_ names: [String], for owner: String, _ reader: inout JSONReader) {
        for name in names where self.present.contains(name) {
            reader.faults.add(.root.member(name), expected: "no such member for \(owner)", got: "one")
        }
    }

    private static func tenCharacters(_ text: String) throws(InvalidValueError) -> String {
        let isValid = text.utf8.count == 10 && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) }
        guard !isValid else { return text }
        throw InvalidValueError(field: "id", rule: "10 letters and digits", value: "\(text.utf8.count) bytes")
    }

    private static func base64(_ text: String) throws(InvalidValueError) -> [UInt8] {
        let compact = text.filter { !$0.isWhitespace }
        if !compact.isEmpty, let data = Data(base64Encoded: compact) { return Array(data) }
        throw InvalidValueError(
            field: "p12",
            rule: "a file in Base64",
            value: "\(text.utf8.count) bytes of another form"
        )
    }

    private static func environments(
        _ reader: inout JSONReader,
        _ path: FieldPath
    ) throws(JSONSyntaxError) -> Set<APNsEnvironment>? {
        var environments: Set<APNsEnvironment> = []
        let count = try reader.array(path) { reader, index throws(JSONSyntaxError) in
            let environment = try reader.oneOf(APNsEnvironment.self, path.element(index))
            if let environment { environments.insert(environment) }
        }
        if count == 0 { reader.faults.add(path, expected: "at least one environment", got: "an empty array") }
        return environments
    }
}

extension CredentialRequest {
    /// Why the credential is refused, under the field that the caller has to change.
    func problem(_ refusal: CredentialValidationError) -> Problem {
        let rule =
            switch self.kind {
            case .key: "an APNs key (.p8) in PEM form"
            case .certificate(.pem): "an APNs certificate and its unencrypted private key in PEM form"
            case .certificate(.pkcs12): "an APNs certificate with its private key (.p12)"
            }
        guard refusal.code == .wrongPassword else {
            return Problem(.invalidCredential, at: self.field, expected: rule, got: refusal.found)
        }
        let field: FieldPath =
            switch self.source {
            case .inline: .root.member("password")
            case .file: .root.member("passwordFile")
            }
        return Problem(.wrongCertificatePassword, at: field, expected: "the password of the file", got: refusal.found)
    }
}

/// A request to add a credential.
struct CredentialRequest: Sendable {
    /// Where the private part is.
    enum Source: Sendable {
        case inline(CredentialMaterial)
        case file(path: String, passwordPath: String?)
    }

    static let members = [
        "type", "keyID", "teamID", "p8", "p12", "pem", "password", "file", "format", "passwordFile", "environments",
    ]

    var kind: CredentialKind
    var environments: Set<APNsEnvironment>
    var source: Source

    /// The member that holds the private part, for the faults that an inspection finds.
    var field: FieldPath

    init(_ body: [UInt8]) throws(Problem) {
        var draft = CredentialParser()
        self = try JSONReader.read(body, members: Self.members) { reader, member, path throws(JSONSyntaxError) in
            try draft.read(member, &reader, path)
        } finish: { reader in
            draft.finish(&reader)
        }
    }

    init(kind: CredentialKind, environments: Set<APNsEnvironment>, source: Source, field: String) {
        self.kind = kind
        self.environments = environments
        self.source = source
        self.field = .root.member(field)
    }
}
