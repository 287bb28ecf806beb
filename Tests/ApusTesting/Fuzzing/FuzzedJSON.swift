// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs

/// A JSON text as a tree that can also hold what a parser never returns: repeated members, and values that are not JSON.
public enum FuzzedJSON: Sendable {
    /// The text of a value, such as `1e999`.
    case text(String)
    /// An array.
    case array([FuzzedJSON])
    /// An object.
    case object([Member])

    /// A member of an object.
    public struct Member: Sendable {
        /// The name as JSON text, with its quotation marks.
        public var name: String

        /// The value.
        public var value: FuzzedJSON

        /// A member of this name, which is plain text here.
        public init(_ name: String, _ value: FuzzedJSON) {
            self.name = FuzzedText.string(name)
            self.value = value
        }
    }

    /// The tree of a value.
    public init(_ value: JSONValue) {
        switch value {
        case .array(let elements): self = .array(elements.map { FuzzedJSON($0) })
        case .object(let members):
            // Sorted, so that a seed makes the same changes in each process.
            self = .object(members.sorted { $0.key < $1.key }.map { Member($0.key, FuzzedJSON($0.value)) })
        case .string(let text): self = .text(FuzzedText.string(text))
        default: self = .text(value.line)
        }
    }

    /// The text.
    public var written: String {
        switch self {
        case .text(let text): text
        case .array(let elements): "[" + elements.map(\.written).joined(separator: ",") + "]"
        case .object(let members): "{" + members.map { "\($0.name):\($0.value.written)" }.joined(separator: ",") + "}"
        }
    }

    /// The values below this one, and itself.
    var parts: [FuzzedJSON] {
        switch self {
        case .text: [self]
        case .array(let elements): [self] + elements.flatMap(\.parts)
        case .object(let members): [self] + members.flatMap(\.value.parts)
        }
    }

    fileprivate var isContainer: Bool {
        if case .text = self { false } else { true }
    }
}

/// Changes JSON texts at random.
public struct JSONMutator {
    /// The random numbers of the changes.
    public var random: SeededRandom

    /// Values of other documents, which can replace those of this one.
    private let donors: [FuzzedJSON.Member]

    /// A mutator that takes values from the members of other documents.
    public init(_ random: SeededRandom, donors: [FuzzedJSON.Member] = []) {
        self.random = random
        self.donors = donors
    }

    /// All members of documents and of the objects in them, for ``init(_:donors:)``.
    public static func members(of documents: [FuzzedJSON]) -> [FuzzedJSON.Member] {
        documents.flatMap(\.parts).flatMap { part -> [FuzzedJSON.Member] in
            if case .object(let members) = part { members } else { [] }
        }
    }

    /// The document with up to three changes; unchanged if there are none.
    public mutating func mutate(_ document: FuzzedJSON, changes: ClosedRange<Int> = 1...3) -> FuzzedJSON {
        var result = document
        for _ in 0..<Int.random(in: changes, using: &self.random) {
            // There are fewer objects and arrays than values in them.
            let containers = self.chance(3)
            let count = result.parts.count { !containers || $0.isContainer }
            guard count > 0 else { continue }
            var place = Int.random(in: 0..<count, using: &self.random)
            result = self.change(result, at: &place, containers: containers)
        }
        return result
    }

    /// The bytes of a text, at times with a few that are wrong.
    public mutating func bytes(_ text: String) -> [UInt8] {
        var bytes = Array(text.utf8)
        guard self.chance(12) else { return bytes }
        for _ in 0..<Int.random(in: 1...3, using: &self.random) {
            guard let place = bytes.indices.randomElement(using: &self.random) else { break }
            switch Int.random(in: 0..<5, using: &self.random) {
            case 0: bytes[place] ^= 1 << UInt8.random(in: 0...7, using: &self.random)
            case 1: bytes[place] = .random(in: 0...255, using: &self.random)
            case 2: bytes.remove(at: place)
            case 3: bytes.insert(FuzzedText.pick([0, 0x80, 0xC0, 0xED, 0xF8, 0xFF], using: &self.random), at: place)
            default: bytes.removeSubrange(place...)
            }
        }
        return bytes
    }

