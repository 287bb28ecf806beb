// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import PushModel
import SNSProtocol

/// What a platform credential is to the rest of the server.
extension PlatformCredential {
    /// A provider key or a certificate.
    var kind: CredentialKind {
        switch self {
        case .token(_, let keyID, let teamID, _): .key(keyID: keyID, teamID: teamID)
        case .certificate: .certificate(format: .pem)
        case .pkcs12: .certificate(format: .pkcs12)
        }
    }

    /// The private part.
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

    /// The app whose devices are the endpoints of an application: for calls one of its own, since a phone has a token for
    /// them beside that for notifications.
    ///
    /// - Throws: `SNSError` `InvalidParameter` for what is no bundle identifier.
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
