// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// How many phones of an activity have come how far.
public struct ActivityPhones: Hashable, Sendable {
    /// How many were sent the push that starts it and have not told a token.
    public var invited: Int

    /// How many are sent updates.
    public var active: Int

    /// How many are sent nothing any more.
    public var gone: Int

    /// How many of those that are sent updates were not sent the newest version yet.
    public var behind: Int

    /// Takes the numbers; by default there are no phones.
    public init(invited: Int = 0, active: Int = 0, gone: Int = 0, behind: Int = 0) {
        self.invited = invited
        self.active = active
        self.gone = gone
        self.behind = behind
    }
}