    /// The tree with a change of the value at a place, counted in the order of the text.
    private mutating func change(_ value: FuzzedJSON, at place: inout Int, containers: Bool) -> FuzzedJSON {
        if !containers || value.isContainer {
            place -= 1
            if place == -1 { return self.changed(value) }
        }
        guard place >= 0 else { return value }
        switch value {
        case .text: return value
        case .array(var elements):
            for index in elements.indices {
                elements[index] = self.change(elements[index], at: &place, containers: containers)
            }
            return .array(elements)
        case .object(var members):
            for index in members.indices {
                members[index].value = self.change(members[index].value, at: &place, containers: containers)
            }
            return .object(members)
        }
    }

    private mutating func changed(_ value: FuzzedJSON) -> FuzzedJSON {
        switch Int.random(in: 0..<12, using: &self.random) {
        case 0: return .array([value])
        case 1: return .object([FuzzedJSON.Member(self.name(), value)])
        case 2: return self.donor() ?? .text("null")
        case 3, 4: return .text(FuzzedText.json(using: &self.random))
        default: break
        }
        switch value {
        case .text(let text): return .text(self.changed(text))
        case .array(let elements): return .array(self.changed(elements))
        case .object(let members): return .object(self.changed(members))
        }
    }

    private mutating func changed(_ text: String) -> String {
        guard self.chance(2) else { return FuzzedText.json(using: &self.random) }
        if text.first == "\"", text.count >= 2 {
            return FuzzedText.string(FuzzedText.changed(String(text.dropFirst().dropLast()), using: &self.random))
        }
        switch Int.random(in: 0..<7, using: &self.random) {
        case 0: return "-" + text
        case 1: return text + "0"
        case 2: return text + ".0"
        case 3: return text + "e0"
        case 4: return text + "e30"
        case 5: return "\"" + text + "\""
        default: return text + ".5"
        }
    }

    private mutating func changed(_ elements: [FuzzedJSON]) -> [FuzzedJSON] {
        var elements = elements
        guard let place = elements.indices.randomElement(using: &self.random) else {
            return [self.donor() ?? .text("null")]
        }
        switch Int.random(in: 0..<5, using: &self.random) {
        case 0: elements.remove(at: place)
        case 1: elements.insert(elements[place], at: place)
        case 2: elements.insert(.text(FuzzedText.json(using: &self.random)), at: place)
        case 3:
            let isShort = elements[place].written.utf8.count < 1000
            elements = Array(repeating: elements[place], count: isShort && self.chance(8) ? 1001 : 3)
        default: elements.removeAll()
        }
        return elements
    }

    private mutating func changed(_ members: [FuzzedJSON.Member]) -> [FuzzedJSON.Member] {
        var members = members
        guard let place = members.indices.randomElement(using: &self.random) else {
            return [FuzzedJSON.Member(self.name(), self.donor() ?? .text("null"))]
        }
        switch Int.random(in: 0..<8, using: &self.random) {
        case 0, 1: members.remove(at: place)
        case 2: members.append(members[place])
        case 3:
            var member = members[place]
            member.value = .text(FuzzedText.json(using: &self.random))
            members.append(member)
        case 4: members[place].name = FuzzedText.string(self.name())
        case 5: members[place].name = FuzzedText.pick(FuzzedText.strings, using: &self.random)
        case 6:
            if let donor = self.donors.randomElement(using: &self.random) { members.append(donor) }
        default: members.swapAt(place, members.indices.randomElement(using: &self.random) ?? place)
        }
        return members
    }

    private mutating func donor() -> FuzzedJSON? { self.donors.randomElement(using: &self.random)?.value }

    private mutating func name() -> String { FuzzedText.text(using: &self.random) }

    private mutating func chance(_ count: Int) -> Bool { FuzzedText.chance(count, using: &self.random) }
}
