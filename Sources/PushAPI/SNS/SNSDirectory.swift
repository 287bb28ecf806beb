// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import PushModel
import PushStore
import SNSProtocol

/// Finds what ARNs name.
struct SNSDirectory: Sendable {
    let store: any PushStore

    /// The application of an ARN; `nil` when there is none.
    ///
    /// - Throws: `SNSError` `AuthorizationError` when the caller may not do this for its app.
    func application(
        _ arn: ApplicationARN,
        for action: SNSAction,
        _ caller: SNSCaller
    ) async throws -> PlatformApplication? {
        guard arn.scope == caller.scope, let application = try await self.store.application(arn.modelName) else {
            return nil
        }
        try caller.check(action, for: application.app)
        return application
    }

    /// The application of an ARN.
    ///
    /// - Throws: `SNSError` `NotFound`, and as ``application(_:for:_:)``.
    func requireApplication(
        _ arn: ApplicationARN,
        for action: SNSAction,
        _ caller: SNSCaller
    ) async throws -> PlatformApplication {
        guard let application = try await self.application(arn, for: action, caller) else {
            throw ApplicationAttributes.notFound
        }
        return application
    }

    /// The device of an ARN with its application; `nil` when one of them is not there.
    func endpoint(
        _ arn: EndpointARN,
        for action: SNSAction,
        _ caller: SNSCaller
    ) async throws -> (application: PlatformApplication, device: Device)? {
        guard arn.application.scope == caller.scope, let installation = arn.installation,
            let (application, device) = try await self.store.endpoint(installation, of: arn.application.modelName)
        else { return nil }
        try caller.check(action, for: application.app)
        return device.map { (application, $0) }
    }
}

extension ApplicationARN {
    /// By what the store knows the application.
    var modelName: PlatformApplication.Name {
        PlatformApplication.Name(platform: self.platform.rawValue, text: self.name)
    }

    /// The ARN of an application of the store.
    init(_ application: PlatformApplication, _ scope: SNSScope) throws(SNSError) {
        guard let platform = SNSPlatform(rawValue: application.name.platform),
            let arn = ApplicationARN(scope: scope, platform: platform, name: application.name.text)
        else { throw SNSError(.internalError, "A platform application of the store has no name that SNS allows.") }
        self = arn
    }
}
