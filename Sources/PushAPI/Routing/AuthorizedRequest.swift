// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import HTTPTypes
import Hummingbird
import HummingbirdCore
import NIOCore
import NIOHTTP1
import PushModel
import SNSProtocol

/// One request that may be answered: its key was accepted for the route.
struct AuthorizedRequest: Sendable {
    let request: Request
    let context: PushAPIContext

    /// The share of its body in the memory of all bodies.
    var memory: BodyMemory.Share

    /// The limits of calls that take long.
    let shares: CallShares

    /// Checks keys for endpoints that read them in another form.
    let gate: CallerGate

    /// Finds apps, in memory if they were read a moment ago.
    let apps: AppLookup

    /// The account in the ARNs of topics, which policies of keys name.
    let account: String

    /// Who makes the call; `nil` on routes that need no key.
    var caller: Caller?

    /// A key, and the scopes that it was accepted for.
    struct Caller: Sendable {
        let key: APIKey
        let credential: CallerCredential
        let scopes: [Scope]
        let reach: CallReach
    }

    /// The key that was accepted; `nil` on routes that need none.
    var key: APIKey? { self.caller?.key }

    /// Who makes the call, for the audit log; `nil` without a key.
    func auditOrigin() -> AuditOrigin? {
        guard let caller else { return nil }
        let actor: AuditActor =
            switch caller.credential {
            case .secret: .apiKey(caller.key.id, name: caller.key.name)
            case .session: .consoleSession(caller.key.id, name: caller.key.name)
            }
        return self.gate.auditOrigin(of: actor)
    }

    /// Checks that the policy of the key allows an action of SNS on a topic, or on all resources.
    ///
    /// - Throws: ``Problem`` `.policyDenied`.
    func checkPolicy(_ action: SNSAction, on topic: String? = nil) throws(Problem) {
        guard let policy = self.key?.policy else { return }
        let resource = KeyPolicy.Resource(account: self.account, name: topic ?? "*")
        guard policy.decision(on: action.policyName, of: resource) != .allowed else { return }
        let place = topic.map { "the topic '\($0.prefix(256))'" } ?? "all resources"
        throw Problem(.policyDenied, "The policy of the key does not allow sns:\(action.policyName) on \(place).")
    }

    /// Returns why a long call must end: its key was revoked, or has expired.
    ///
    /// - Returns: `nil` while it may continue, and on routes without a key.
    func refusal() async -> Problem? {
        guard let caller else { return nil }
        return await self.gate.verifier.refusal(of: caller, from: { self.gate.client })
    }

    /// Returns the app in the path, as the store had it recently.
    ///
    /// - Throws: ``Problem`` `.appNotFound`; the errors of the store.
    func requireApp() async throws -> App {
        guard let app = try await self.apps.record(try self.app()) else { throw Problem.unknownApp }
        return app
    }

    /// Returns the ID of the app in the path.
    ///
    /// - Throws: ``Problem`` `.appNotFound` for an invalid ID.
    func app() throws(Problem) -> AppID {
        if case .app(let id?)? = self.caller?.reach { return id }
        guard let id = self.parameter("app").flatMap(AppID.init(rawValue:)) else { throw .unknownApp }
        return id
    }

    /// A parameter of the path without its percent-encoding; `nil` when it is not valid UTF-8.
    func parameter(_ name: String) -> String? {
        self.context.parameters.get(name).flatMap { PercentEncoding.decode($0) }
    }

    /// Returns the query parameters; only these names are valid, each at most once.
    func query(_ names: String...) throws(Problem) -> [String: String] { try self.query(names) }

    /// Returns the query parameters; only these names are valid, each at most once.
    func query(_ names: [String]) throws(Problem) -> [String: String] {
        guard self.request.uri.query != nil else { return [:] }
        var values: [String: String] = [:]
        var faults = ValidationErrors()
        for (key, value) in self.request.uri.queryParameters {
            let name = String(key)
            if !names.contains(name) {
                let known = names.isEmpty ? "no parameters" : "one of \(names.joined(separator: ", "))"
                faults.add(.query(String(name.prefix(64))), expected: known, got: "an unknown parameter")
            } else if values.updateValue(String(value), forKey: name) != nil {
                faults.add(.query(name), expected: "each parameter once", got: "a repeated parameter")
            }
        }
        try faults.check()
        return values
    }

    /// The whole body.
    ///
    /// - Throws: ``Problem`` `.bodyTooLarge`, `.unsupportedMediaType`.
    func body(upTo limit: Int) async throws -> [UInt8] {
        try self.checkMediaType()
        let announced = self.request.headers[.contentLength].flatMap { Int($0) } ?? 0
        guard announced <= limit else { throw Self.tooLarge("\(announced) bytes", limit: limit) }
        return try await self.bytes(upTo: limit) { Self.tooLarge($0, limit: limit) }
    }

    /// Reads the complete body, whose announced length is within the limit.
    ///
    /// - Throws: ``Problem`` `.serverBusy` if there is no memory for it, ``RequestBodyError``, and the error of
    ///   `excess` for a body over the limit.
    func bytes(upTo limit: Int, excess: (_ found: String) -> any Error) async throws -> [UInt8] {
        await self.inviteBody()
        // Reserve nothing for the announced length, because announcing costs a client nothing.
        var bytes: [UInt8] = []
        do {
            for try await part in self.request.body {
                guard bytes.count + part.readableBytes <= limit else { throw Refused(excess("more")) }
                guard self.memory.take(part.readableBytes) else {
                    throw Refused(Problem(.serverBusy, ProblemCode.serverBusy.entry.meaning))
                }
                bytes.append(contentsOf: part.readableBytesView)
            }
        } catch let refused as Refused {
            throw refused.error
        } catch {
            throw RequestBodyError(cause: error)
        }
        return bytes
    }

