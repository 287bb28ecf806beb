// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import PushModel

extension ActivityWrites {
    /// Sends the latest state to all devices, or to the first page of them; ``ActivityStore/sendOnActivities(now:)``
    /// continues.
    mutating func send(entry: Int, on snapshot: ActivitySnapshot) {
        guard self.row.joined > 0 else { return }
        guard snapshot.pageSize == nil else {
            // If an earlier change is being sent, continue at its place, so that no device is skipped.
            self.row.sendingOn = .init(place: self.row.sendingOn?.place ?? 0, left: self.row.joined)
            return self.sendNext(entry: entry, on: snapshot)
        }
        for device in snapshot.participants { self.send(to: device, entry: entry, on: snapshot) }
    }

    mutating func sendNext(entry: Int, on snapshot: ActivitySnapshot) {
        guard var sendingOn = self.row.sendingOn else { return }
        if let pageSize = snapshot.pageSize, pageSize > 0 {
            sendingOn.left -= pageSize
            sendingOn.place = snapshot.participants.last?.number ?? 0
            for device in snapshot.participants { self.send(to: device, entry: entry, on: snapshot) }
        }
        self.entries[entry].pending += max(0, sendingOn.left)
        self.row.sendingOn = sendingOn.left > 0 ? sendingOn : nil
        self.isChanged = true
    }

    /// Sends the latest state to a device, unless it was sent that or waits for an outcome.
    ///
    /// `place` is its index in ``participants``; `nil` if nothing of it changed before.
    private mutating func send(
        to device: ParticipantRow,
        at place: Int? = nil,
        entry: Int,
        on snapshot: ActivitySnapshot
    ) {
        var device = device
        if device.participant.expire(now: self.now) { self.write(device, at: place) }
        guard let target = device.participant.target,
            device.participant.lastSentVersion < self.row.lifecycle.version
        else { return }
        var sendAt: Date?
        var isInFlight = false
        let batch = device.batch.flatMap { snapshot.batches[$0] }
        if let lifecycle = batch?.lifecycle, !lifecycle.state.isFinal, !lifecycle.isSettled(device.position) {
            if let time = lifecycle.waitingTime(of: device.position) {
                // The next full second, so that devices that wait about as long share a batch.
                let seconds = (StoredLimit.clamp(time.millisecondsSince1970) + 999) / 1000
                sendAt = Date(millisecondsSince1970: seconds * 1000)
            } else {
                isInFlight = true
            }
        }
        // A deferred push has not reached the device, so the push that replaces it has its alert.
        let shown = sendAt == nil ? device.participant.lastSentVersion : device.participant.formerVersion
        guard let payload = self.payload(after: shown) else { return }
        if let batch, isInFlight {
            self.waiting.append((batch.id, device.position, device.number))
            self.entries[entry].pending += 1
            return
        }
        // The latest state supersedes the deferred push, and waits in its place.
        if let batch, sendAt != nil { self.superseded.append((batch, device.position)) }
        let channel = device.participant.origin == .channel ? self.row.channel : nil
        var priority = self.row.lifecycle.priority(after: shown)
        // A channel has a separate budget.
        if priority == .immediate, device.participant.origin != .channel {
            var cost = self.entries[entry].cost ?? BudgetImpact()
            let budget = self.row.lifecycle.budget ?? PushBudget()
            if !cost.add(device.participant, of: budget, now: self.now) { priority = .powerConsiderate }
            self.entries[entry].cost = cost
        }
        if channel == nil, priority == .immediate { device.participant.recent.add(now: self.now) }
        device.participant.lastSentVersion = self.row.lifecycle.version
        device.participant.formerVersion = shown
        self.pushes.append(
            Push(
                participant: self.write(device, at: place, as: .sent),
                entry: entry,
                target: target,
                payload: payload,
                group: PushGroup(priority: priority, sendAt: sendAt, broadcast: channel?.policy)
            )
        )
    }

