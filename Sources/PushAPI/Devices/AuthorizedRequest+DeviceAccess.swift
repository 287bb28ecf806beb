// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import HTTPTypes
import Hummingbird
import PushModel
import PushStore

extension AuthorizedRequest {
    static let installationSecretHeader = "Apus-Installation-Secret"

    /// The right of the caller to change devices of an app.
    ///
    /// A key whose only scope for the route is `client` is in every copy of the app, so it may change only the
    /// installation whose secret the request presents.
    /// - Throws: ``Problem`` `.invalidRequest` for a malformed secret; `DeviceAccessError` if the app requires one.
    func deviceAccess(to app: App) throws -> DeviceAccess {
        let secret = try self.installationSecret()
        let backends = Set(self.caller?.scopes ?? []).union([.admin, .devices]).subtracting([.client])
        guard let key, key.scopes.isDisjoint(with: backends) else { return .backend(secret: secret) }
        let access = DeviceAccess.installation(secret, app.installationSecrets)
        try access.check()
        return access
    }

    private func installationSecret() throws(Problem) -> InstallationSecret? {
        guard let text = HTTPField.Name(Self.installationSecretHeader).flatMap({ self.request.headers[$0] }) else {
            return nil
        }
        if let secret = InstallationSecret(text) { return secret }
        throw Problem(
            .invalidRequest,
            at: FieldPath(description: Self.installationSecretHeader),
            expected: InstallationSecret.rule,
            got: "\(text.utf8.count) bytes"
        )
    }
}

extension Problem {
    init(_ refusal: DeviceAccessError) {
        let code: ProblemCode =
            switch refusal {
            case .secretRequired: .installationSecretRequired
            case .secretMismatch: .installationSecretMismatch
            case .notBound: .installationNotBound
            case .unknownDevice: .deviceNotFound
            case .notParticipant: .activityNotJoinable
            case .limit: .activityLimitExceeded
            }
        self.init(code, refusal == .limit ? Self.limitOfInstallation : code.entry.meaning)
    }

    private static var limitOfInstallation: String {
        "With a client key, an installation has at most \(ActivityLimit.ofInstallation) running activities that it "
            + "created, and \(DeviceLimit.startTokens) push-to-start tokens."
    }
}
