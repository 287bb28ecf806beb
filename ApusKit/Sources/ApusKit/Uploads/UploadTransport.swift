// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import Foundation

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

/// The parts of an HTTP response that the kit reads.
public struct UploadResponse: Sendable {
    /// The HTTP status.
    public var status: Int
    /// The value of `Retry-After`, in seconds.
    public var retryAfter: TimeInterval?
    /// The `code` of the problem details; `nil` if the response has none.
    public var problem: String?

    /// The parts of an HTTP response that the kit reads.
    public init(status: Int, retryAfter: TimeInterval? = nil, problem: String? = nil) {
        self.status = status
        self.retryAfter = retryAfter
        self.problem = problem
    }
}

/// Sends requests to the server; implement it to use the app's own networking layer.
public protocol UploadTransport: Sendable {
    /// Sends a request and returns the response; throws if there is no response.
    func send(_ request: URLRequest) async throws -> UploadResponse
}

/// Sends requests with `URLSession.shared`.
public struct URLSessionTransport: UploadTransport {
    /// Sends requests with `URLSession.shared`.
    public init() {}

    /// Sends a request and returns the response; throws if there is no response.
    public func send(_ request: URLRequest) async throws -> UploadResponse {
        let (data, response) = try await Self.data(for: request)
        guard let response = response as? HTTPURLResponse else { throw URLError(.badServerResponse) }
        struct Problem: Decodable { let code: String }
        return UploadResponse(
            status: response.statusCode,
            retryAfter: response.value(forHTTPHeaderField: "Retry-After").flatMap(TimeInterval.init),
            problem: (try? JSONDecoder().decode(Problem.self, from: data))?.code
        )
    }

    private static func data(for request: URLRequest) async throws -> (Data, URLResponse) {
        #if canImport(FoundationNetworking)
        // On Linux, `URLSession.data(for:)` can hang if it is cancelled while the response arrives. This call ignores
        // cancellation and ends with the request.
        try await withCheckedThrowingContinuation { continuation in
            let task = URLSession.shared.dataTask(with: request) { data, response, error in
                guard let data, let response else { return continuation.resume(throwing: error ?? URLError(.unknown)) }
                continuation.resume(returning: (data, response))
            }
            task.resume()
        }
        #else
        try await URLSession.shared.data(for: request)
        #endif
    }
}
