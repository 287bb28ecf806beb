// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

package import PushModel

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

extension ActivityTables {
    /// An app has told that a phone shows an activity no more; see ``ActivityStore/leave(_:from:of:now:)``.
    package func leave(
        _ departure: ActivityDeparture,
        from activity: ActivityID,
        of app: AppID,
        now: Date,
        signalling changes: inout [StoreChange]
    ) throws -> Bool {
        let number = try self.number(ofApp: app)
        guard let row = try self.activityRows([activity], app: number).first, !row.lifecycle.state.isOver,
            var phone = try self.participantRows([departure.installation], ofActivity: row.number).first,
            phone.participant.leave(departure, now: now)
        else { return false }
        var round = ActivityRound(app: number, appID: app, now: now)
        round.load(row)
        round.changed[phone.number] = phone
        round.tellOfGone(phone, reason: departure.reason.rawValue)
        _ = try round.finish(on: self, signalling: &changes)
        return true
    }
}

extension ActivityRound {
    /// Notes and tells that a phone is sent nothing any more; of very many phones there are counts.
    mutating func tellOfGone(_ phone: ParticipantRow, reason: String) {
        guard let row = self.rows[phone.activity], row.namesParticipants else { return }
        let installation = phone.participant.installation
        self.note(.participantGone, of: phone.activity, installation: installation, detail: reason)
        self.events.append(.gone(installation, from: row.id, of: row.appID, reason: reason, time: self.now))
    }
}
