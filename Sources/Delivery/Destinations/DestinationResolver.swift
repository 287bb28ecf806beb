// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

package import APNs
package import APNsClient
package import Logging
package import PushModel
package import PushStore
import Synchronization

/// Finds where an app's pushes go and with which credential.
///
/// Of the credentials that fit, the youngest is used; one that cannot be read is passed over for the next. What was
/// found is kept for a short while; that nothing was found is not, so that a credential that is added helps at once.
package final class DestinationResolver: Sendable {
    private struct Question: Hashable {
        let app: AppID
        let environment: APNsEnvironment
        let needsKey: Bool
    }

    private struct Answer {
        let line: Line
        /// By a clock that nobody sets: a step back must not make it last longer.
        let until: ContinuousClock.Instant
    }

    private let credentials: any CredentialStore
    private let reader: CredentialReader
    private let endpoints: [APNsEnvironment: APNsEndpoint]
    private let lifetime: Duration
    private let now: @Sendable () -> ContinuousClock.Instant
    private let logger: Logger
    private let answers = Mutex<[Question: Answer]>([:])

    /// A resolver that has found nothing yet.
    ///
    /// Without `masterKey`, sealed credentials are unusable; without `credentialDirectory`, credentials in files are. An
    /// environment without an endpoint has Apple's server. With a `lifetime` of zero, the resolver always asks the store.
    package init(
        credentials: any CredentialStore,
        masterKey: MasterKey?,
        credentialDirectory: CredentialDirectory = .none,
        endpoints: [APNsEnvironment: APNsEndpoint] = [:],
        lifetime: Duration = .seconds(10),
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
        logger: Logger
    ) {
        self.credentials = credentials
        self.reader = CredentialReader(masterKey: masterKey, directory: credentialDirectory)
        self.endpoints = endpoints
        self.lifetime = lifetime
        self.now = now
        self.logger = logger
    }

    /// Where an app's pushes of a type go, and with which credential.
    ///
    /// - Throws: ``DestinationFailure`` when there is no credential that fits, or none of those can be read;
    ///   `StoreError` when the store cannot be asked.
    package func destination(
        for app: AppID,
        in environment: APNsEnvironment,
        pushType: PushType
    ) async throws -> APNsDestination {
        try await self.line(for: app, in: environment, pushType: pushType).destination
    }

    /// What the pushes of an app, an environment and a type share; see ``destination(for:in:pushType:)``.
    ///
    /// With `isFresh` the store is asked again, whatever was found a short while ago.
    func line(
        for app: AppID,
        in environment: APNsEnvironment,
        pushType: PushType,
        isFresh: Bool = false
    ) async throws -> Line {
        let needsKey = pushType.rule?.trust == .tokenOnly
        let question = Question(app: app, environment: environment, needsKey: needsKey)
        let now = self.now()
        let known = self.answers.withLock { $0[question] }
        if let known, known.until > now, !isFresh { return known.line }

        let fitting = try await self.credentials.credentials(of: app)
            .filter { $0.environments.contains(environment) && (!needsKey || $0.kind.isKey) }
        let (id, credential) = try self.firstReadable(of: fitting, for: question)
        let endpoint = self.endpoints[environment] ?? .apple(environment)
        let line = Line(
            app: app,
            environment: environment,
            credential: id,
            destination: APNsDestination(endpoint: endpoint, credential: credential)
        )
        let answer = Answer(line: line, until: now.advanced(by: self.lifetime))
        self.answers.withLock { answers in
            answers = answers.filter { $0.value.until > now }
            answers[question] = answer
        }
        return line
    }

    /// The first credential that can be read; the store gives the youngest first.
    private func firstReadable(
        of credentials: [Credential],
        for question: Question
    ) throws(DestinationFailure) -> (id: CredentialID, credential: APNsCredential) {
        var failure: DestinationFailure?
        for credential in credentials {
            do {
                return (credential.id, try self.reader.read(credential))
            } catch {
                failure = failure ?? error
                self.logger.warning(
                    "A credential cannot be used",
                    metadata: [
                        "app": "\(question.app)", "apns.environment": "\(question.environment.rawValue)",
                        "credential": "\(credential.id)", "error": "\(error.message)",
                    ]
                )
            }
        }
        if let failure { throw failure }
        let kind = question.needsKey ? "provider key, which this push type needs," : "credential"
        throw DestinationFailure(
            code: .noCredential,
            message: "App '\(question.app)' has no \(kind) for \(question.environment.rawValue). Add one to the app."
        )
    }
}

extension CredentialKind {
    fileprivate var isKey: Bool {
        switch self {
        case .key: true
        case .certificate: false
        }
    }
}

/// Why nothing can be sent for an app in an environment.
package struct DestinationFailure: Error, CustomStringConvertible {
    /// What the targets come to: `noCredential` or `badCredential`.
    package let code: FailureCode

    /// What is missing or broken and how to fix it; holds no secret.
    package let message: String

    /// The failure beneath, where there is one.
    package let cause: (any Error)?

    init(code: FailureCode, message: String, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
    }

    package var description: String { "\(self.code): \(self.message)" }
}
