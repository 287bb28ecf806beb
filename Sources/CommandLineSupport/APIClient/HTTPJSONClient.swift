// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import AsyncHTTPClient
package import Foundation
package import NIOCore
import NIOHTTP1

/// Requests with JSON to one HTTP server.
///
/// Every path is percent-encoded, and includes the query.
package struct HTTPJSONClient: Sendable {
    package struct Answer: Sendable {
        package let status: Int
        package let body: Data
    }

    /// Exists as long as the process; a refused connection fails immediately without a retry.
    private static let client: HTTPClient = {
        var configuration = HTTPClient.Configuration()
        configuration.connectionPool.retryConnectionEstablishment = false
        // Concurrent calls do not wait for one another's connections.
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 64
        configuration.timeout.connect = .seconds(5)
        // Longer than a server waits for outcomes, and than a stream is silent.
        configuration.timeout.read = .seconds(90)
        return HTTPClient(configuration: configuration)
    }()

    /// The server's address, `http://127.0.0.1:8080`.
    let url: String

    /// Sent as `Authorization: Bearer`, where there is one.
    let bearer: String?

    /// How long one request may take altogether: longer than a server waits for outcomes.
    let timeout: TimeAmount

    private let tls: ClientTLS

    package init(
        url: String,
        bearer: String? = nil,
        timeout: TimeAmount = .seconds(90),
        tls: ClientTLS = .system
    ) {
        self.tls = tls
        self.url = url.hasSuffix("/") ? String(url.dropLast()) : url
        self.bearer = bearer
        self.timeout = timeout
    }

    /// Sends one request.
    ///
    /// - Returns: the response, regardless of its status.
    /// - Throws: ``CommandError`` `.unreachable` if there is no response, `.bad_url` for a port beyond 16 bits.
    package func send(
        _ method: HTTPVerb,
        _ path: String,
        body: Data? = nil,
        headers: [String: String] = [:]
    ) async throws -> Answer {
        var request = try self.request(method, path, body)
        for (name, value) in headers { request.headers.replaceOrAdd(name: name, value: value) }
        do {
            let response = try await Self.client.execute(request, timeout: self.timeout)
            var buffer = try await response.body.collect(upTo: 256 << 20)
            let bytes = buffer.readBytes(length: buffer.readableBytes) ?? []
            return Answer(status: Int(response.status.code), body: Data(bytes))
        } catch let error as CancellationError {
            throw error
        } catch {
            throw self.unreachable(error)
        }
    }

    /// Reads a response line by line until it ends.
    ///
    /// `type` is the requested media type. `body` receives no empty lines.
    ///
    /// - Returns: the complete response if its status is an error; `nil` when the stream has ended.
    /// - Throws: ``CommandError`` `.unreachable` if the connection fails, and what `body` throws.
    func lines(
        of path: String,
        as type: String,
        _ body: (String) throws -> Void
    ) async throws -> Answer? {
        var request = try self.request(.get, path, nil)
        request.headers.add(name: "accept", value: type)
        do {
            let response = try await Self.client.execute(request, deadline: .distantFuture)
            guard (200..<300).contains(response.status.code) else {
                let buffer = try await response.body.collect(upTo: 1 << 20)
                return Answer(status: Int(response.status.code), body: Data(buffer.readableBytesView))
            }
            var lines = LineSplitter()
            for try await part in response.body {
                for line in lines.feed(Data(part.readableBytesView)) where !line.isEmpty { try body(line) }
                try lines.checkLength()
            }
            return nil
        } catch let error as CancellationError {
            throw error
        } catch let error as CommandError {
            throw error
        } catch {
            let message = "The connection to \(self.url) failed: \(error.connectionProblem). Is the server running?"
            throw CommandError("unreachable", message, mayPass: true, cause: error)
        }
    }

    /// Sends one request of any length, and streams the response.
    ///
    /// - Returns: the status of the response, and its body as a stream.
    /// - Throws: ``CommandError`` `.unreachable` if there is no response.
    func open(_ method: HTTPVerb, _ path: String, upload: Upload?) async throws -> HTTPClientResponse {
        var request = try self.request(method, path, nil)
        if let upload {
            request.headers.add(name: "content-type", value: upload.mediaType)
            request.body = .stream(upload.parts, length: .unknown)
        }
        do {
            return try await Self.client.execute(request, timeout: .hours(24 * 7))
        } catch let error as CancellationError {
            throw error
        } catch {
            throw self.unreachable(error)
        }
    }

    private func unreachable(_ error: any Error) -> CommandError {
        CommandError(
            "unreachable",
            "No response from \(self.url): \(error.connectionProblem). Is the server running, and is the URL correct?",
            mayPass: !error.isPermanentConnectionProblem,
            cause: error
        )
    }

    /// - Throws: ``CommandError`` `.bad_url` for a port beyond 16 bits, on which the client traps.
    private func request(_ method: HTTPVerb, _ path: String, _ body: Data?) throws -> HTTPClientRequest {
        if let port = URL(string: self.url)?.port, !(0...65_535).contains(port) {
            throw CommandError("bad_url", "The address \(self.url): expected a port from 0 to 65535, got \(port).")
        }
        var request = HTTPClientRequest(url: self.url + path)
        request.method = HTTPMethod(rawValue: method.rawValue)
        if self.url.hasPrefix("https:") { request.tlsConfiguration = self.tls.configuration }
        if let bearer { request.headers.add(name: "authorization", value: "Bearer \(bearer)") }
        if let body {
            request.headers.add(name: "content-type", value: "application/json")
            request.body = .bytes(body)
        }
        return request
    }
}

