// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import HTTPTypes
import Hummingbird
import Logging
import Metrics
import NIOCore
import PushModel
import PushStore
import SNSProtocol
import Synchronization
import Topics

/// The SNS endpoint: takes requests of the query protocol, and answers each of them in XML.
struct SNSController: APIRoutes {
    /// The maximum body of an unsigned request; a confirmation or unsubscription has some hundred bytes.
    private static let maximumUnsignedBytes = 16 << 10

    let configuration: SNSConfiguration

    /// Whether this process serves TLS.
    private let isSecure: Bool
    let authenticator: SNSAuthenticator
    let desk: SNSRequestHandler
    let signer: MessageSigner
    private let requests: SNSRequestCounters

    init(
        store: any PushStore,
        verifier: APIKeyAuthenticator,
        inspector: any CredentialValidator,
        masterKey: MasterKey,
        publisher: TopicPublisher,
        configuration: SNSConfiguration,
        isSecure: Bool,
        allowsPrivateNetworks: Bool,
        acceptance: AcceptanceMetrics,
        metrics: any MetricsFactory,
        logger: Logger,
        now: @escaping @Sendable () -> Date
    ) {
        self.configuration = configuration
        self.isSecure = isSecure
        self.requests = SNSRequestCounters(metrics)
        self.authenticator = SNSAuthenticator(
            keys: verifier,
            masterKey: masterKey,
            configuration: configuration,
            now: now
        )
        self.signer = MessageSigner(store: store, masterKey: masterKey, now: now)
        let directory = SNSResourceResolver(store: store, masterKey: masterKey)
        let codec = NextTokenCodec { masterKey.derivedKeys(for: "apus sns next token") }
        let pages = SNSPagination(size: configuration.limits.pageSize, codec: codec)
        let credentials = SNSCredentialParser(inspector: inspector, masterKey: masterKey, now: now)
        self.desk = SNSRequestHandler(
            applications: SNSPlatformApplicationHandler(
                directory: directory,
                credentials: credentials,
                pages: pages,
                now: now
            ),
            endpoints: SNSPlatformEndpointHandler(directory: directory, pages: pages, now: now),
            publishing: SNSPublishHandler(
                directory: directory,
                topics: SNSTopicPublisher(
                    store: store,
                    publisher: publisher,
                    limits: configuration.limits,
                    metrics: acceptance,
                    logger: logger,
                    now: now
                ),
                limits: configuration.limits,
                metrics: acceptance,
                now: now
            ),
            topics: SNSTopicHandler(store: store, limits: configuration.limits, pages: pages, now: now),
            subscriptions: SNSSubscriptionHandler(
                directory: directory,
                tokens: ConfirmationTokens(masterKey),
                account: configuration.account,
                allowsPrivateNetworks: allowsPrivateNetworks,
                limits: configuration.limits,
                pages: pages,
                now: now
            )
        )
    }

    var routes: [APIRoute] {
        guard self.configuration.isEnabled else { return [] }
        let post = APIRoute(.post, self.configuration.path, .anyone, self.answer).onEventLoop
        return self.isAtRoot ? [post] : [post, APIRoute(.get, self.configuration.path, .anyone, self.answer)]
    }

    /// Handles a `GET` of `/` that is a request of SNS; `nil` if the endpoint is at another path or not served.
    var rootHandler: (@Sendable (AuthorizedRequest) async throws -> Response)? {
        guard self.configuration.isEnabled, self.isAtRoot else { return nil }
        return { try await self.answer($0) }
    }

    private var isAtRoot: Bool { self.configuration.path.allSatisfy { $0 == "/" } }

    /// The route that is no SNS action: the certificate, which messages to HTTP subscriptions link to.
    var documentedRoutes: [APIRoute] {
        guard self.configuration.isEnabled else { return [] }
        return [APIRoute(.get, "\(self.prefix)certificates/{certificate}", .anyone, self.certificate)]
    }

    /// The path with a slash at its end.
    private var prefix: String { self.configuration.path + (self.configuration.path.hasSuffix("/") ? "" : "/") }

    /// Returns the certificate that verifies deliveries, by its name.
    private func certificate(_ call: AuthorizedRequest) async throws -> Response {
        guard let identity = try await self.signer.madeIdentity(),
            call.parameter("certificate") == identity.certificateFileName
        else {
            throw Problem(.routeNotFound, "There is no certificate of this name. Use the URL in a recent delivery.")
        }
        let body = ResponseBody(byteBuffer: ByteBuffer(string: identity.certificatePEM))
        return Response(status: .ok, headers: [.contentType: "application/x-pem-file"], body: body)
    }

