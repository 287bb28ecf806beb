// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs

/// The life cycle of an activity's update token.
extension ActivityRecord {
    /// Looks forward to a token, or to the broadcasts of a channel, as it was asked for.
    mutating func expectUpdates(
        delay: Double,
        isWithheld: Bool,
        now: Double,
        to effects: inout [ActivityEffect]
    ) {
        switch self.pushType {
        case .none: break
        case .channel(let channel):
            effects.append(.subscribe(self.id, channel: channel))
            self.note(.subscribed, .system, at: now, detail: "channel \(channel)", to: &effects)
        case .token where isWithheld:
            self.token.phase = .withheld
            self.note(.tokenWithheld, .system, at: now, detail: "requires the user's Allow", to: &effects)
        case .token:
            self.token.phase = .due(now + delay)
            self.issueTokenIfDue(now: now, to: &effects)
        }
    }

    /// Issues the update token after the user tapped Allow.
    mutating func allowToken(now: Double, to effects: inout [ActivityEffect]) {
        guard self.token.phase == .withheld else { return }
        self.token.phase = .due(now)
        self.issueTokenIfDue(now: now, to: &effects)
    }

    /// Asks the world for the token, or for the next one, once its time has come.
    mutating func issueTokenIfDue(now: Double, to effects: inout [ActivityEffect]) {
        switch self.token.phase {
        case .due(let time) where time <= now, .issued(rotatesAt: .some(let time)) where time <= now:
            self.requestToken(to: &effects)
        default: break
        }
    }

    /// Asks the world for a token, in the place of the one that there is.
    mutating func requestToken(to effects: inout [ActivityEffect]) {
        if let key = self.token.key { effects.append(.endToken(key)) }
        self.token.phase = .issued(rotatesAt: nil)
        effects.append(.issueToken(self.id))
    }

    /// Stores the token that the world generated.
    mutating func takeToken(
        _ key: TokenKey,
        switches: ActivityOptions,
        now: Double,
        to effects: inout [ActivityEffect]
    ) {
        let isRotated = self.token.key != nil
        self.token.key = key
        // An activity that has ended in the meantime keeps to the end of its token.
        if case .issued = self.token.phase {
            self.token.phase = .issued(rotatesAt: switches.tokenRotation.map { now + $0 })
        }
        let hex = Hex.text(key.bytes)
        self.note(
            .tokenIssued,
            .system,
            at: now,
            detail: isRotated ? "replaces the previous one" : nil,
            to: &effects
        )
        effects.append(
            .appCall(
                self.device,
                bundleID: self.bundleID,
                call: .activityToken,
                details: ["activity": self.id.rawValue, "token": hex]
            )
        )
    }

    /// Lets the token run out.
    mutating func endToken(_ switches: ActivityOptions, now: Double, to effects: inout [ActivityEffect]) {
        switch self.token.phase {
        case .issued:
            self.token.phase = .ending(now + switches.tokenLifeAfterEnd)
            self.closeTokenIfDue(now: now, to: &effects)
        case .due, .withheld: self.token.phase = .ended
        case .none, .ending, .ended: break
        }
    }

    /// Expires the token if it is due; the response for it becomes 410.
    mutating func closeTokenIfDue(now: Double, to effects: inout [ActivityEffect]) {
        guard case .ending(let time) = self.token.phase, time <= now else { return }
        self.token.phase = .ended
        if let key = self.token.key { effects.append(.endToken(key)) }
        self.note(.tokenEnded, .system, at: now, detail: "the response is 410 ExpiredToken from now on", to: &effects)
    }
}
