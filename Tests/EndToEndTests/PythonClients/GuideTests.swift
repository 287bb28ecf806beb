// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import Testing

@Suite("The guide to the simulator", .timeLimit(.minutes(20)))
struct GuideTests {
    @Test("whoever copies the Python of docs/simulator.md into a project has green tests")
    func python() async throws {
        let guide = try String(contentsOfFile: PythonEnvironment.file("docs/simulator.md"), encoding: .utf8)
        let blocks = Self.blocks(of: "python", in: guide)
        #expect(blocks.count == 2)
        try await withTemporaryDirectory { directory in
            for block in blocks {
                // The first line of a block names its file.
                let name = try #require(block.split(separator: "\n").first).dropFirst("# ".count)
                try Data(block.utf8).write(to: URL(fileURLWithPath: "\(directory)/\(name)"))
            }
            let lines = try await PythonEnvironment.run(
                ["-m", "pytest", "-q", "-p", "no:cacheprovider", directory],
                environment: ["APUS": BuiltExecutable.path],
                in: directory
            )
            let tests = guide.components(separatedBy: "\ndef test_").count - 1
            #expect(tests > 3)
            #expect(lines.last?.hasPrefix("\(tests) passed") == true, "\(lines.joined(separator: "\n"))")
        }
    }

    @Test("every test that the guide names is there")
    func namedTests() throws {
        let guide = try String(contentsOfFile: PythonEnvironment.file("docs/simulator.md"), encoding: .utf8)
        let pattern = /`(?<suite>[A-Z][A-Za-z0-9]*Tests)\/(?<test>[a-zA-Z0-9]+)`/
        let named = guide.matches(of: pattern).map { (String($0.suite), String($0.test)) }
        #expect(named.count > 20)
        let sources = try Self.sources(under: PythonEnvironment.file("Tests"))
        for (suite, test) in named {
            let declares =
                sources.contains { source in
                    source.contains("struct \(suite) ") && source.contains("func \(test)(")
                } || sources.contains { $0.contains("extension \(suite) ") && $0.contains("func \(test)(") }
            #expect(declares, "\(suite)/\(test)")
        }
    }

    /// The contents of the fenced blocks of a language.
    private static func blocks(of language: String, in text: String) -> [String] {
        text.components(separatedBy: "\n```\(language)\n").dropFirst().map { rest in
            (rest.components(separatedBy: "\n```").first ?? "") + "\n"
        }
    }

    private static func sources(under directory: String) throws -> [String] {
        let paths = try FileManager.default.subpathsOfDirectory(atPath: directory)
        return try paths.filter { $0.hasSuffix("Tests.swift") }.map {
            try String(contentsOfFile: "\(directory)/\($0)", encoding: .utf8)
        }
    }
}