    private func answer(_ call: AuthorizedRequest) async throws -> Response {
        let request = SignedRequest(call.request)
        // A browser that opens the path is not an SNS client.
        guard call.request.method == .post || !request.query.isEmpty else {
            throw Problem(.routeNotFound, "There is no path '\(call.request.uri.path.prefix(200))'.")
        }
        let requestID = APNsID.random().description
        var action: SNSAction?
        do {
            let result = try await self.carryOut(request, call, action: &action)
            self.count(action, code: "OK")
            return Self.response(SNSResponse(result, requestID: requestID), requestID: requestID)
        } catch let interruption as RequestBodyError {
            throw interruption
        } catch {
            let (refusal, cause) = Self.refusal(of: error)
            if let code = Self.keyProblems[refusal.code] { call.gate.failed(code, key: Self.keyID(of: request)) }
            self.count(action, code: refusal.code.rawValue)
            let metadata: Logger.Metadata = [
                "sns.action": "\(action?.rawValue ?? "none")", "sns.code": "\(refusal.code.rawValue)",
                "sns.request": "\(requestID)",
            ]
            let level: Logger.Level = cause == nil ? .debug : .error
            call.context.logger.log(level: level, "\(refusal.message)", error: cause, metadata: metadata)
            return Self.response(SNSResponse(refusal, requestID: requestID), requestID: requestID)
        }
    }

    /// Maps the SNS errors of a request without a valid key to the problem codes of the API.
    private static let keyProblems: [SNSErrorCode: ProblemCode] = [
        .missingAuthenticationToken: .missingAPIKey, .incompleteSignature: .invalidAPIKey,
        .invalidClientTokenId: .invalidAPIKey, .signatureDoesNotMatch: .invalidAPIKey,
    ]

    private static func keyID(of request: SignedRequest) -> APIKeyID? {
        guard let signature = try? RequestSignature.read(from: request) else { return nil }
        return APIKeyID(accessKeyID: signature.scope.accessKeyID)
    }

    private func carryOut(
        _ unread: SignedRequest,
        _ call: AuthorizedRequest,
        action: inout SNSAction?
    ) async throws -> SNSResult {
        let announced = try self.announcedBytes(of: call)
        // Check the claim first, so that a client without a key cannot make the server buffer a large body.
        let claim = try await self.authenticator.claim(of: unread, admittedBy: call.gate)
        var request = unread
        request.body = try await self.body(of: call, announced: announced, isSigned: claim != nil)
        let caller = try claim.map { try self.authenticator.caller(of: request, claiming: $0, admittedBy: call.gate) }
        if let caller { try call.gate.proved(by: caller.key) }
        let form = try FormFields(Array(request.query.utf8), source: .query)
            .adding(FormFields(request.body, source: .body, limit: self.configuration.limits.formFields))
        let context = SNSQueryRequest.Context(region: caller?.scope.region, limits: self.configuration.limits)
        let snsCall = try SNSQueryRequest(form, in: context)
        action = snsCall.action
        // Others may compare a message with many filter policies, or list many items.
        let executor: (any TaskExecutor)? = snsCall.request.concernsOneEndpoint ? nil : globalConcurrentExecutor
        guard var caller else {
            return try await withTaskExecutorPreference(executor) { try await self.desk.carryOutUnsigned(snsCall) }
        }
        try caller.check(snsCall.action)
        try caller.checkPolicy(snsCall.action, on: snsCall.request.resource)
        caller.server = self.server(of: call)
        // Requests for one endpoint are the many small ones, which the audit log does not have.
        let actor = AuditActor.apiKey(caller.key.id, name: caller.key.name)
        let origin = snsCall.request.concernsOneEndpoint ? nil : call.gate.auditOrigin(of: actor)
        return try await withTaskExecutorPreference(executor) { [caller] in
            try await AuditOrigin.binding(origin) { try await self.desk.carryOut(snsCall, of: caller) }
        }
    }

    /// The URL of the endpoint for messages to subscribers; `nil` if it is unknown.
    ///
    /// Subscribers open the links in messages, so only the configuration names the host. A caller could send any `Host`,
    /// and have the messages of this server lead to its own. Loopback names lead nowhere else.
    private func server(of call: AuthorizedRequest) -> String? {
        if let url = self.configuration.publicURL { return url }
        guard let authority = call.request.head.authority, let url = WebhookURL("http://\(authority)"),
            NetworkAddress.isLoopback(host: url.host)
        else { return nil }
        return "\(self.isSecure ? "https" : "http")://\(authority)\(self.configuration.path)"
    }

    /// How many bytes the body is said to have; 0 when nothing is said.
    private func announcedBytes(of call: AuthorizedRequest) throws -> Int {
        let announced = call.request.headers[.contentLength].flatMap { Int($0) } ?? 0
        let limit = self.configuration.maximumBodyBytes
        guard announced <= limit else { throw Self.tooLarge(limit) }
        return announced
    }

    private func body(of call: AuthorizedRequest, announced: Int, isSigned: Bool) async throws -> [UInt8] {
        let most = self.configuration.maximumBodyBytes
        let limit = isSigned ? most : min(most, Self.maximumUnsignedBytes)
        // No operation that needs no signature is as large.
        let excess = isSigned ? Self.tooLarge(limit) : SignatureVerifier.unsigned
        guard announced <= limit else { throw excess }
        return try await call.bytes(upTo: limit, excess: { _ in excess })
    }

