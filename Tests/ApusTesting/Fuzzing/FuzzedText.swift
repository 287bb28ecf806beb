// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation

/// Texts at which parsers and arithmetic fail: limits, other notations, and values that are special elsewhere.
public enum FuzzedText {
    /// JSON numbers at the limits of types, and texts that other languages read as numbers.
    public static let numbers = [
        "0", "-0", "-0.0", "1", "-1", "2", "10", "100", "101", "127", "128", "255", "256", "999", "1000", "1001",
        "10000", "10001", "32767", "32768", "65535", "65536", "86399", "86400", "100000", "1000001", "2147483647",
        "2147483648", "-2147483648", "-2147483649", "4294967295", "4294967296", "4294967297", "253402300799",
        "253402300800", "-62135596800", "-62135596801", "8640000000000000", "9007199254740991", "9007199254740992",
        "9007199254740993", "-9007199254740993", "9223372036854775", "9223372036854776", "9223372036854775807",
        "9223372036854775808", "-9223372036854775808", "-9223372036854775809", "-9223372036854775808.0",
        "9223372036854775807.0", "18446744073709551615", "18446744073709551616", "1e2", "1E+2", "1e-2", "1.0", "1.5",
        "0.1", "0.5", "-0.5", "0.0000001", "2.5e0", "1e15", "1e18", "1e19", "-1e19", "1e300", "-1e300", "1e308",
        "1.7976931348623157e308", "1e309", "1e999", "-1e999", "1e-400", "5e-324",
        "0.00000000000000000000000000000000000000000001e60", "100000000000000000000000000000000000000000000000000",
    ]

    /// Texts that are not JSON, where a value is expected.
    public static let notJSON = [
        "NaN", "Infinity", "-Infinity", "nan", "-", "+1", "01", "-01", ".5", "1.", "1e", "1e+", "0x10", "1_000", "TRUE",
        "nul", "undefined", "'x'", "{", "}", "[", "]", "[1,]", "{\"a\":1,}", "{\"a\"}", "{a:1}", "\"", "\"\\",
        "\"\\u12", "\"\\x41\"", "\"\u{1}\"", "\"a\nb\"", "", ",", ":", "/**/1", "1 2", "\u{feff}1", "１",
    ]

    /// JSON strings with escapes that not every parser accepts.
    public static let strings = [
        #""\ud800""#, #""\udfff""#, #""\udc00\ud800""#, #""a\ud83d""#, #""\ud83d\ud83d\ude00""#, #""\u0000""#,
        #""a\u0000b""#, #""\u001f""#, #""\uffff""#, #""\ufeff""#, #""\/\b\f\n\r\t\"\\""#, #""\uD83C\uDF63""#,
    ]

    /// Texts for strings, for segments of paths and for parameters.
    public static let texts = [
        "", " ", "  ", "a", "A", "0", "1", "-1", "true", "false", "null", "NaN", "1e999", "none", "all",
        "latest", ".", "..", "../..", "a/b", "a%2Fb", "%", "%00", "%zz", "a b", "a+b", "a&b=c", "a?b", "a#b",
        "a:b", ":run", ":", "a;b", "a,b", "a|b", "\\", "'", "\"", "`", "$", "$ne", "*", "?", "{}", "[]", "{{",
        "}}", "{{tags.name}}", "{{tags.name|x}}", "{{tags.}}", "{{|}}", "<a>", "&amp;", "a\u{0}b", "a\nb",
        "a\r\nb", "\t", "\u{7f}", "é", "e\u{301}", "ß", "İ", "寿司", "🍣", "👩‍👩‍👧‍👦", "\u{202e}abc", "\u{feff}",
        "\u{fffd}", "\u{e000}", "\u{10ffff}", "\u{2028}", "phone", "tablet", "none", "news", "lesson", "match",
        "anna", "plan", "the final", "Lesson", "com.example.shop", "a001", "ab", "abc",
        "dd01", "ee02", "ff01", "00", "zz", "sandbox", "production", "test", "de", "de-AT", "en_US", "x",
        "zh-Hant-TW", "-", "2.1", "1.2.3.4.5.6.7.8", "999999999999999999999", "01.02",
        "00000000-0000-7000-8000-000000000000", "ffffffff-ffff-ffff-ffff-ffffffffffff",
        "00000000-0000-0000-0000-000000000000", "wh_0000000000000000", "0000000000000000",
        "1970-01-01T00:00:00Z", "2026-02-02T02:40:00Z", "2026-02-30T00:00:00Z", "2026-01-01T00:00:60Z",
        "2026-01-01T24:00:00Z", "2026-01-01T00:00:00.123456789Z", "2026-01-01T00:00:00+14:00",
        "9999-12-31T23:59:59Z", "0000-01-01T00:00:00Z", "0001-01-01T00:00:00Z", "10000-01-01T00:00:00Z",
        "-271821-04-20T00:00:00Z", "2026-03-29T02:30", "2026-10-25T02:30", "2036-03-20T09:00",
        "9999-12-31T23:59", "0001-01-01T00:00", "24:00", "23:59", "2026-01-01", "UTC", "Europe/Vienna",
        "America/Sao_Paulo", "Asia/Kathmandu", "Etc/GMT+14", "+02:00", "+99:99", "Mars/Olympus", "* * * * *",
        "0 0 30 2 *", "0 0 29 2 1", "*/0 * * * *", "0-59/61 * * * *", "59 23 31 12 7", "0 0 * * 1#6",
        "0 0 L * *", "0 0 15W * *", "H * * * *", "@daily", "@yearly", "@reboot", "* * * * * *", "60 * * * *",
        "https://hooks.example.com/apus", "http://127.0.0.1/", "https://[::1]/", "https://example.com:99999/",
        "https://user:password@example.com/", "ftp://example.com", "file:///etc/passwd", "https://",
        "//example.com", "https://EXAMPLE.com/%zz", "https://xn--0.example/", "/etc/passwd", "default", "alert",
        "background", "liveactivity", "location", "voip", "immediate", "key", "certificate", "bWFkZQ1==",
    ]