    /// Writes a device; returns its index in ``participants``.
    @discardableResult
    private mutating func write(_ device: ParticipantRow, at place: Int?, as kind: Participant.Kind = .changed) -> Int {
        guard let place else {
            self.participants.append(Participant(row: device, kind: kind))
            return self.participants.count - 1
        }
        self.participants[place].row = device
        return place
    }

    /// The push for a device that shows a version.
    private mutating func payload(after shown: Int) -> APNsPayload? {
        let version = self.row.lifecycle.version
        let hasAlert = self.row.lifecycle.alert.map { $0.version > shown } ?? false
        if let last = self.payload, last.version == version, last.hasAlert == hasAlert { return last.payload }
        guard let payload = self.row.lifecycle.payload(after: shown) else { return nil }
        self.payload = (version, hasAlert, payload)
        return payload
    }

    // MARK: - Devices

    /// Adds the channel of a new activity, to which its changes are broadcast.
    package mutating func addChannel() throws {
        guard let channel = self.row.channel else { return }
        try self.add(ActivityParticipant(channel, version: self.row.lifecycle.version, now: self.now))
    }

    @discardableResult
    private mutating func add(_ participant: ActivityParticipant) throws -> Int {
        let row = ParticipantRow(number: try self.row.nextParticipant(), participant: participant)
        self.isChanged = true
        return self.write(row, at: nil, as: .added)
    }

    mutating func receive(_ upload: UpdateTokenRegistration, on snapshot: ActivitySnapshot) throws {
        self.isChanged = true
        var arrival = ActivityParticipant.Arrival.arrived
        var place: Int?
        var device: ParticipantRow
        if let known = snapshot.participants.first {
            device = known
            arrival = device.participant.receive(upload, joining: self.row.lifecycle, now: self.now)
            if device.participant != known.participant { place = self.write(device, at: nil) }
        } else {
            let added = try self.add(ActivityParticipant(upload, joining: self.row.lifecycle, now: self.now))
            device = self.participants[added].row
            place = added
        }
        if let startedAt = device.participant.startedAt, self.row.channel == nil {
            self.row.lifecycle.start(at: startedAt)
        }
        let kind: TimelineEntry.Kind =
            switch arrival {
            case .known: .pendingUpdatesSent
            case .arrived: .tokenReceived
            case .rotated: .tokenRotated
            }
        let entry = self.note(kind, installation: upload.installation)
        // With very many devices, an entry for each would remove all earlier entries.
        self.entries[entry].isTold = self.row.namesParticipants
        self.send(to: device, at: place, entry: entry, on: snapshot)
    }

    mutating func leave(_ departure: ActivityEndReport, on snapshot: ActivitySnapshot) {
        guard !self.row.lifecycle.state.isOver, var device = snapshot.participants.first,
            device.participant.leave(departure, now: self.now)
        else { return }
        self.write(device, at: nil)
        self.noteEnd(of: device, reason: departure.reason.rawValue)
    }

    /// Starts the activity on devices that do not participate, or on which an earlier start failed.
    mutating func start(
        _ activity: Activity,
        on installations: [DeviceID],
        sendAt: Date?,
        isRollout: Bool,
        _ snapshot: ActivitySnapshot
    ) throws {
        self.isChanged = true
        let entry = self.note(.started, telling: isRollout ? [] : activity.beginning)
        // The timeline has one entry for the whole rollout, at its end.
        self.entries[entry].isTold = !isRollout
        let known = snapshot.participants.filter { $0.participant.origin != .channel }
        let again = Dictionary(known.filter(\.canBeStarted).map { ($0.participant.installation, $0) }) { $1 }
        var seen = Set(known.map(\.participant.installation)).subtracting(again.keys)
        self.started.counts.alreadyParticipating = seen.count
        // As far as APNs reported.
        let hasChannel = !snapshot.participants.contains { device in
            if case .ended = device.participant.state { device.participant.origin == .channel } else { false }
        }
        var payloads: [LiveActivityInput: APNsPayload] = [:]
        let version = self.row.lifecycle.version
        for installation in installations where seen.insert(installation).inserted {
            guard let token = snapshot.startTokens[installation] else {
                self.started.counts.withoutToken += 1
                self.started.notStartable.append(installation)
                continue
            }
            // The device cannot subscribe to the channel, or not register a token as the activity wants.
            guard let input = activity.input(for: token, hasChannel: hasChannel),
                let payload = payloads[input] ?? activity.startPayload(input)
            else {
                self.started.counts.otherEnvironment += 1
                self.started.notStartable.append(installation)
                continue
            }
            payloads[input] = payload
            let place: Int
            if var device = again[installation] {
                device.participant.start(with: token, version: version)
                place = self.write(device, at: nil)
            } else {
                place = try self.add(ActivityParticipant(starting: token, version: version, now: self.now))
            }
            // If the start fails and the device joins nevertheless, it is sent the latest alert, and no earlier one.
            self.participants[place].row.participant.formerVersion = max(0, version - 1)
            // A start is sent to another token. It is unknown whether Apple counts it.
            self.pushes.append(
                Push(
                    participant: place,
                    entry: entry,
                    target: token.target,
                    payload: payload,
                    group: PushGroup(priority: self.row.lifecycle.priority, sendAt: sendAt)
                )
            )
            self.started.counts.startsSent += 1
        }
        if !payloads.isEmpty, self.row.channel == nil { self.row.lifecycle.recordStart(at: self.now) }
    }

