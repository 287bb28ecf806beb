// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import PushModel
import PushStore
import Testing

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

@Suite("Credential directory", .timeLimit(.minutes(20)))
struct CredentialDirectoryTests {
    /// A directory `credentials` with a file, beside a file with the same content.
    private struct Place {
        let root: URL
        let directory: URL

        func path(_ name: String) -> String { self.directory.path + "/" + name }

        func write(_ name: String, _ content: [UInt8]) throws {
            try Data(content).write(to: self.directory.appendingPathComponent(name))
        }

        func link(_ name: String, to target: String) throws {
            try FileManager.default.createSymbolicLink(atPath: self.path(name), withDestinationPath: target)
        }

        func read(_ path: String, passwordPath: String? = nil) throws(CredentialFileError) -> CredentialMaterial {
            try CredentialDirectory(self.directory.path).read(path, passwordPath: passwordPath)
        }

        func expectError(_ code: CredentialFileError.Code, _ path: String) {
            #expect(throws: CredentialFileError(code: code, path: path)) { try self.read(path) }
        }
    }

    private func withPlace(_ body: (Place) throws -> Void) throws {
        let root = FileManager.default.temporaryDirectory.appendingPathComponent("apus-keys-\(UUID().uuidString)")
        let place = Place(root: root, directory: root.appendingPathComponent("credentials"))
        try FileManager.default.createDirectory(
            at: place.directory.appendingPathComponent("app"),
            withIntermediateDirectories: true
        )
        defer { try? FileManager.default.removeItem(at: root) }
        try place.write("app/key.p8", Array("key".utf8))
        try Data("key".utf8).write(to: root.appendingPathComponent("key.p8"))
        try body(place)
    }

    @Test("a file below the directory is read, with one line break removed from its password")
    func inside() throws {
        try self.withPlace { place in
            try place.write("password", Array("pä ss\n\n".utf8))
            let material = try place.read(place.path("app/key.p8"), passwordPath: place.path("password"))
            #expect(material == CredentialMaterial(content: Array("key".utf8), password: "pä ss\n"))
            #expect(try place.read(place.path("app/key.p8")).password == nil)
        }
    }

    @Test("a path outside of the directory is refused, also through .. or a symbolic link")
    func outside() throws {
        try self.withPlace { place in
            try place.link("link.p8", to: "\(place.root.path)/key.p8")
            try place.link("link", to: place.root.path)
            for path in [
                "\(place.root.path)/key.p8", "\(place.directory.path)-other/key.p8", "key.p8", "",
                place.path("../key.p8"), place.path("app/../app/key.p8"), place.path("link.p8"),
                place.path("link/key.p8"), "/no/such/file", "/dev/zero", place.directory.path,
            ] {
                place.expectError(.outside, path)
            }
            #expect(throws: CredentialFileError.self) {
                try CredentialDirectory(nil).read(place.path("app/key.p8"), passwordPath: nil)
            }
            let password = "\(place.root.path)/key.p8"
            #expect(throws: CredentialFileError(code: .outside, path: password)) {
                try place.read(place.path("app/key.p8"), passwordPath: password)
            }
        }
    }

    @Test("symbolic links that stay in the directory are followed, as secrets of Kubernetes need it")
    func linkInside() throws {
        try self.withPlace { place in
            try place.link("..data", to: "app")
            try place.link("key.p8", to: "..data/key.p8")
            #expect(try place.read(place.path("key.p8")).content == Array("key".utf8))

            let link = "\(place.root.path)/directory"
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: place.directory.path)
            let directory = CredentialDirectory(link)
            #expect(try directory.read("\(link)/key.p8", passwordPath: nil).content == Array("key".utf8))
        }
    }

    @Test("a missing file, a directory, a FIFO and a file over 64 KiB are refused without waiting")
    func unreadable() throws {
        try self.withPlace { place in
            try #require(mkfifo(place.path("fifo"), 0o600) == 0)
            try place.write("largest", [UInt8](repeating: 0, count: CredentialDirectory.maximumBytes))
            try place.write("larger", [UInt8](repeating: 0, count: CredentialDirectory.maximumBytes + 1))
            for name in ["gone", "app", "fifo", "larger"] { place.expectError(.unreadable, place.path(name)) }
            #expect(try place.read(place.path("largest")).content.count == CredentialDirectory.maximumBytes)
        }
    }
}
