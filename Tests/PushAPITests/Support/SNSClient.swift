// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Crypto
import Foundation
import HTTPTypes
import NIOCore
import PushModel
import PushStore
import Testing

/// A client of the SNS endpoint that signs as AWS' own clients do (Signature Version 4), written from AWS' description and
/// not from the code that verifies.
struct SNSClient: Sendable {
    static let account = "000000000000"

    let api: TestAPI
    /// The secret of the same key for `/v1`.
    let bearer: String
    var accessKeyID: String
    var secret: String
    var region = "ap-northeast-1"
    var service = "sns"
    var path = "/"
    var time = TestTime.start

    /// The `Host` of posts, which the signature covers.
    var host = "localhost"

    /// The token of a session, if the key is said to be a temporary one.
    var sessionToken: String?

    /// Makes an access key by the API.
    init(_ api: TestAPI, scopes: String = #""admin""#, app: AppID? = nil, policy: String? = nil) async throws {
        let bound = (app.map { #","app":"\#($0)""# } ?? "") + (policy.map { #","policy":\#($0)"# } ?? "")
        let body = #"{"name":"sns","scopes":[\#(scopes)],"accessKey":true\#(bound)}"#
        let answer = try await api.call(.post, "/v1/keys", body)
        try #require(answer.status == 201)
        self.api = api
        self.bearer = try #require(answer.json["key"]?.text)
        self.accessKeyID = try #require(answer.json["accessKeyID"]?.text)
        self.secret = try #require(answer.json["secretAccessKey"]?.text)
    }

    /// An ARN of the region and the account.
    func arn(_ resource: String) -> String { "arn:aws:sns:\(self.region):\(Self.account):\(resource)" }

    /// Calls an operation, and answers what the server did.
    func call(_ action: String, _ parameters: [String: String] = [:]) async throws -> XMLAnswer {
        try await self.post(Self.form(parameters.merging(["Action": action, "Version": "2010-03-31"]) { $1 }))
    }

    /// Posts a form, signed in the header; the query has the form of a form.
    func post(_ form: String, query: String = "", signing signedForm: String? = nil) async throws -> XMLAnswer {
        let date = Self.date(self.time)
        var headers: [(String, String)] = [
            ("content-type", "application/x-www-form-urlencoded; charset=utf-8"), ("host", self.host),
            ("x-amz-date", date),
        ]
        if let sessionToken { headers.append(("x-amz-security-token", sessionToken)) }
        let signature = self.signature(
            method: "POST",
            query: query,
            headers: headers,
            date: date,
            body: signedForm ?? form
        )
        let names = headers.map(\.0).joined(separator: ";")
        var fields = HTTPFields()
        // Requests without a socket always have this host.
        for (name, value) in headers where name != "host" || self.host != "localhost" {
            fields.append(HTTPField(name: try #require(HTTPField.Name(name)), value: value))
        }
        fields[.authorization] =
            "AWS4-HMAC-SHA256 Credential=\(self.accessKeyID)/\(self.scope(date)), SignedHeaders=\(names), "
            + "Signature=\(signature)"
        return try await self.send(.post, query.isEmpty ? self.path : "\(self.path)?\(query)", fields, form)
    }

    /// Gets a URL that is signed in its query.
    func presigned(_ parameters: [String: String], lifetime: Int = 60) async throws -> XMLAnswer {
        let date = Self.date(self.time)
        var query = parameters
        query["X-Amz-Algorithm"] = "AWS4-HMAC-SHA256"
        query["X-Amz-Credential"] = "\(self.accessKeyID)/\(self.scope(date))"
        query["X-Amz-Date"] = date
        query["X-Amz-Expires"] = "\(lifetime)"
        query["X-Amz-SignedHeaders"] = "host"
        let text = Self.form(query)
        let signature = self.signature(
            method: "GET",
            query: text,
            headers: [("host", "localhost")],
            date: date,
            body: ""
        )
        return try await self.send(.get, "\(self.path)?\(text)&X-Amz-Signature=\(signature)", [:], nil)
    }

    /// Sends a request as it is.
    func send(
        _ method: HTTPRequest.Method,
        _ path: String,
        _ headers: HTTPFields,
        _ body: String?
    ) async throws -> XMLAnswer {
        let bytes = body.map { ByteBuffer(string: $0) }
        return XMLAnswer(try await self.api.client.answer(to: method, path, headers: headers, body: bytes))
    }

    /// Fields as a form, in the order of their names.
    static func form(_ fields: [String: String]) -> String {
        fields.sorted { $0.key < $1.key }.map { "\(self.escape($0.key))=\(self.escape($0.value))" }
            .joined(separator: "&")
    }

    private static func escape(_ text: String) -> String {
        let allowed = CharacterSet(charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
        return text.addingPercentEncoding(withAllowedCharacters: allowed) ?? ""
    }

    private static func date(_ time: Date) -> String {
        time.formatted(Date.ISO8601FormatStyle()).filter { $0 != "-" && $0 != ":" }
    }

    private func scope(_ date: String) -> String { "\(date.prefix(8))/\(self.region)/\(self.service)/aws4_request" }

    private func signature(
        method: String,
        query: String,
        headers: [(String, String)],
        date: String,
        body: String
    ) -> String {
        let lines = headers.map { "\($0.0):\($0.1)\n" }.joined()
        let names = headers.map(\.0).joined(separator: ";")
        let request = "\(method)\n\(self.path)\n\(query)\n\(lines)\n\(names)\n\(Self.hash(body))"
        let text = "AWS4-HMAC-SHA256\n\(date)\n\(self.scope(date))\n\(Self.hash(request))"
        var key = Data("AWS4\(self.secret)".utf8)
        for part in [String(date.prefix(8)), self.region, self.service, "aws4_request"] {
            key = Data(HMAC<SHA256>.authenticationCode(for: Data(part.utf8), using: SymmetricKey(data: key)))
        }
        let code = HMAC<SHA256>.authenticationCode(for: Data(text.utf8), using: SymmetricKey(data: key))
        return Self.hex(Data(code))
    }

    private static func hash(_ text: String) -> String { self.hex(Data(SHA256.hash(data: Data(text.utf8)))) }

    private static func hex(_ data: Data) -> String {
        data.map { String(UInt16($0) + 256, radix: 16).dropFirst() }.joined()
    }
}

/// What the SNS endpoint answered.
struct XMLAnswer: Sendable {
    let status: Int
    let text: String
    let headers: HTTPFields

    init(_ answer: Answer) {
        self.status = answer.status
        self.text = answer.text
        self.headers = answer.headers
    }

    /// The texts of the elements of a name, in their order, with the entities of XML taken back.
    func texts(_ name: String) -> [String] {
        self.text.components(separatedBy: "<\(name)>").dropFirst().compactMap { part in
            part.components(separatedBy: "</\(name)>").first?
                .replacing("&lt;", with: "<").replacing("&gt;", with: ">").replacing("&quot;", with: "\"")
                .replacing("&apos;", with: "'").replacing("&amp;", with: "&")
        }
    }

    /// The text of the only element of a name.
    subscript(name: String) -> String? { self.texts(name).first }

    /// The code of an error.
    var code: String? { self["Code"] }

    /// The sentence of an error.
    var message: String? { self["Message"] }

    /// A map of attributes.
    var attributes: [String: String] { Dictionary(zip(self.texts("key"), self.texts("value"))) { first, _ in first } }
}