    // MARK: - Outcomes

    mutating func handle(
        _ failures: [PushFailure],
        of batch: BatchID,
        waiting: Set<Int64>,
        on snapshot: ActivitySnapshot
    ) {
        let devices = Dictionary(snapshot.participants.map { ($0.number, $0) }) { first, _ in first }
        var places: [Int64: Int] = [:]
        var behind = waiting
        for failure in failures {
            let place = places[failure.participant]
            guard var device = place.map({ self.participants[$0].row }) ?? devices[failure.participant] else {
                continue
            }
            let isLast = device.batch == batch && device.position == failure.position
            if isLast {
                device.participant.miss()
                device.batch = nil
            }
            let reason = self.lose(failure, of: &device.participant, isLast: isLast)
            if isLast || reason != nil { places[device.number] = self.write(device, at: place) }
            if let reason { self.noteLoss(of: device, reason) }
            if device.participant.target != nil, failure.outcome.namesToken { behind.insert(device.number) }
        }
        let entry = self.note(.pendingUpdatesSent)
        for number in behind.sorted() {
            let place = places[number]
            guard let device = place.map({ self.participants[$0].row }) ?? devices[number] else { continue }
            self.send(to: device, at: place, entry: entry, on: snapshot)
        }
    }

    /// Handles a rejection of the token or the channel; returns its reason if the device is sent nothing more.
    private mutating func lose(
        _ failure: PushFailure,
        of device: inout ActivityParticipant,
        isLast: Bool
    ) -> RejectionReason? {
        guard case .rejected(let rejection) = failure.outcome, let target = failure.target,
            failure.outcome.namesToken || device.origin == .channel && failure.outcome.namesChannel
        else { return nil }
        if device.origin == .push, device.token != target.token {
            self.rejectedStarts.append((device.installation, target))
        }
        return device.lose(target, reason: rejection.reason, isLast: isLast) ? rejection.reason : nil
    }

    private mutating func noteLoss(of device: ParticipantRow, _ reason: RejectionReason) {
        guard device.participant.origin == .channel else { return self.noteEnd(of: device, reason: reason.rawValue) }
        self.note(.channelDeleted, detail: reason.rawValue)
        guard let channel = self.row.channel?.name else { return }
        self.events.append(
            .channelDeleted(channel, from: self.row.id, of: self.row.appID, reason: reason, time: self.now)
        )
    }

    /// Records that a device is sent nothing more, unless the activity has very many devices.
    private mutating func noteEnd(of device: ParticipantRow, reason: String) {
        guard self.row.namesParticipants else { return }
        let installation = device.participant.installation
        self.note(.participantEnded, installation: installation, detail: reason)
        self.events.append(
            .participantEnded(installation, from: self.row.id, of: self.row.appID, reason: reason, time: self.now)
        )
    }
}
