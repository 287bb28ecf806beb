// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import AsyncHTTPClient
import Foundation
import NIOCore
package import NIOHTTP1
package import SNSProtocol

/// A source of an import: SNS, or a compatible server.
package struct SNSSourceClient: Sendable {
    /// The maximum size of a response.
    private static let maximumAnswerBytes = 16 << 20

    /// After how many seconds a source is asked again that is too busy, or cannot be reached.
    private static let patience = [0.5, 1, 2, 4]

    /// An item that does not exist, or may not be read: the rest can be copied without it.
    package struct Refusal: Error {
        /// Whether the item does not exist.
        package let isAbsence: Bool

        /// The code and the sentence of the source.
        package let message: String
    }

    private static let unreachable = "unreachable"

    private static let absences: Set = [
        "NotFound", "NotFoundException", "ResourceNotFound", "ResourceNotFoundException",
    ]
    private static let denials: Set = [
        "AccessDenied", "AccessDeniedException", "AuthorizationError", "AuthorizationErrorException",
    ]
    private static let throttles: Set = [
        "RequestLimitExceeded", "Throttled", "ThrottledException", "Throttling", "ThrottlingException",
    ]

    /// The server's address: `https://sns.ap-northeast-1.amazonaws.com`.
    package let url: String

    private let signer: RequestSigner
    /// The `Host` header of requests.
    package let host: String
    private let path: String

    /// - Throws: ``CommandError`` `.bad_url`.
    package init(url: String, region: String, credential: SigningCredential) throws {
        guard let parts = URL(string: url), let host = parts.host(), ["http", "https"].contains(parts.scheme),
            (0...65_535).contains(parts.port ?? 0)
        else {
            throw CommandError(
                "bad_url",
                "'\(url)' is not the URL of a server. Expected a URL such as http://127.0.0.1:8080."
            )
        }
        self.url = url
        // The client leaves out the port that its scheme has anyway.
        let port = parts.port.flatMap { $0 == (parts.scheme == "https" ? 443 : 80) ? nil : $0 }
        self.host = port.map { "\(host):\($0)" } ?? host
        self.path = parts.path().isEmpty ? "/" : parts.path()
        self.signer = RequestSigner(credential: credential, region: region)
    }

    /// Calls an operation.
    ///
    /// - Returns: the element of the result.
    /// - Throws: ``Refusal`` if the item does not exist or may not be read; ``CommandError`` `.unreachable`,
    ///   `.sns_refused` with the code and the message of the source.
    package func call(_ action: String, _ parameters: [String: String] = [:]) async throws -> XMLElement {
        let (status, text) = try await self.patiently {
            let (headers, body) = try self.signed(action, parameters)
            var request = HTTPClientRequest(url: self.url)
            request.method = .POST
            request.headers = headers
            request.body = .bytes(body)
            return try await self.execute(request)
        }
        guard let answer = XMLElement(text) else {
            throw CommandError("sns_refused", "\(self.url) responded \(status) to \(action), without XML.")
        }
        guard status == 200 else {
            let code = answer["Error"]?["Code"]?.text ?? "\(status)"
            let message = answer["Error"]?["Message"]?.text ?? ""
            if Self.absences.contains(code) { throw Refusal(isAbsence: true, message: "\(code): \(message)") }
            if Self.denials.contains(code) { throw Refusal(isAbsence: false, message: "\(code): \(message)") }
            throw CommandError("sns_refused", "\(self.url) refuses \(action): \(code): \(message)")
        }
        return answer["\(action)Result"] ?? answer
    }

    /// Signs a request of an operation for immediate use: the signature is valid for some minutes.
    ///
    /// - Returns: the headers except `host` and `content-length`, and the body.
    /// - Throws: `SNSError` if it cannot be signed.
    package func signed(
        _ action: String,
        _ parameters: [String: String]
    ) throws -> (headers: HTTPHeaders, body: [UInt8]) {
        let fields = parameters.merging(["Action": action, "Version": SNSAction.version]) { $1 }
        let body = Array(Self.form(fields).utf8)
        let type = ["content-type": "application/x-www-form-urlencoded; charset=utf-8"]
        let signature = try self.signer.headers(
            method: "POST",
            path: self.path,
            host: self.host,
            headers: type,
            body: body,
            now: Date()
        )
        return (HTTPHeaders(type.merging(signature) { $1 }.map { ($0.key, $0.value) }), body)
    }

    /// Calls an operation that returns a list, once for each page.
    package func pages(
        _ action: String,
        _ parameters: [String: String] = [:],
        _ body: (XMLElement) async throws -> Void
    ) async throws {
        var parameters = parameters
        repeat {
            let page = try await self.call(action, parameters)
            try await body(page)
            let next = page["NextToken"]?.text
            // A source that returns the token of the same page again would never end.
            guard next != parameters["NextToken"] else { return }
            parameters["NextToken"] = next
        } while parameters["NextToken"]?.isEmpty == false
    }

    /// Reads the attributes of subscriptions with concurrent requests.
    ///
    /// - Returns: the attributes of each subscription, or why there are none, in the same order.
    /// - Throws: ``CommandError``.
    package func attributes(ofSubscriptions arns: [String]) async throws -> [Result<[String: String], Refusal>] {
        try await withThrowingTaskGroup(of: (Int, Result<[String: String], Refusal>).self) { group in
            for (index, arn) in arns.enumerated() {
                group.addTask {
                    do {
                        let answer = try await self.call("GetSubscriptionAttributes", ["SubscriptionArn": arn])
                        return (index, .success(answer.map("Attributes")))
                    } catch let refusal as Refusal {
                        return (index, .failure(refusal))
                    }
                }
            }
            var found: [Int: Result<[String: String], Refusal>] = [:]
            for try await (index, result) in group { found[index] = result }
            return arns.indices.compactMap { found[$0] }
        }
    }

    /// Asks again where the source is too busy or the connection was lost, a few times and each time later.
    private func patiently(
        _ ask: () async throws -> (status: Int, text: String)
    ) async throws -> (status: Int, text: String) {
        for seconds in Self.patience {
            do {
                let answer = try await ask()
                guard Self.isBusy(answer.status, answer.text) else { return answer }
            } catch let failure as CommandError where failure.code == Self.unreachable {
                // Reading is repeated without harm: the source changes nothing.
            }
            try await Task.sleep(for: .seconds(seconds))
        }
        return try await ask()
    }

    /// Whether a response requests a later retry: SNS also does this with status 400 and a code.
    static func isBusy(_ status: Int, _ text: String) -> Bool {
        if status == 429 || status >= 500 { return true }
        guard status >= 400, let code = XMLElement(text)?["Error"]?["Code"]?.text else { return false }
        return Self.throttles.contains(code)
    }

    private func execute(_ request: HTTPClientRequest) async throws -> (status: Int, text: String) {
        do {
            let response = try await HTTPClient.shared.execute(request, timeout: .seconds(60))
            let buffer = try await response.body.collect(upTo: Self.maximumAnswerBytes)
            return (Int(response.status.code), String(buffer: buffer))
        } catch let error as CancellationError {
            throw error
        } catch {
            let message = "No response from \(self.url): \(error.connectionProblem)."
            throw CommandError(Self.unreachable, message, cause: error)
        }
    }

    private static func form(_ fields: [String: String]) -> String {
        fields.sorted { $0.key < $1.key }.map { "\($0.key.asPathSegment)=\($0.value.asPathSegment)" }
            .joined(separator: "&")
    }
}
