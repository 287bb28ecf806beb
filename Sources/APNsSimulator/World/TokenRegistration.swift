// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs

/// The place of a registration: a row of its table, or a number of the population.
struct RegistrationIndex: Hashable, Sendable, Codable, BitwiseCopyable {
    let rawValue: Int32

    init(rawValue: Int32) {
        self.rawValue = rawValue
    }

    /// The registration of a device of the population.
    init(populationNumber: Int) {
        self.rawValue = -1 - Int32(populationNumber)
    }

    /// The number in the population; `nil` for a row of the table.
    var populationNumber: Int? { self.rawValue < 0 ? Int(-1 - self.rawValue) : nil }
}

/// One device token: its device, app and topic, and the time at which it was unregistered.
struct TokenRegistration: Sendable, BitwiseCopyable {
    var device: DeviceIndex
    var topic: TopicIndex
    /// Milliseconds since 1970; 0 while the token is active.
    fileprivate(set) var inactiveMilliseconds: Int64 = 0
    private var flags: Flags

    /// Boolean properties; any byte of a document is a valid value.
    private struct Flags: OptionSet, BitwiseCopyable {
        let rawValue: UInt8
        static let production = Flags(rawValue: 1)
        static let expired = Flags(rawValue: 2)
        static let long = Flags(rawValue: 4)
        static let given = Flags(rawValue: 8)
    }

    init(device: DeviceIndex, topic: TopicIndex, environment: APNsEnvironment, isLong: Bool = false) {
        self.device = device
        self.topic = topic
        self.flags = environment == .production ? .production : []
        if isLong { self.flags.insert(.long) }
    }

    var environment: APNsEnvironment { self.flags.contains(.production) ? .production : .sandbox }

    /// Whether the response is `ExpiredToken` once it is inactive.
    fileprivate(set) var isExpired: Bool {
        get { self.flags.contains(.expired) }
        set { if newValue { self.flags.insert(.expired) } else { self.flags.remove(.expired) } }
    }

    /// Whether the token has 80 bytes.
    var isLong: Bool { self.flags.contains(.long) }

    /// Whether the token was given and not computed.
    var isGiven: Bool { self.flags.contains(.given) }

    fileprivate mutating func markGiven() { self.flags.insert(.given) }

    /// When the token became inactive, in milliseconds since 1970.
    var inactiveSince: Int64? { self.inactiveMilliseconds == 0 ? nil : self.inactiveMilliseconds }

    /// The response for an inactive token.
    var inactiveReason: RejectionReason { self.isExpired ? .expiredToken : .unregistered }
}

/// All device tokens that were issued outside the population, indexed by their bytes.
///
/// Tokens are computed from their rows and not stored; inactive ones stay, because the response for them is 410.
struct RegistrationTable: Sendable {
    private var rows = ChunkedArray<TokenRegistration>()
    /// The types of tokens whose topic does not determine it.
    private var kinds: [RegistrationIndex: TokenKind] = [:]
    /// Tokens that were not computed.
    private var given: [TokenKey: RegistrationIndex] = [:]
    private var givenTokens: [RegistrationIndex: TokenKey] = [:]
    /// When tokens of the population became inactive, in milliseconds since 1970.
    private var populationEnds: [RegistrationIndex: Int64] = [:]
    private let cipher: TokenGenerator

    /// A table without tokens; the same seed issues the same ones.
    init(seed: UInt64) {
        self.cipher = TokenGenerator(seed: seed)
    }

    /// How many tokens there are, active or not.
    var count: Int { self.rows.count }

    subscript(index: RegistrationIndex) -> TokenRegistration { self.rows[Int(index.rawValue)] }

    func isValid(_ index: RegistrationIndex) -> Bool { index.rawValue >= 0 && Int(index.rawValue) < self.rows.count }

    func index(of key: TokenKey) -> RegistrationIndex? { self.given(key) ?? self.computed(key) }

    /// The registration of a token that was given, whether one like it is computed or not.
    func given(_ key: TokenKey) -> RegistrationIndex? { self.given.isEmpty ? nil : self.given[key] }

    /// The registration of a token that was computed.
    func computed(_ key: TokenKey) -> RegistrationIndex? {
        let number: UInt64?
        switch key {
        case .standard(let token): number = self.cipher.number(token)
        case .other(let bytes): number = self.cipher.number(longToken: bytes)
        }
        guard let number, number < UInt64(self.rows.count) else { return nil }
        let row = self.rows[Int(number)]
        guard !row.isGiven, row.isLong == key.isLong else { return nil }
        return RegistrationIndex(rawValue: Int32(number))
    }

    func token(of index: RegistrationIndex) -> TokenKey {
        if let token = self.givenTokens[index] { return token }
        let number = UInt64(index.rawValue)
        return self.rows[Int(index.rawValue)].isLong
            ? .other(self.cipher.longToken(number)) : .standard(self.cipher.token(number))
    }

