// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// How far a campaign is planned: a value without a store and a clock.
///
/// Each wave reads the devices of its time zones in their order, up to the last device that there was when planning
/// began. What is read becomes batches in the transaction that stores the plan, so that a planner that dies loses and
/// repeats nothing.
public struct CampaignPlan: Hashable, Sendable, Codable {
    /// Devices that are sent to from the same instant on.
    public struct Wave: Hashable, Sendable, Codable {
        /// The instant.
        public let due: Date

        /// The time zones of its devices.
        public let zones: ZoneFilter

        /// The place of the last device that was read.
        public internal(set) var place: Int64

        /// Whether all of its devices were read.
        public internal(set) var isDone: Bool

        /// A wave of which nothing was read.
        public init(due: Date, zones: ZoneFilter, isDone: Bool = false) {
            self.due = due
            self.zones = zones
            self.place = 0
            self.isDone = isDone
        }
    }

    /// How often the plan was stored; each step adds one.
    public internal(set) var revision: Int

    /// The waves, the earliest first.
    public internal(set) var waves: [Wave]

    /// The place of the last device that there was when planning began; later ones are not sent to.
    public let lastPlace: Int64

    /// How many devices the audience had when that was counted; `nil` until then.
    public internal(set) var expected: Int?

    /// How many devices were planned.
    public internal(set) var planned: Int

    /// The ordinal of the next batch.
    public internal(set) var nextOrdinal: Int

    /// The last batch that was planned; the next ones have greater ids.
    public internal(set) var lastBatch: BatchID?

    /// When the next shard of a throttled campaign may be sent; `nil` until there was one.
    public internal(set) var paceAt: Date?

    /// What a screening does behind its waves; `nil` for a campaign that is none.
    public internal(set) var recheck: ScreeningRecheck?

    /// A plan of which nothing was planned.
    ///
    /// - Parameters:
    ///   - waves: the waves; they are sorted by their instants.
    ///   - lastPlace: the place of the last device.
    ///   - expected: how many devices the audience has, if that is known.
    ///   - isScreening: whether it is the plan of a screening.
    public init(waves: [Wave], lastPlace: Int64, expected: Int? = nil, isScreening: Bool = false) {
        self.revision = 1
        self.waves = waves.sorted { $0.due < $1.due }
        self.lastPlace = lastPlace
        self.expected = expected
        self.planned = 0
        self.nextOrdinal = 0
        self.recheck = isScreening ? ScreeningRecheck() : nil
    }

    /// Whether every device was planned.
    public var isRead: Bool { self.waves.allSatisfy(\.isDone) }

    /// Whether nothing is left to plan: every device was, and a screening has looked into what these came to.
    public var isDone: Bool { self.isRead && (self.recheck.map { $0.phase == .done } ?? true) }

    /// Whether nothing is planned before all that was has its outcome: a screening looks into what these came to then.
    public var isWaitingForOutcomes: Bool {
        guard self.isRead, let recheck else { return self.isRead }
        return switch recheck.phase {
        case .checking, .settling, .done: true
        case .rechecking, .correcting: false
        }
    }

    /// How many targets its batches have: a token that a screening tries in both environments counts twice.
    public var plannedTargets: Int { self.planned + (self.recheck?.planned ?? 0) }

    /// The wave that is being planned, or is due next; `nil` when all are planned.
    public var currentWave: Int? { self.waves.firstIndex { !$0.isDone } }

    /// The number of devices is known.
    public func counting(_ expected: Int) -> CampaignPlan {
        var plan = self
        plan.revision += 1
        plan.expected = expected
        return plan
    }
}
