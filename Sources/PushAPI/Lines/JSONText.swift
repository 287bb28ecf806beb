// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

extension [UInt8] {
    /// Adds a JSON string whose content is UTF-8, as far as these bytes are.
    mutating func append(jsonString content: some Sequence<UInt8>) {
        self.append(UInt8(ascii: "\""))
        for byte in content {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                self.append(UInt8(ascii: "\\"))
                self.append(byte)
            case 0..<0x20:
                let digits: StaticString = "0123456789abcdef"
                self.append(contentsOf: "\\u00".utf8)
                self.append(digits.utf8Start[Int(byte >> 4)])
                self.append(digits.utf8Start[Int(byte & 0x0F)])
            default: self.append(byte)
            }
        }
        self.append(UInt8(ascii: "\""))
    }

    /// Adds a member of a JSON object whose value is a string, behind a comma unless it is the first one.
    mutating func append(jsonMember name: String, _ content: some Sequence<UInt8>) {
        self.append(jsonName: name)
        self.append(jsonString: content)
    }

    /// Adds the name of a member of a JSON object, behind a comma unless it is the first one.
    mutating func append(jsonName name: String) {
        if self.last != UInt8(ascii: "{") { self.append(UInt8(ascii: ",")) }
        self.append(jsonString: name.utf8)
        self.append(UInt8(ascii: ":"))
    }
}
