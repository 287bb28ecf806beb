// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import HTTPTypes
import Hummingbird
import NIOCore
import PushModel

/// One request that may be answered: its key was accepted for the route.
struct APICall: Sendable {
    let request: Request
    let context: PushAPIContext

    /// The key that was accepted; `nil` on routes that need none.
    var key: APIKey?

    /// Says why a call that lasts may not go on, as a new one would be told: its key was revoked, or has expired.
    ///
    /// `nil` while it may, and on routes that need no key.
    var refusal: @Sendable () async -> Problem? = { nil }

    /// The app in the path.
    ///
    /// - Throws: ``Problem`` `.appNotFound` for what cannot be the id of an app.
    func app() throws(Problem) -> AppID {
        guard let id = self.parameter("app").flatMap(AppID.init(rawValue:)) else { throw .unknownApp }
        return id
    }

    /// A parameter of the path without its percent-encoding; `nil` when it is not valid UTF-8.
    func parameter(_ name: String) -> String? {
        self.context.parameters.get(name).flatMap(PercentEncoding.decode)
    }

    /// The query's parameters, of which only the named ones may be there, each once.
    func query(_ names: String...) throws(Problem) -> [String: String] { try self.query(names) }

    /// The query's parameters, of which only the named ones may be there, each once.
    func query(_ names: [String]) throws(Problem) -> [String: String] {
        var values: [String: String] = [:]
        var faults = FaultList()
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
    /// - Parameter limit: the most bytes.
    /// - Returns: the bytes.
    /// - Throws: ``Problem`` `.bodyTooLarge`, `.unsupportedMediaType`.
    func body(upTo limit: Int) async throws -> [UInt8] {
        try self.checkMediaType()
        let announced = self.request.headers[.contentLength].flatMap { Int($0) } ?? 0
        guard announced <= limit else { throw Self.tooLarge("\(announced) bytes", limit: limit) }
        await self.inviteBody()
        var bytes: [UInt8] = []
        bytes.reserveCapacity(announced)
        do {
            for try await part in self.request.body {
                guard bytes.count + part.readableBytes <= limit else { throw Self.tooLarge("more", limit: limit) }
                bytes.append(contentsOf: part.readableBytesView)
            }
        } catch let problem as Problem {
            throw problem
        } catch {
            throw BodyInterruption(cause: error)
        }
        return bytes
    }

    /// Checks that the body is announced as what it has to be, if it is announced at all, and as not compressed.
    ///
    /// - Throws: ``Problem`` `.unsupportedMediaType`.
    func checkMediaType(_ expected: String = "application/json") throws(Problem) {
        _ = try self.mediaType(among: [expected])
    }

    /// What the body is announced as: one of those that it may be, or `nil` when it is not announced at all.
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

    /// Checks that the body is sent as it is: a compressed one would be read as what it is not.
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

/// The connection broke, or ceased to be HTTP, while a body was read; nobody is left to be answered.
struct BodyInterruption: Error {
    let cause: any Error
}

extension Problem {
    /// There is no app of the id in the path.
    static var unknownApp: Problem { Problem(.appNotFound, "There is no app of the bundle identifier in the path.") }
}