    private static func tooLarge(_ limit: Int) -> SNSError {
        SNSError(.requestEntityTooLarge, "The body of a request has at most \(limit) bytes.")
    }

    /// Returns the response error, and the cause if it is an error of the server.
    private static func refusal(of error: any Error) -> (SNSError, cause: (any Error)?) {
        if let error = error as? SNSError { return (error, nil) }
        if let problem = error as? Problem, [.tooManyFailures, .rateLimited, .serverBusy].contains(problem.code) {
            return (SNSError(.throttled, problem.detail), nil)
        }
        if let problem = error as? Problem, problem.code == .addressNotAllowed {
            return (SNSError(.authorizationError, problem.detail), nil)
        }
        return (SNSError(.internalError, "The server could not carry the request out. Try again."), error)
    }

    private static func response(_ answer: SNSResponse, requestID: String) -> Response {
        var headers: HTTPFields = [.contentType: SNSResponse.contentType]
        headers[.amazonRequestID] = requestID
        let body = ResponseBody(byteBuffer: ByteBuffer(bytes: answer.body))
        return Response(status: HTTPResponse.Status(code: answer.status), headers: headers, body: body)
    }

    private func count(_ action: SNSAction?, code: String) {
        self.requests.count(action: action?.rawValue ?? "none", code: code)
    }
}

/// Counts the requests of the SNS endpoint; a counter is made when it is needed first.
private final class SNSRequestCounters: Sendable {
    private let factory: any MetricsFactory
    private let counters = Mutex<[String: [String: Counter]]>([:])

    init(_ factory: any MetricsFactory) {
        self.factory = factory
    }

    func count(action: String, code: String) {
        let counter = self.counters.withLock { counters in
            if let counter = counters[action]?[code] { return counter }
            let counter = Counter(
                label: "apus_sns_requests_total",
                dimensions: [("action", action), ("code", code)],
                factory: self.factory
            )
            counters[action, default: [:]][code] = counter
            return counter
        }
        counter.increment()
    }
}

extension SignedRequest {
    /// The request as it came over the wire, without its body.
    init(_ request: Request) {
        let target = request.head.path ?? "/"
        let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        // The server takes `Host` out of the fields.
        let host = request.head.authority.map { [(name: "host", value: $0)] } ?? []
        self.init(
            method: request.method.rawValue,
            path: parts[0],
            query: parts.count > 1 ? parts[1] : "",
            headers: host + request.headers.map { (name: $0.name.canonicalName, value: $0.value) }
        )
    }
}

extension HTTPField.Name {
    /// The header that repeats the id of a request in XML.
    fileprivate static let amazonRequestID: HTTPField.Name = {
        // Cannot trap: the text is a constant and a valid field name.
        guard let name = HTTPField.Name(SNSResponse.requestIDHeader) else { preconditionFailure("a valid field name") }
        return name
    }()
}

extension SNSRequest {
    /// The resource that a policy of the key must name: the end of its ARN, or `*` for all.
    fileprivate var resource: String {
        switch self {
        case .createTopic(let request): request.name
        case .deleteTopic(let topic), .getTopicAttributes(let topic), .setTopicAttributes(let topic, _),
            .removePermission(let topic, _), .listSubscriptionsByTopic(let topic, _), .tagResource(let topic, _),
            .untagResource(let topic, _), .listTagsForResource(let topic):
            topic.name
        case .addPermission(let request): request.topic.name
        case .subscribe(let request): request.topic.name
        case .confirmSubscription(let request): request.topic.name
        case .unsubscribe(let arn), .getSubscriptionAttributes(let arn), .setSubscriptionAttributes(let arn, _):
            arn.topic.name
        case .createPlatformApplication(let request): "app/\(request.platform.rawValue)/\(request.name)"
        case .deletePlatformApplication(let arn), .getPlatformApplicationAttributes(let arn),
            .setPlatformApplicationAttributes(let arn, _), .createPlatformEndpoint(let arn, _),
            .listEndpointsByPlatformApplication(let arn, _):
            arn.resource
        case .deleteEndpoint(let arn), .getEndpointAttributes(let arn), .setEndpointAttributes(let arn, _): arn.resource
        case .publish(let request):
            switch request.target {
            case .endpoint(let arn): arn.resource
            case .topic(let arn): arn.name
            }
        case .publishBatch(let request): request.topic.name
        case .listTopics, .listSubscriptions, .listPlatformApplications: "*"
        }
    }

    fileprivate var concernsOneEndpoint: Bool {
        switch self {
        case .createPlatformEndpoint, .deleteEndpoint, .getEndpointAttributes, .setEndpointAttributes: true
        case .publish(let request): if case .endpoint = request.target { true } else { false }
        default: false
        }
    }
}
