// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import HTTPTypes
import HummingbirdCore
import Logging
import Metrics
import NIOCore
import PushModel
import Synchronization

/// Counts, logs and slows down requests without a valid key.
///
/// Each address can name 60 unknown keys at once, then 20 per second. Beyond that, keys from this address are not
/// looked up in the store, unless this process has read them before: so other clients of the same proxy still work.
/// Loopback addresses have no limit, because a proxy on the same machine uses one for all of its clients.
final class AuthenticationFailures: Sendable {
    /// The number of unknown keys that an address can name at once.
    static let burst = 60

    /// The time after which one of them no longer counts.
    private static let interval: Duration = .milliseconds(50)

    /// The maximum number of addresses that are counted.
    private static let maximumAddresses = 10_000

    private struct State {
        /// When the count of each address returns to zero.
        var clearAt: [ClientAddress: ContinuousClock.Instant] = [:]
    }

    private let metrics: any MetricsFactory
    private let state = Mutex(State())

    init(metrics: any MetricsFactory) {
        self.metrics = metrics
    }

    /// Whether an address has named too many unknown keys.
    func isThrottled(_ address: ClientAddress?, now: ContinuousClock.Instant = .now) -> Bool {
        guard let address, !address.isLoopback else { return false }
        return self.state.withLock { state in
            state.clearAt[address].map { $0 - now > Self.interval * Self.burst } ?? false
        }
    }

    /// Counts a failure, and logs it.
    ///
    /// `key` is the key ID in the request, if it has one; `isUnknown` is whether no such key exists.
    func note(
        _ code: ProblemCode,
        key: APIKeyID?,
        isUnknown: Bool,
        from address: ClientAddress?,
        logger: Logger,
        now: ContinuousClock.Instant = .now
    ) {
        Counter(
            label: "apus_http_authentication_failures_total",
            dimensions: [("reason", code.rawValue)],
            factory: self.metrics
        ).increment()
        if let address, isUnknown {
            self.state.withLock { state in
                if state.clearAt.count >= Self.maximumAddresses {
                    state.clearAt = state.clearAt.filter { $0.value > now }
                }
                if state.clearAt.count >= Self.maximumAddresses { state.clearAt.removeAll() }
                let clearAt = max(state.clearAt[address] ?? now, now)
                // Limit the count, so that the address can continue soon regardless of its number of failures.
                state.clearAt[address] = min(clearAt + Self.interval, now + Self.interval * (Self.burst + 20))
            }
        }
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
    let channel: any Channel
    let logger: Logger

    /// The address of the client.
    var client: NetworkAddress? {
        self.channel.remoteAddress?.ipAddress.flatMap { NetworkAddress(String($0.prefix { $0 != "%" })) }
    }

    private var address: ClientAddress? { ClientAddress(self.channel.remoteAddress) }

    /// Checks the key of a request against a route, as ``APIKeyAuthenticator`` does.
    ///
    /// - Throws: ``Problem``, also `.tooManyFailures`.
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
    /// - Throws: ``Problem``, also `.tooManyFailures`.
    func authorize(_ credential: CallerCredential, scopes: [Scope], reach: CallReach) async throws -> APIKey {
        do {
            try self.admit(credential.keyID)
            let key = try await self.verifier.authorize(
                credential,
                scopes: scopes,
                reach: reach,
                from: { self.client }
            )
            self.proved(by: key)
            return key
        } catch let problem as Problem where problem.code.entry.status == 401 {
            self.failed(problem.code, key: credential.keyID)
            throw problem
        }
    }

    /// Rejects a key that this process has not read if its address names too many unknown keys.
    ///
    /// - Throws: ``Problem`` `.tooManyFailures`.
    func admit(_ id: APIKeyID) throws(Problem) {
        guard !self.verifier.hasRead(id), self.failures.isThrottled(self.address) else { return }
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

    /// Protects the connection of a request with a valid key.
    func proved(by key: APIKey) { self.connections.proved(self.channel, by: key) }

    /// The request has no valid key.
    func failed(_ code: ProblemCode, key: APIKeyID?) {
        let isUnknown = key.map { !self.verifier.hasRead($0) } ?? false
        self.failures.note(code, key: key, isUnknown: isUnknown, from: self.address, logger: self.logger)
    }
}