    /// The type of a token whose topic does not determine it.
    func kind(of index: RegistrationIndex) -> TokenKind? { self.kinds.isEmpty ? nil : self.kinds[index] }

    /// Issues a token that is active from now on.
    ///
    /// `kind` is its type, if the topic does not determine it. Without `token`, one is generated; a `token` that was
    /// issued before belongs to this registration from now on.
    mutating func add(
        _ registration: TokenRegistration,
        kind: TokenKind? = nil,
        token: TokenKey? = nil
    ) -> RegistrationIndex {
        let index = RegistrationIndex(rawValue: Int32(self.rows.count))
        var registration = registration
        if let token {
            registration.markGiven()
            self.given[token] = index
            self.givenTokens[index] = token
        }
        self.rows.append(registration)
        if let kind { self.kinds[index] = kind }
        return index
    }

    /// Ends a token.
    ///
    /// Returns whether it was active; a second time changes nothing.
    mutating func deactivate(_ index: RegistrationIndex, milliseconds: Int64, isExpired: Bool = false) -> Bool {
        guard index.populationNumber == nil else {
            guard self.populationEnds[index] == nil else { return false }
            self.populationEnds[index] = milliseconds
            return true
        }
        guard self.rows[Int(index.rawValue)].inactiveMilliseconds == 0 else { return false }
        self.rows[Int(index.rawValue)].inactiveMilliseconds = milliseconds
        self.rows[Int(index.rawValue)].isExpired = isExpired
        return true
    }

    /// When a token of the population became inactive, in milliseconds since 1970.
    func populationEnd(_ index: RegistrationIndex) -> Int64? {
        self.populationEnds.isEmpty ? nil : self.populationEnds[index]
    }

    /// Holds rows against the tables that they point into, after they were read from a document.
    func check(_ devices: DeviceTable, _ topics: TopicTable) throws(SnapshotError) {
        for index in 0..<self.rows.count {
            let row = self.rows[index]
            guard devices.isValid(row.device), topics.isValid(row.topic) else {
                throw SnapshotError(path: "world.registrations[\(index)]", rule: "a known device and topic")
            }
        }
        for index in [Array(self.kinds.keys), Array(self.given.values)].joined() where !self.isValid(index) {
            throw SnapshotError(path: "world.registrations", rule: "known rows")
        }
    }
}

extension RegistrationTable: Codable {}

extension TokenKey {
    /// Whether it is no token of 32 bytes.
    fileprivate var isLong: Bool { if case .other = self { true } else { false } }
}

/// The state of a registration, as input for the rules.
struct TokenStatus {
    var topic: TopicIndex
    var environment: APNsEnvironment
    /// When the token became inactive, in milliseconds since 1970; `nil` while it is active.
    var inactiveSince: Int64?
    /// The response for an inactive token.
    var inactiveReason: RejectionReason
}

/// The type of a device token.
enum TokenKind: Codable, Hashable, Sendable {
    /// Notifications of an app.
    case app
    /// One push type of an app, such as `voip` or `widgets`.
    case pushType(String)
    /// One Live Activity.
    case activity(ActivityID)
    /// Starting Live Activities of one attributes type.
    case pushToStart(attributesType: String)
}

/// The place of a topic in its table.
struct TopicIndex: Hashable, Sendable, Codable, BitwiseCopyable {
    let rawValue: Int32
}

/// A topic that has a token.
struct TopicRecord: Sendable {
    var name: String
    /// The same as UTF-8, to compare with a request's.
    var bytes: [UInt8]
    /// The app: the topic without its push type's suffix.
    var bundleID: String
    /// The type of a usual token of this topic.
    var kind: TokenKind

    init(name: String) {
        self.name = name
        self.bytes = Array(name.utf8)
        self.bundleID = PushTypeRules.bundleID(of: name)
        let suffix = Array(name.dropFirst(self.bundleID.count).utf8)
        let kind = PushTypeRules.all.first { $0.suffix == suffix }
        self.kind = kind.flatMap { suffix.isEmpty ? nil : .pushType($0.pushType.rawValue) } ?? .app
    }
}

/// Every topic once, so that a token needs four bytes for its own.
struct TopicTable: Sendable {
    private var rows: [TopicRecord] = []
    private var indices: [String: TopicIndex] = [:]

    subscript(index: TopicIndex) -> TopicRecord {
        _read { yield self.rows[Int(index.rawValue)] }
    }

    func isValid(_ index: TopicIndex) -> Bool { self.rows.indices.contains(Int(index.rawValue)) }

    /// The place of a topic; it is added where it is new.
    mutating func index(of name: String) -> TopicIndex {
        if let index = self.indices[name] { return index }
        let index = TopicIndex(rawValue: Int32(self.rows.count))
        self.rows.append(TopicRecord(name: name))
        self.indices[name] = index
        return index
    }
}

extension TopicTable: Codable {
    init(from decoder: any Decoder) throws {
        for name in try decoder.singleValueContainer().decode([String].self) { _ = self.index(of: name) }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(self.rows.map(\.name))
    }
}