    /// Distinguishes errors about a body from errors of its connection.
    private struct Refused: Error {
        let error: any Error
        init(_ error: any Error) { self.error = error }
    }

    /// Checks that the content type of the body, if there is one, is the expected one, and that the body is not
    /// compressed.
    ///
    /// - Throws: ``Problem`` `.unsupportedMediaType`.
    func checkMediaType(_ expected: String = "application/json") throws(Problem) {
        // Almost all requests say just that.
        let headers = self.request.headers
        if headers[.contentType] == expected, headers[.contentEncoding] == nil { return }
        _ = try self.mediaType(among: [expected])
    }

    /// Returns the content type of the body, which must be one of `expected`; `nil` if there is none.
    ///
    /// - Throws: ``Problem`` `.unsupportedMediaType`.
    func mediaType(among expected: [String]) throws(Problem) -> String? {
        try self.checkContentCoding()
        guard let type = self.request.headers[.contentType] else { return nil }
        let essence = type.prefix { $0 != ";" }.filter { !$0.isWhitespace }.lowercased()
        guard expected.contains(essence) else {
            throw Problem(
                .unsupportedMediaType,
                at: FieldPath(description: "Content-Type"),
                expected: expected.joined(separator: " or "),
                got: String(essence.prefix(64))
            )
        }
        return essence
    }

    /// Checks that the body is not compressed, because it would be parsed as it is.
    private func checkContentCoding() throws(Problem) {
        guard let field = self.request.headers[.contentEncoding] else { return }
        let codings = field.split(separator: ",").map { $0.filter { !$0.isWhitespace }.lowercased() }
        guard codings.contains(where: { $0 != "identity" && !$0.isEmpty }) else { return }
        throw Problem(
            .unsupportedMediaType,
            at: FieldPath(description: "Content-Encoding"),
            expected: "no header, or 'identity'",
            got: String(field.prefix(64))
        )
    }

    private static func tooLarge(_ found: String, limit: Int) -> Problem {
        Problem(.bodyTooLarge, at: .root, expected: "at most \(limit) bytes", got: found)
    }
}

/// The connection broke, or violated HTTP, while a body was read; no response is possible.
struct RequestBodyError: Error {
    let cause: any Error
}

extension Problem {
    static var unknownApp: Problem { Problem(.appNotFound, "There is no app with the bundle ID in the path.") }
}

extension AuthorizedRequest {
    /// Sends `100 Continue` to a client that waits for it (`Expect: 100-continue`; RFC 9110, section 10.1.1).
    ///
    /// Call it when it is certain that the body will be read, and before the response begins. Any other expectation is
    /// ignored. A body that `isStream` may continue as long as lines arrive.
    func inviteBody(isStream: Bool = false) async {
        if isStream { self.context.channel.triggerUserOutboundEvent(ConnectionHandler.StreamBegins(), promise: nil) }
        guard let expectation = self.request.headers[.expect], expectation.lowercased() == "100-continue" else {
            return
        }
        let channel = self.context.channel
        // A connection that is broken says so when the body is read.
        try? await channel.eventLoop.flatSubmit { Self.writeContinue(to: channel) }.get()
    }

    /// Writes the interim response past the response encoder, which allows exactly one response per request.
    private static func writeContinue(to channel: any Channel) -> EventLoopFuture<Void> {
        let written = channel.eventLoop.makePromise(of: Void.self)
        do {
            let encoder = try channel.pipeline.syncOperations.context(handlerType: HTTPResponseEncoder.self)
            let answer = channel.allocator.buffer(string: "HTTP/1.1 100 Continue\r\n\r\n")
            encoder.writeAndFlush(NIOAny(IOData.byteBuffer(answer)), promise: written)
        } catch {
            written.fail(error)
        }
        return written.futureResult
    }
}

/// Which part of a list is asked for: `?cursor=<cursor>&limit=<n>`.
struct PageRequest: Sendable {
    /// The most elements of one answer.
    static let limits = 1...1000

    /// How many elements an answer has unless the caller says otherwise.
    static let defaultLimit = 100

    private let text: String?
    let limit: Int

    /// Takes the parameters of a query.
    ///
    /// - Throws: ``Problem`` `.invalidRequest` for a limit that is no number in ``limits``.
    init(_ query: [String: String]) throws(Problem) {
        self.text = query["cursor"]
        guard let text = query["limit"] else {
            self.limit = Self.defaultLimit
            return
        }
        guard let limit = Int(text), Self.limits.contains(limit) else {
            throw Problem(
                .invalidRequest,
                at: .query("limit"),
                expected: "a whole number from \(Self.limits.lowerBound) to \(Self.limits.upperBound)",
                got: "\(text.utf8.count) characters with another value"
            )
        }
        self.limit = limit
    }

    /// The cursor in the store's own form.
    ///
    /// - Throws: ``Problem`` `.invalidRequest` for a cursor that no answer can have held.
    func cursor<Cursor>(_ make: (String) -> Cursor?) throws(Problem) -> Cursor? {
        guard let text else { return nil }
        guard let cursor = make(text) else {
            throw Problem(
                .invalidRequest,
                at: .query("cursor"),
                expected: "the value of 'nextCursor' of the previous response",
                got: "\(text.utf8.count) bytes of another form"
            )
        }
        return cursor
    }
}
