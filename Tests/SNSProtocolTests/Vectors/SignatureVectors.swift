// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import SNSProtocol
import Testing

/// Signed requests that others made: `Vectors/make_vectors.py` wrote them.
struct SignatureVectors: Decodable {
    struct Request: Decodable, Sendable, CustomTestStringConvertible {
        var action: String
        var method: String
        var path: String
        var query: String
        var headers: [[String]]
        var body: String
        var sessionToken: String?

        var testDescription: String { "\(self.action) \(self.method) \(self.path) \(self.sessionToken ?? "")" }

        /// The request, with what a test changes of it.
        func signed(_ change: (inout Request) -> Void = { _ in }) -> SignedRequest {
            var request = self
            change(&request)
            return SignedRequest(
                method: request.method,
                path: request.path,
                query: request.query,
                headers: request.headers.map { (name: $0[0], value: $0[1]) },
                body: Array(request.body.utf8)
            )
        }
    }

    var accessKeyID: String
    var secret: String
    var now: Int
    var requests: [Request]

    /// What botocore sends for every operation.
    static let botocore = Self.read("botocore")
    /// Odd requests, signed from the text of the specification.
    static let specification = Self.read("signatures")

    var time: Date { Date(timeIntervalSince1970: TimeInterval(self.now)) }

    func credential(sessionToken: String?) -> SigningCredential {
        SigningCredential(accessKeyID: self.accessKeyID, secret: self.secret, sessionToken: sessionToken)
    }

    private static func read(_ name: String) -> SignatureVectors {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("\(name).json")
        do {
            return try JSONDecoder().decode(SignatureVectors.self, from: Data(contentsOf: file))
        } catch {
            fatalError("\(file.path): \(error)")
        }
    }
}