    /// A text, at times a long one.
    public static func text(using random: inout SeededRandom) -> String {
        switch Int.random(in: 0..<40, using: &random) {
        case 0: return String(repeating: "a", count: self.length(using: &random))
        case 1: return String(repeating: "é🍣", count: self.length(using: &random) / 6)
        case 2, 3: return self.pick(self.numbers, using: &random)
        case 4, 5: return self.pick(self.texts, using: &random) + self.pick(self.texts, using: &random)
        case 6:
            let count = Int.random(in: 0...40, using: &random)
            let scalars = (0..<count).compactMap { _ in Unicode.Scalar(UInt32.random(in: 0...0x2FFF, using: &random)) }
            return String(String.UnicodeScalarView(scalars))
        default: return self.pick(self.texts, using: &random)
        }
    }

    /// A text as a JSON value: a string, a number, or no JSON at all.
    public static func json(using random: inout SeededRandom) -> String {
        switch Int.random(in: 0..<16, using: &random) {
        case 0...5: return self.pick(self.numbers, using: &random)
        case 6...10: return self.string(self.text(using: &random))
        case 11: return self.pick(self.strings, using: &random)
        case 12: return self.pick(["null", "true", "false"], using: &random)
        case 13: return self.pick(["[]", "{}", "[[]]", "[null]", #"{"":null}"#, #"{"a":{"b":[1]}}"#], using: &random)
        case 14: return self.nested(using: &random)
        default: return self.pick(self.notJSON, using: &random)
        }
    }

    /// A text as a JSON string.
    public static func string(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": result += "\\\(scalar)"
            case "\u{0}"..."\u{1f}":
                let digits = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }

    /// A text with everything but letters, digits and `-._~` percent-encoded.
    public static func escape(_ text: String) -> String {
        var result = ""
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                result.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                let digits = String(byte, radix: 16, uppercase: true)
                result += digits.count == 1 ? "%0\(digits)" : "%\(digits)"
            }
        }
        return result
    }

    /// A text with one change: a character removed, repeated or replaced, or the end cut off.
    public static func changed(_ text: String, using random: inout SeededRandom) -> String {
        var characters = Array(text)
        guard let place = characters.indices.randomElement(using: &random) else { return self.text(using: &random) }
        switch Int.random(in: 0..<6, using: &random) {
        case 0: characters.remove(at: place)
        case 1: characters.insert(characters[place], at: place)
        case 2: characters.removeSubrange(place...)
        case 3: characters.insert(contentsOf: self.text(using: &random), at: place)
        case 4: characters[place] = self.pick(Array("0aZ-_.~:/ \u{0}é=|"), using: &random)
        default: characters.swapAt(place, characters.indices.randomElement(using: &random) ?? place)
        }
        return String(characters)
    }

    /// An element of an array that is not empty.
    public static func pick<Element>(_ elements: [Element], using random: inout SeededRandom) -> Element {
        elements[Int.random(in: 0..<elements.count, using: &random)]
    }

    /// Whether something with a probability of one in `count` happens.
    public static func chance(_ count: Int, using random: inout SeededRandom) -> Bool {
        Int.random(in: 0..<count, using: &random) == 0
    }

    private static func length(using random: inout SeededRandom) -> Int {
        // Longer bodies are refused as a whole; a few are enough.
        if self.chance(30, using: &random) { return 1_100_000 }
        let limits = [63, 64, 65, 127, 128, 129, 255, 256, 257, 1024, 1025, 4096, 4097, 16_385, 70_000]
        return self.pick(limits, using: &random)
    }

    private static func nested(using random: inout SeededRandom) -> String {
        let depth = self.pick([2, 8, 30, 62, 63, 64, 65, 66, 200, 20_000], using: &random)
        let (begin, end) = self.chance(2, using: &random) ? ("[", "]") : (#"{"a":"#, "}")
        return String(repeating: begin, count: depth) + "1" + String(repeating: end, count: depth)
    }
}
