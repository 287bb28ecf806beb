// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs

/// The place of a registration in its table.
struct RegistrationIndex: Hashable, Sendable {
    let rawValue: Int32
}

/// One device token: what it stands for, and since when it does no longer.
struct Registration: Sendable {
    var device: DeviceIndex
    var topic: TopicIndex
    var environment: APNsEnvironment
    /// Milliseconds since 1970; 0 while the token is active.
    fileprivate(set) var inactiveMilliseconds: Int64 = 0

    init(device: DeviceIndex, topic: TopicIndex, environment: APNsEnvironment) {
        self.device = device
        self.topic = topic
        self.environment = environment
    }

    /// When the token became inactive, in milliseconds since 1970.
    var inactiveSince: Int64? { self.inactiveMilliseconds == 0 ? nil : self.inactiveMilliseconds }
}

/// Every device token there ever was, found by its bytes.
///
/// Tokens that became inactive stay, since they are answered 410.
struct RegistrationTable: Sendable {
    private var rows: [Registration] = []
    private var standard: [StandardToken: RegistrationIndex] = [:]
    private var others: [[UInt8]: RegistrationIndex] = [:]

    /// The registration of a token.
    func index(of key: TokenKey) -> RegistrationIndex? {
        switch key {
        case .standard(let token): self.standard[token]
        case .other(let bytes): self.others[bytes]
        }
    }

    subscript(index: RegistrationIndex) -> Registration { self.rows[Int(index.rawValue)] }

    /// How many tokens there are, active or not.
    var count: Int { self.rows.count }

    /// Makes room for more tokens at once.
    mutating func reserve(_ additional: Int) {
        self.rows.reserveCapacity(self.rows.count + additional)
        self.standard.reserveCapacity(self.standard.count + additional)
    }

    /// Adds a token that is active from now on.
    mutating func add(_ registration: Registration, key: TokenKey) -> RegistrationIndex {
        let index = RegistrationIndex(rawValue: Int32(self.rows.count))
        self.rows.append(registration)
        switch key {
        case .standard(let token): self.standard[token] = index
        case .other(let bytes): self.others[bytes] = index
        }
        return index
    }

    /// Ends a token.
    ///
    /// A second time changes nothing.
    mutating func deactivate(_ index: RegistrationIndex, milliseconds: Int64) {
        guard self.rows[Int(index.rawValue)].inactiveMilliseconds == 0 else { return }
        self.rows[Int(index.rawValue)].inactiveMilliseconds = milliseconds
    }
}
