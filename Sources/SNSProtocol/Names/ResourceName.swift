// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// The rules of names of topics and applications.
public enum ResourceName {
    /// How many characters a name has.
    public static let sizes = 1...256

    /// What ends the name of a FIFO topic.
    static let fifoSuffix = ".fifo"

    /// Checks the name of a new topic.
    ///
    /// - Throws: ``SNSError`` `InvalidParameter`, also where the suffix `.fifo` and the attribute do not agree.
    public static func checkTopic(_ name: String, isFIFO: Bool) throws(SNSError) {
        guard self.isTopic(name), name.hasSuffix(self.fifoSuffix) == isFIFO else {
            throw .invalidParameter("Topic Name")
        }
    }

    /// Whether a text can be a topic's name: 1...256 of `A-Za-z0-9_-`, with or without `.fifo` behind it.
    static func isTopic(_ name: String) -> Bool {
        let stem = name.hasSuffix(self.fifoSuffix) ? name.dropLast(self.fifoSuffix.count) : name[...]
        return self.sizes.contains(name.utf8.count) && !stem.isEmpty && stem.utf8.allSatisfy(self.isWordByte)
    }

    /// Checks the name of a new application: 1...256 of `A-Za-z0-9_.-`.
    ///
    /// - Throws: ``SNSError`` `InvalidParameter`; the name itself stands where others have the parameter.
    public static func checkApplication(_ name: String) throws(SNSError) {
        guard !name.isEmpty else { throw .invalidParameter("", reason: "cannot be empty") }
        guard name.count <= self.sizes.upperBound else {
            throw .invalidParameter(name.cut, reason: "must be at most 256 characters long")
        }
        guard self.isApplication(name) else {
            throw .invalidParameter(
                name,
                reason: "must contain only characters 'a'-'z', 'A'-'Z', '0'-'9', '_', '-', and '.'"
            )
        }
    }

    /// Whether a text can be an application's name.
    static func isApplication(_ name: String) -> Bool {
        self.sizes.contains(name.utf8.count)
            && name.utf8.allSatisfy { self.isWordByte($0) || $0 == UInt8(ascii: ".") }
    }

    /// Whether a text can be the id at the end of an ARN: 1...64 of `A-Za-z0-9_-`.
    static func isIdentifier(_ text: some StringProtocol) -> Bool {
        (1...64).contains(text.utf8.count) && text.utf8.allSatisfy(self.isWordByte)
    }

    /// Whether a text can be the id of an endpoint: 1...192 of `A-Za-z0-9_-`.
    public static func isEndpointIdentifier(_ text: some StringProtocol) -> Bool {
        (1...192).contains(text.utf8.count) && text.utf8.allSatisfy(self.isWordByte)
    }

    /// Whether a byte is a letter, a digit, `_` or `-`.
    static func isWordByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"),
            UInt8(ascii: "-"):
            true
        default: self.isDigit(byte)
        }
    }

    /// Whether a byte is `0` to `9`.
    static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
}
