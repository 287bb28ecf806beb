// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ArgumentParser
package import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Where words go: results to standard output, everything else to standard error.
package enum Console {
    /// Writes a line of the result, without buffering, also into a pipe.
    ///
    /// If the reader has gone, SIGPIPE ends the process silently. For any other write error, the process prints the
    /// error and exits with status 1.
    package static func out(_ line: String) { Self.out(bytes: Array("\(line)\n".utf8)) }

    /// Writes a piece of the result as it is; see ``out(_:)``.
    package static func out(bytes: some ContiguousBytes) {
        do {
            try StandardStream.output.write(bytes)
        } catch {
            switch error {
            case .readerGone: StandardStream.endForLostReader()
            case .system(let number):
                Self.note("apus: Standard output cannot be written: \(String(cString: strerror(number))).")
                exit(1)
            }
        }
    }

    /// Writes the ready message of a long-running process; it also runs without a reader.
    package static func announce(_ line: String) { try? StandardStream.output.write("\(line)\n") }

    /// Writes a line for the user on standard error; failures are ignored.
    package static func note(_ line: String) { try? StandardStream.errors.write("\(line)\n") }

    /// Writes a value as one line of JSON, with its members in the order of their names.
    package static func json(_ value: some Encodable) throws { Self.out(try Self.line(value)) }

    /// Writes the ready message of a long-running process as one line of JSON.
    package static func announce(json value: some Encodable) throws { Self.announce(try Self.line(value)) }

    private static func line(_ value: some Encodable) throws -> String {
        String(decoding: try JSON.encoder.encode(value), as: UTF8.self)
    }
}

/// A standard stream of the process, without buffering, also into a pipe.
///
/// Its reader may stop reading at any time, like `head`; that is no failure of the command.
package struct StandardStream: Sendable {
    /// Why nothing more can be written.
    enum Failure: Error {
        /// The stream has no reader.
        case readerGone

        /// The error number of the system for other failures: a full disk, a closed stream.
        case system(Int32)
    }

    /// Where results go.
    package static let output = StandardStream(descriptor: STDOUT_FILENO)

    /// Where everything else goes.
    static let errors = StandardStream(descriptor: STDERR_FILENO)

    package let descriptor: Int32

    var isResult: Bool { self.descriptor == STDOUT_FILENO }

    package var isTerminal: Bool { isatty(self.descriptor) == 1 }

    func write(_ bytes: some ContiguousBytes) throws(Failure) {
        let code = bytes.withUnsafeBytes { self.write(all: $0) }
        if code == EPIPE { throw .readerGone }
        if code != 0 { throw .system(code) }
    }

    func write(_ text: String) throws(Failure) { try self.write(Array(text.utf8)) }

    /// Lets a write into a pipe without a reader fail, instead of ending the process.
    static func ignoreLostReaders() { signal(SIGPIPE, SIG_IGN) }

    /// Ends the process as a write into a pipe without a reader ends others: quietly, by SIGPIPE.
    static func endForLostReader() -> Never {
        signal(SIGPIPE, SIG_DFL)
        raise(SIGPIPE)
        // Reached only if the signal is blocked: the exit status by which a shell reports it.
        exit(128 + SIGPIPE)
    }

    /// - Returns: 0, or the error number of the system.
    private func write(all bytes: UnsafeRawBufferPointer) -> Int32 {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = self.write(some: UnsafeRawBufferPointer(rebasing: rest))
            if count >= 0 {
                rest = rest.dropFirst(count)
            } else if errno == EAGAIN {
                // Another process that shares the stream has made it non-blocking; wait until it accepts bytes.
                var wish = pollfd(fd: self.descriptor, events: Int16(POLLOUT), revents: 0)
                _ = poll(&wish, 1, -1)
            } else if errno != EINTR {
                return errno
            }
        }
        return 0
    }

    private func write(some bytes: UnsafeRawBufferPointer) -> Int {
        #if canImport(Glibc)
        Glibc.write(self.descriptor, bytes.baseAddress, bytes.count)
        #elseif canImport(Musl)
        Musl.write(self.descriptor, bytes.baseAddress, bytes.count)
        #elseif canImport(Darwin)
        Darwin.write(self.descriptor, bytes.baseAddress, bytes.count)
        #endif
    }
}

/// Files that are named on the command line; `-` is standard input.
package enum InputFile {
    /// Reads a file; a note says so where it is a secret and other users of the machine can read it.
    ///
    /// - Throws: ``CommandError`` `.unreadable_file`.
    package static func bytes(_ path: String, isSecret: Bool = false) throws -> Data {
        do {
            if isSecret, let warning = FilePermissions.warning(about: path) { Console.note(warning) }
            guard path == "-" else { return try Data(contentsOf: URL(fileURLWithPath: path)) }
            return try FileHandle.standardInput.readToEnd() ?? Data()
        } catch {
            throw CommandError(
                "unreadable_file",
                "\(path) cannot be read: \(error.localizedDescription)",
                cause: error
            )
        }
    }

    /// Reads a text file, as ``bytes(_:isSecret:)`` does.
    ///
    /// - Throws: ``CommandError`` `.unreadable_file`, also for bytes that are not UTF-8.
    package static func text(_ path: String, isSecret: Bool = false) throws -> String {
        guard let text = String(bytes: try self.bytes(path, isSecret: isSecret), encoding: .utf8) else {
            throw CommandError("unreadable_file", "\(path) is not a text file in UTF-8.")
        }
        return text
    }
}

/// How JSON is written and read on the command line and towards servers.
package enum JSON {
    /// One line, members in the order of their names, times in RFC 3339.
    package static var encoder: JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .iso8601
        return encoder
    }

    package static var decoder: JSONDecoder { JSONDecoder() }
}

/// How a command writes its result.
package struct OutputArguments: ParsableArguments {
    @Flag(help: "Write the result as JSON, for programs.")
    package var json = false

    package init() {}
}

/// Rows of text in aligned columns, the first row being the heading.
package struct TextTable {
    private var rows: [[String]]

    package init(heading: String...) { self.rows = [heading] }
    package init(_ heading: [String]) { self.rows = [heading] }

    package mutating func add(_ cells: String...) { self.rows.append(cells) }
    package mutating func add(_ cells: [String]) { self.rows.append(cells) }

    /// The lines, with two spaces between columns and none at the end.
    package var lines: [String] {
        let columns = self.rows.map(\.count).max() ?? 0
        let widths = (0..<columns).map { column in
            self.rows.map { column < $0.count ? $0[column].count : 0 }.max() ?? 0
        }
        return self.rows.map { row in
            let cells = row.enumerated().map { column, cell in
                column == row.count - 1 ? cell : cell + String(repeating: " ", count: widths[column] - cell.count)
            }
            return cells.joined(separator: "  ")
        }
    }
}
