// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// Reads one line of Prometheus' text format from left to right.
struct PrometheusLineParser {
    private var characters: Substring.UnicodeScalarView
    private let number: Int

    init(_ line: Substring, number: Int) {
        self.characters = line.unicodeScalars
        self.number = number
    }

    /// What was not read yet.
    var rest: String { String(String.UnicodeScalarView(self.characters)) }

    func error(_ message: String) -> PrometheusTextError { PrometheusTextError(line: self.number, message) }

    /// Reads a text if it comes next.
    mutating func skip(_ text: String) -> Bool {
        guard self.characters.starts(with: text.unicodeScalars) else { return false }
        self.characters = self.characters.dropFirst(text.unicodeScalars.count)
        return true
    }

    mutating func require(_ text: String) throws {
        guard self.skip(text) else { throw self.error("'\(self.rest)' instead of '\(text)'") }
    }

    /// Reads `[a-zA-Z_:][a-zA-Z0-9_:]*`, or the same without the colon.
    mutating func name(allowsColon: Bool) throws -> String {
        var name = String.UnicodeScalarView()
        while let next = self.characters.first {
            let isLetter = ("a"..."z").contains(next) || ("A"..."Z").contains(next) || next == "_"
            let isDigit = ("0"..."9").contains(next) && !name.isEmpty
            guard isLetter || isDigit || (allowsColon && next == ":") else { break }
            name.append(next)
            self.characters.removeFirst()
        }
        guard !name.isEmpty else { throw self.error("'\(self.rest)' where a name belongs") }
        return String(name)
    }

    /// Reads the rest of a `HELP` line, in which only `\\` and `\n` are escaped.
    mutating func helpText() throws -> String {
        try self.escaped(until: nil, allowed: ["\\": "\\", "n": "\n"])
    }

    /// Reads `name{label="value",...} number`.
    mutating func sample() throws -> PrometheusText.Sample {
        let name = try self.name(allowsColon: true)
        var labels: [String: String] = [:]
        if self.skip("{") {
            repeat {
                let label = try self.name(allowsColon: false)
                try self.require("=\"")
                let value = try self.escaped(until: "\"", allowed: ["\\": "\\", "n": "\n", "\"": "\""])
                guard labels.updateValue(value, forKey: label) == nil else { throw self.error("\(label) twice") }
            } while self.skip(",")
            try self.require("}")
        }
        try self.require(" ")
        guard let value = Self.number(self.rest) else { throw self.error("the number '\(self.rest)'") }
        return PrometheusText.Sample(name: name, labels: labels, value: value)
    }

    /// A number as Go writes it.
    static func number(_ text: String) -> Double? {
        switch text {
        case "+Inf": .infinity
        case "-Inf": -.infinity
        case "NaN": .nan
        default: text.utf8.allSatisfy { "0123456789+-.e".utf8.contains($0) } ? Double(text) : nil
        }
    }

    private mutating func escaped(
        until end: Unicode.Scalar?,
        allowed: [Unicode.Scalar: Unicode.Scalar]
    ) throws -> String {
        var text = String.UnicodeScalarView()
        while let next = self.characters.popFirst() {
            if next == end { return String(text) }
            guard next == "\\" else {
                text.append(next)
                continue
            }
            guard let escaped = self.characters.popFirst().flatMap({ allowed[$0] }) else {
                throw self.error("a backslash before nothing that is escaped")
            }
            text.append(escaped)
        }
        guard end == nil else { throw self.error("a value without an end") }
        return String(text)
    }
}
