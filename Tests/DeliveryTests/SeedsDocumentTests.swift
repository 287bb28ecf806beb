// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import Testing

@Suite("docs/seeds.md", .timeLimit(.minutes(5)))
struct SeedsDocumentTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    private static func read(_ path: String) throws -> String {
        try String(contentsOf: Self.root.appending(path: path), encoding: .utf8)
    }

    private static func document() throws -> String { try Self.read("docs/seeds.md") }

    /// The arguments of each command of a program that the document names; placeholders in capitals are left out.
    private static func arguments(of program: String) throws -> [[Substring]] {
        var all: [[Substring]] = []
        for command in try Self.document().matches(of: #/`(dev/[^`]+)`/#).map(\.output.1) {
            let words: [Substring] = command.split(separator: " ")
            guard words.count > 1, words[0] == program, words[1] != words[1].uppercased() else { continue }
            all.append(Array(words.dropFirst()))
        }
        return all
    }

    @Test(
        "names tests by filters that match at least one",
        arguments: [("dev/test", ["Tests"]), ("dev/test-kit", ["ApusKit/Tests", "AppleStandIns/Tests"])]
    )
    func tests(program: String, directories: [String]) throws {
        let tests = try Self.tests(below: directories)
        let filters = try Self.arguments(of: program).flatMap { $0 }
        #expect(filters.count > 10)
        for filter in filters {
            let names = filter.split(separator: "/")
            let functions = try #require(tests[names[0]], "\(program) \(filter): there is no such suite")
            if names.count > 1 { #expect(functions.contains(names[1]), "\(program) \(filter): there is no such test") }
        }
    }

    @Test("names programs, benchmarks and examples that exist")
    func programs() throws {
        for program in Set(try Self.document().matches(of: /`(dev\/[a-z-]+)/).map(\.output.1)) {
            let path = Self.root.appending(path: String(program)).path
            #expect(FileManager.default.isExecutableFile(atPath: path), "\(program)")
        }
        let names = try #require(try Self.read("dev/bench").firstMatch(of: /\n +(\w+(?: \| \w+)+)\) ;;/)).output.1
        let benchmarks = Set(names.split(separator: " | "))
        for benchmark in Set(try Self.arguments(of: "dev/bench").map { $0[0] }) {
            #expect(benchmarks.contains(benchmark), "dev/bench \(benchmark)")
        }
        for example in Set(try Self.arguments(of: "dev/example").map { $0[0] }) {
            let story = Self.root.appending(path: "Examples/\(example)/story.py").path
            #expect(FileManager.default.fileExists(atPath: story), "dev/example \(example)")
        }
    }

    @Test("has the figures of docs/benchmarks.md where it names a benchmark")
    func figures() throws {
        let benchmarks = try Self.read("docs/benchmarks.md")
        let rows = try Self.document().split(separator: "\n")
            .filter { $0.contains("`dev/bench ") && !$0.contains("`dev/bench NAME`") }
        let figures = rows.flatMap { $0.matches(of: /\*\*([^*]+)\*\*/).map(\.output.1) }
        #expect(figures.count > 10)
        for figure in figures { #expect(benchmarks.contains(figure), "\(figure)") }
    }

    @Test("has a row for each listing that dev/check-listings runs")
    func listings() throws {
        let document = try Self.document()
        let keys = try Self.read("dev/listings/catalogue.py").matches(of: /\("([0-9]{3}\/[0-9]+)"/).map(\.output.1)
        #expect(keys.count > 10)
        for key in keys { #expect(document.contains("\n| \(key), "), "\(key)") }
    }

    /// The test functions of each suite, by the suite's name.
    private static func tests(below directories: [String]) throws -> [Substring: Set<Substring>] {
        var tests: [Substring: Set<Substring>] = [:]
        for directory in directories {
            let root = Self.root.appending(path: directory)
            let files = FileManager.default.enumerator(at: root, includingPropertiesForKeys: nil)
            while let file = files?.nextObject() as? URL {
                guard file.pathExtension == "swift" else { continue }
                var suite: Substring = ""
                var isTest = false
                for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
                    let code = line.drop { $0 == " " }
                    if code.hasPrefix("@Test") {
                        isTest = true
                    } else if isTest, let function = Self.name(after: "func ", in: code) {
                        tests[suite, default: []].insert(function)
                        isTest = false
                    } else if let type = Self.name(after: "struct ", in: code)
                        ?? Self.name(after: "extension ", in: code),
                        // Types within a suite are no suites, unless they say so.
                        code.startIndex == line.startIndex || type.hasSuffix("Tests")
                    {
                        suite = type
                    }
                }
            }
        }
        return tests
    }

    /// The name behind a keyword at the beginning of a line.
    private static func name(after keyword: String, in code: Substring) -> Substring? {
        guard code.hasPrefix(keyword) else { return nil }
        return code.dropFirst(keyword.count).prefix { $0.isLetter || $0.isNumber || $0 == "_" }
    }
}
