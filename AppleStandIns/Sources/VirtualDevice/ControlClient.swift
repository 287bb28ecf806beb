// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A client of the simulator's control API.
struct ControlClient: Sendable {
    let base: URL

    /// Sends a request and blocks until the response arrives.
    ///
    /// It implements Apple's synchronous functions. It blocks the thread for about a millisecond. The response arrives
    /// on a thread of the URL session.
    ///
    /// - Throws: ``ControlError``.
    func wait(_ method: String, _ path: String, _ body: [String: Any]?) throws -> Data {
        let done = DispatchSemaphore(value: 0)
        let answer = Locked<Result<Data, any Error>?>(nil)
        let task = URLSession.shared.dataTask(with: try self.request(method, path, body)) { data, response, error in
            answer.with { $0 = Result { try Self.check(data, response, error) } }
            done.signal()
        }
        task.resume()
        done.wait()
        return try answer.with { $0 }?.get() ?? Data()
    }

    private func request(_ method: String, _ path: String, _ body: [String: Any]?) throws -> URLRequest {
        guard let url = URL(string: self.base.absoluteString + path) else {
            throw ControlError(status: 0, value: nil, detail: "\(path) is no path")
        }
        var request = URLRequest(url: url)
        request.httpMethod = method
        if let body {
            request.httpBody = try JSONSerialization.data(withJSONObject: body)
            request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        }
        return request
    }

    private static func check(_ data: Data?, _ response: URLResponse?, _ error: (any Error)?) throws -> Data {
        guard let status = (response as? HTTPURLResponse)?.statusCode else {
            throw ControlError(
                status: 0,
                value: nil,
                detail: "the simulator is not reached: \(error.map { "\($0)" } ?? "")"
            )
        }
        guard (200..<300).contains(status) else {
            let problem = (try? JSONSerialization.jsonObject(with: data ?? Data())) as? [String: Any]
            throw ControlError(
                status: status,
                value: problem?["value"] as? String,
                detail: problem?["detail"] as? String ?? "status \(status)"
            )
        }
        return data ?? Data()
    }
}

/// A failure response of the control API.
public struct ControlError: Error, CustomStringConvertible {
    /// The HTTP status; 0 if there was no response.
    public let status: Int
    /// The error that the problem names, such as an ActivityKit error.
    public let value: String?
    /// The description of the problem.
    public let detail: String

    public var description: String { self.detail }
}

/// A value that a lock protects.
public final class Locked<Value>: @unchecked Sendable {
    private let lock = NSLock()
    private var value: Value

    public init(_ value: Value) { self.value = value }

    public func with<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
        self.lock.lock()
        defer { self.lock.unlock() }
        return try body(&self.value)
    }
}