extension String {
    package var asPathSegment: String {
        let allowed = CharacterSet.alphanumerics.intersection(CharacterSet(charactersIn: "\u{0}"..."\u{7F}"))
        return self.addingPercentEncoding(withAllowedCharacters: allowed.union(CharacterSet(charactersIn: "-._~")))
            ?? self
    }
}

package enum HTTPVerb: String, Sendable {
    case get = "GET"
    case patch = "PATCH"
    case put = "PUT"
    case post = "POST"
    case delete = "DELETE"
}

/// A file that is sent piece by piece, as the server takes it.
package struct Upload: Sendable {
    let handle: FileHandle
    let mediaType: String

    /// Opens a file; `-` is standard input.
    ///
    /// - Throws: ``CommandError`` `.unreadable_file`.
    package init(_ path: String, mediaType: String) throws {
        self.mediaType = mediaType
        guard path != "-" else {
            self.handle = .standardInput
            return
        }
        do {
            self.handle = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
        } catch {
            throw CommandError(
                "unreadable_file",
                "\(path) cannot be read: \(error.localizedDescription)",
                cause: error
            )
        }
    }

    /// The content of the file; each part is read on demand.
    var parts: AsyncThrowingStream<ByteBuffer, any Error> {
        let handle = self.handle
        return AsyncThrowingStream {
            guard let data = try handle.read(upToCount: 64 << 10), !data.isEmpty else { return nil }
            return ByteBuffer(bytes: data)
        }
    }
}

extension Error {
    /// The error of a connection, with the text of the system if there is one.
    var connectionProblem: String {
        guard let error = self as? IOError else { return "\(self)" }
        return String(cString: strerror(error.errnoCode))
    }

    /// Whether each further attempt would fail too: the client cannot use the URL, or the server speaks no TLS or has a
    /// certificate that is not valid for the URL.
    var isPermanentConnectionProblem: Bool {
        if let error = self as? HTTPClientError { return [.invalidURL, .emptyHost, .emptyScheme].contains(error) }
        let text = "\(self)"
        return ["WRONG_VERSION_NUMBER", "CERTIFICATE_VERIFY_FAILED", "failedToValidateHostname"]
            .contains { text.contains($0) }
    }
}
