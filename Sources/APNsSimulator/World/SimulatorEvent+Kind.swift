// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

extension SimulatorEvent {
    /// What kind of thing happened; a stable word.
    public struct Kind: RawRepresentable, Sendable, Hashable, Codable {
        /// The word.
        public let rawValue: String

        /// The kind with this word.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// A notification reached its device.
        public static let delivered = Kind(rawValue: "delivered")
        /// A notification entered the list that the person sees.
        public static let shown = Kind(rawValue: "shown")
        /// A notification took the place of an older one: in the list that the person sees, or in APNs's store.
        public static let replaced = Kind(rawValue: "replaced")
        /// A notification was thrown away; the cause says why.
        public static let discarded = Kind(rawValue: "discarded")
        /// A notification waits in APNs's store.
        public static let stored = Kind(rawValue: "stored")
        /// A notification waited for longer than it was good for.
        public static let expired = Kind(rawValue: "expired")
        /// A background notification waits on the device until the app may run.
        public static let held = Kind(rawValue: "held")
        /// An app was told something; see ``AppCall``.
        public static let appCalled = Kind(rawValue: "appCalled")
        /// An app said that it was done with what it was told.
        public static let callCompleted = Kind(rawValue: "callCompleted")
        /// An app did not say in time that it was done.
        public static let deadlineMissed = Kind(rawValue: "deadlineMissed")
        /// The badge of an app changed.
        public static let badgeChanged = Kind(rawValue: "badgeChanged")
        /// The person took notifications away, or acted on one.
        public static let removed = Kind(rawValue: "removed")
        /// A device or an app changed its state.
        public static let stateChanged = Kind(rawValue: "stateChanged")
        /// An app has another device token.
        public static let tokenChanged = Kind(rawValue: "tokenChanged")
        /// APNs took note that a token is not used any more.
        public static let tokenEnded = Kind(rawValue: "tokenEnded")
    }
}

extension SimulatorEvent.Kind: CaseIterable {
    /// Every kind that the simulator tells of.
    public static let allCases: [SimulatorEvent.Kind] = [
        .delivered, .shown, .replaced, .discarded, .stored, .expired, .held, .appCalled, .callCompleted,
        .deadlineMissed, .badgeChanged, .removed, .stateChanged, .tokenChanged, .tokenEnded, .activityChanged,
    ]
}
