// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import HTTPTypes
import HummingbirdCore
import Logging
import Metrics
import NIOCore
import PushModel
import Synchronization

/// Counts and logs requests without a valid key, and limits how often unknown keys are looked up.
///
/// Each address can name 60 unknown keys at once, then 20 per second, and all addresses together 200 at once, then 100
/// per second. Further ones are not looked up in the store. Keys that this process recognizes are not limited, so other
/// clients of the same proxy still work.
final class AuthenticationFailures: Sendable {
    /// The number of unknown keys that an address can name at once.
    static let burst = 60

    /// The number of unknown keys that all addresses can name at once.
    static let totalBurst = 200

    private static let interval: Duration = .milliseconds(50)
    private static let totalInterval: Duration = .milliseconds(10)

    /// The maximum number of addresses that are counted.
    private static let maximumAddresses = 10_000

    private struct State {
        var addresses = TokenBuckets<ClientAddress>(
            burst: AuthenticationFailures.burst,
            interval: AuthenticationFailures.interval,
            capacity: AuthenticationFailures.maximumAddresses
        )
        var total = TokenBuckets<Bool>(
            burst: AuthenticationFailures.totalBurst,
            interval: AuthenticationFailures.totalInterval,
            capacity: 1
        )
    }

    private let metrics: any MetricsFactory
    private let state = Mutex(State())

    init(metrics: any MetricsFactory) {
        self.metrics = metrics
    }

    /// Whether a key that is not recognized may be looked up; counts the look-up.
    func admits(_ address: ClientAddress?, now: ContinuousClock.Instant = .now) -> Bool {
        guard let address else { return true }
        return self.state.withLock { $0.addresses.take(address, now: now) && $0.total.take(true, now: now) }
    }

    /// Counts a failure, and logs it.
    ///
    /// `key` is the key ID in the request, if it has one.
    func note(_ code: ProblemCode, key: APIKeyID?, from address: ClientAddress?, logger: Logger) {
        Counter(
            label: "apus_http_authentication_failures_total",
            dimensions: [("reason", code.rawValue)],
            factory: self.metrics
        ).increment()
        logger.notice(
            "Rejected a request without a valid key",
            metadata: [
                "address": "\(address?.description ?? "unknown")", "key.id": "\(key?.rawValue ?? "none")",
                "problem.code": "\(code.rawValue)",
            ]
        )
    }
}

/// Checks the key of one request, for the routes of the API and for the SNS endpoint.
struct CallerGate: Sendable {
    let verifier: APIKeyAuthenticator

    /// Accepts browsers that signed in; `nil` if the console is not served.
    let console: ConsoleAccess?

    let connections: ClientConnections
    let failures: AuthenticationFailures
    let rates: KeyRates
    let channel: any Channel

    /// The headers of the request, in which trusted proxies report its client.
    let headers: HTTPFields
    let logger: Logger

    /// The address of the client, as far as trusted proxies report it.
    var client: NetworkAddress? { self.connections.client(of: self.headers, on: self.channel) }

    private var address: ClientAddress? { self.client.map { ClientAddress($0) } }

    /// Checks the key of a request against a route, as ``APIKeyAuthenticator`` does.
    ///
    /// - Throws: ``Problem``, also `.tooManyFailures` and `.rateLimited`.
    func authorize(_ request: Request, scopes: [Scope], reach: CallReach) async throws -> AuthorizedRequest.Caller {
        let credential: CallerCredential
        do {
            credential = try self.credential(of: request)
        } catch {
            if error.code.entry.status == 401 { self.failed(error.code, key: nil) }
            throw error
        }
        let key = try await self.authorize(credential, scopes: scopes, reach: reach)
        return AuthorizedRequest.Caller(key: key, credential: credential, scopes: scopes, reach: reach)
    }

    private func credential(of request: Request) throws(Problem) -> CallerCredential {
        let header = request.headers[.authorization]
        if header == nil, let session = try self.console?.session(of: request) { return .session(session) }
        return .secret(try BearerToken.parse(header))
    }

    /// Checks a credential against a route.
    ///
    /// - Throws: ``Problem``, also `.tooManyFailures` and `.rateLimited`.
    func authorize(_ credential: CallerCredential, scopes: [Scope], reach: CallReach) async throws -> APIKey {
        do {
            try self.admit(credential.keyID)
            let key = try await self.verifier.authorize(
                credential,
                scopes: scopes,
                reach: reach,
                from: { self.client }
            )
            try self.proved(by: key)
            return key
        } catch let problem as Problem where problem.code.entry.status == 401 {
            self.failed(problem.code, key: credential.keyID)
            throw problem
        }
    }

    /// Rejects a key that this process does not recognize if too many of these were named.
    ///
    /// - Throws: ``Problem`` `.tooManyFailures`.
    func admit(_ id: APIKeyID) throws(Problem) {
        guard !self.verifier.recognizes(id), !self.failures.admits(self.address) else { return }
        throw Problem(.tooManyFailures, ProblemCode.tooManyFailures.entry.meaning)
    }

    /// A change that an actor makes now, from the address of the client.
    func auditOrigin(of actor: AuditActor) -> AuditOrigin {
        AuditOrigin(actor: actor, address: self.client?.unmapped.text, time: self.verifier.now())
    }

    /// Checks that a key that was verified by other means may be used from the address of the client.
    ///
    /// - Throws: ``Problem`` `.addressNotAllowed`.
    func checkAddress(of key: APIKey) throws(Problem) {
        if let refusal = key.refusal(from: { self.client }) { throw Problem(refusal) }
    }

    /// Protects the connection of a request with a valid key, and counts the request for the key.
    ///
    /// - Throws: ``Problem`` `.rateLimited`.
    func proved(by key: APIKey) throws(Problem) {
        self.connections.proved(self.channel, by: key)
        try self.rates.count(key)
    }

    /// The request has no valid key.
    func failed(_ code: ProblemCode, key: APIKeyID?) {
        self.failures.note(code, key: key, from: self.address, logger: self.logger)
    }
}
