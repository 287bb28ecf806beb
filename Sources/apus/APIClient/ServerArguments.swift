// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import ArgumentParser
import CommandLineSupport
import Foundation

extension APIClient {
    /// Writes each element of a list as one line of JSON, with all members of the response.
    ///
    /// The query of `path` has no cursor.
    ///
    /// - Throws: ``CommandError``, as a call does.
    func writeEach(of path: String) async throws {
        try await self.eachPage(of: path, as: UnreadElement.self) { answer, _ in try answer.writeElements() }
    }
}

extension APIResponse {
    /// Writes each element of the list in the response as one line of JSON, with all members.
    ///
    /// - Throws: ``CommandError`` `.unexpected_response` for a response without a list.
    func writeElements() throws {
        let elements: [ArraySlice<UInt8>]
        do {
            guard let found = try JSONScanner.elements(ofListIn: Array(self.body)) else {
                throw CommandError("unexpected_response", "The server's response has no list. Is it an Apus server?")
            }
            elements = found
        } catch let fault as JSONError {
            let message = "The response of the server is not a JSON object: \(fault.message). Is it an Apus server?"
            throw CommandError("unexpected_response", message, cause: fault)
        }
        for element in elements {
            var line = Array(element)
            // In JSON, line feeds occur only between values: without them, the element is the same, on one line.
            line.removeAll { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }
            line.append(UInt8(ascii: "\n"))
            Console.out(bytes: line)
        }
    }
}

/// An element of a list whose members are not decoded.
private struct UnreadElement: Decodable {
    init(from decoder: any Decoder) throws {}
}

extension ServerArguments {
    /// Writes the response of a call: as JSON, or as the text that `tell` returns.
    func call<Value: Decodable>(
        _ method: HTTPVerb,
        _ path: String,
        body: Data? = nil,
        tell: (Value) -> String
    ) async throws {
        let answer = try await self.client().call(method, path, body: body)
        Console.out(try self.json ? answer.text : tell(answer.decoded()))
    }

    /// Writes all elements of a list: each as a line of JSON, or as a row of a table.
    ///
    /// With `printable`, control characters are removed.
    func list<Element: Decodable>(
        _ path: String,
        _ heading: [String],
        printable: Bool = false,
        row: (Element) -> [String]
    ) async throws {
        let client = try self.client()
        if self.json { return try await client.writeEach(of: path) }
        var table = TextTable(heading)
        try await client.each(of: path, as: Element.self) { table.add(row($0)) }
        for line in table.lines { Console.out(printable ? line.printable : line) }
    }

    /// Deletes the resource at a path, and writes `result` as JSON, or `words`.
    func delete(_ path: String, result: [String: some Encodable], words: String) async throws {
        _ = try await self.client().call(.delete, path)
        if self.json { try Console.json(result) } else { Console.out(words) }
    }
}

/// The server and the API key of a command, and the format of its output.
struct ServerArguments: ParsableArguments {
    @Option(help: "URL of the server. Default: $APUS_URL, or http://127.0.0.1:8080.")
    var url: String?

    @Option(help: "API key. Default: $APUS_API_KEY, which other users of the machine do not see.")
    var apiKey: String?

    @OptionGroup var transport: ClientTLSArguments
    @OptionGroup var output: OutputArguments

    var json: Bool { self.output.json }

    /// Returns a client of the server.
    ///
    /// - Throws: ``CommandError`` `.no_key` if there is no key.
    func client(environment: [String: String] = ProcessInfo.processInfo.environment) throws -> APIClient {
        let url = try Self.checked(self.url ?? environment["APUS_URL"] ?? "http://127.0.0.1:8080")
        guard let key = self.apiKey ?? environment["APUS_API_KEY"], !key.isEmpty else {
            throw CommandError(
                "no_key",
                "No API key. Set APUS_API_KEY, or create a key on the machine of the server: "
                    + "apus keys create NAME --scope admin --data DIR"
            )
        }
        return APIClient(url: url, key: key, tls: try self.transport.tls(environment: environment))
    }

    /// Validates the URL of a server.
    ///
    /// - Throws: ``CommandError`` `.bad_url` if its scheme is neither `http` nor `https`, or if it has no host.
    static func checked(_ url: String) throws -> String {
        guard url.hasPrefix("http://") || url.hasPrefix("https://") else {
            throw CommandError("bad_url", "The server URL: expected http:// or https://, got '\(url)'.")
        }
        // The messages of errors would contain a password in the URL.
        if url.split(separator: "/").dropFirst().first?.contains("@") == true {
            let message =
                "The server URL contains a user name or password. Remove them: the server accepts API keys."
            throw CommandError("bad_url", message)
        }
        guard URL(string: url)?.host()?.isEmpty == false else {
            throw CommandError("bad_url", "The server URL: expected a URL with a host, got '\(url)'.")
        }
        return url
    }
}
