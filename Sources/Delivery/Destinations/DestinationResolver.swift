// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

package import APNs
package import APNsClient
package import Logging
package import PushModel
package import PushStore
import Synchronization

/// Finds the endpoint and the credential of an app's pushes.
///
/// Uses the latest credential that fits and can be read. Found credentials are cached for a short time. A missing
/// credential is not cached, so an added one is used at once.
package final class DestinationResolver: Sendable {
    private struct Question: Hashable {
        let app: AppID
        let environment: APNsEnvironment
        let needsKey: Bool

        init(app: AppID, environment: APNsEnvironment, pushType: PushType) {
            self.app = app
            self.environment = environment
            self.needsKey = pushType.rule?.trust == .tokenOnly
        }
    }

    private struct Answer {
        let line: Circuit
        /// By a monotonic clock: setting back the wall clock must not prolong it.
        let until: ContinuousClock.Instant
    }

    private let credentials: any CredentialStore
    private let reader: CredentialReader
    private let endpoints: [APNsEnvironment: APNsEndpoint]
    private let lifetime: Duration
    private let now: @Sendable () -> ContinuousClock.Instant
    private let logger: Logger
    private let answers = Mutex<[Question: Answer]>([:])

    /// Creates a resolver with an empty cache.
    ///
    /// Without `masterKey`, sealed credentials are unusable; without `credentialDirectory`, credentials in files are.
    /// The default endpoint of an environment is Apple's server. With a `lifetime` of zero, nothing is cached.
    package init(
        credentials: any CredentialStore,
        masterKey: MasterKey?,
        credentialDirectory: CredentialDirectory = CredentialDirectory(nil),
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

    /// - Throws: ``DestinationError`` if no credential fits, or none of those that fit can be read; `StoreError` if
    ///   the store fails.
    package func destination(
        for app: AppID,
        in environment: APNsEnvironment,
        pushType: PushType
    ) async throws -> APNsDestination {
        try await self.line(for: app, in: environment, pushType: pushType).destination
    }

    /// Returns the circuit of an app's pushes of a type; see ``destination(for:in:pushType:)``.
    ///
    /// With `isFresh`, the store is read again, without the cache.
    func line(
        for app: AppID,
        in environment: APNsEnvironment,
        pushType: PushType,
        isFresh: Bool = false
    ) async throws -> Circuit {
        let question = Question(app: app, environment: environment, pushType: pushType)
        let now = self.now()
        if !isFresh, let known = self.knownLine(for: question, now: now) { return known }

        let fitting = try await self.credentials.credentials(of: app)
            .filter { $0.environments.contains(environment) && (!question.needsKey || $0.kind.isKey) }
        let (id, credential) = try self.firstReadable(of: fitting, for: question)
        let endpoint = self.endpoints[environment] ?? .apple(environment)
        let destination = APNsDestination(endpoint: endpoint, credential: credential)
        let line = Circuit(app: app, environment: environment, credential: id, destination: destination)
        let answer = Answer(line: line, until: now.advanced(by: self.lifetime))
        self.answers.withLock { answers in
            answers = answers.filter { $0.value.until > now }
            answers[question] = answer
        }
        return line
    }

    /// Returns the circuit of an app's pushes of a type if it is in the cache.
    func knownLine(for app: AppID, in environment: APNsEnvironment, pushType: PushType) -> Circuit? {
        self.knownLine(for: Question(app: app, environment: environment, pushType: pushType), now: self.now())
    }

    private func knownLine(for question: Question, now: ContinuousClock.Instant) -> Circuit? {
        let known = self.answers.withLock { $0[question] }
        return known.flatMap { $0.until > now ? $0.line : nil }
    }

    /// Returns the first credential that can be read; the store returns the latest first.
    private func firstReadable(
        of credentials: [Credential],
        for question: Question
    ) throws(DestinationError) -> (id: CredentialID, credential: APNsCredential) {
        var failure: DestinationError?
        for credential in credentials {
            do {
                return (credential.id, try self.reader.read(credential))
            } catch {
                failure = failure ?? error
                self.logger.warning(
                    "Skipped an unusable credential",
                    metadata: [
                        "app": "\(question.app)", "apns.environment": "\(question.environment.rawValue)",
                        "credential": "\(credential.id)", "error": "\(error.message)",
                    ]
                )
            }
        }
        if let failure { throw failure }
        let kind = question.needsKey ? "provider key, which this push type needs," : "credential"
        throw DestinationError(
            code: .noCredential,
            message: "App '\(question.app)' has no \(kind) for \(question.environment.rawValue). Add one to the app."
        )
    }
}

extension CredentialKind {
    fileprivate var isKey: Bool { if case .key = self { true } else { false } }
}

/// Why nothing can be sent for an app in an environment.
package struct DestinationError: Error, CustomStringConvertible {
    package let code: FailureCode

    /// The problem and its fix; contains no secret.
    package let message: String

    package var description: String { "\(self.code): \(self.message)" }
}
