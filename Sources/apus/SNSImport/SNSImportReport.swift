// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

extension SNSImport {
    /// What was copied, and what was not.
    struct Report: Codable, Equatable {
        /// How many notes are kept.
        static let maximumNotes = 1000

        var applications = 0

        /// Endpoints that are here as they are at the source.
        var endpoints = 0

        /// Endpoints whose app has registered by itself since.
        var newerEndpoints = 0

        /// Endpoints that were changed here, or given up by Apple, since they were copied, and stay so.
        var changedEndpoints = 0

        /// Endpoints that were copied once and are not at the source any more; they stay.
        var goneEndpoints = 0
        var topics = 0

        /// Subscriptions that are here with the filter that they have at the source.
        var subscriptions = 0

        /// Subscriptions that were made here, or given another filter here, and stay so.
        var changedSubscriptions = 0

        /// Subscriptions that were here already, and whose attributes but the filter are others here than at the source: those
        /// stay.
        var differingSubscriptions = 0

        /// Subscriptions that were copied once and are not at the source any more; they stay.
        var goneSubscriptions = 0

        /// What cannot be copied, each with the reason.
        var notes: [String] = []

        /// Takes a note, up to ``maximumNotes`` of them.
        mutating func note(_ text: String) {
            if self.notes.count < Self.maximumNotes { self.notes.append(text) }
        }

        /// Takes a note of what the source refuses.
        mutating func note(_ refusal: SNSSource.Refusal, of arn: String) {
            let reason =
                refusal.isAbsence ? "it was removed while it was copied" : "the source does not allow to read it"
            self.note("\(arn): \(reason) (\(refusal.message))")
        }

        /// Adds what another one counts.
        mutating func add(_ other: Report) {
            self.applications += other.applications
            self.endpoints += other.endpoints
            self.newerEndpoints += other.newerEndpoints
            self.changedEndpoints += other.changedEndpoints
            self.goneEndpoints += other.goneEndpoints
            self.topics += other.topics
            self.subscriptions += other.subscriptions
            self.changedSubscriptions += other.changedSubscriptions
            self.differingSubscriptions += other.differingSubscriptions
            self.goneSubscriptions += other.goneSubscriptions
            for note in other.notes { self.note(note) }
        }
    }
}
