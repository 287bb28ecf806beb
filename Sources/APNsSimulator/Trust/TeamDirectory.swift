// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// Which apps belong to which team, for those teams of which that is known.
///
/// A team that is not in the directory may push to every topic, so that a test need not say whose app is whose. A
/// connection knows the apps that its team had at its first push: an app that was added later needs a new connection.
struct TeamDirectory: Sendable, Codable, Equatable {
    /// What a connection may do with an app.
    enum Standing: Equatable {
        case allowed
        /// The app is not the team's.
        case foreign
        /// The app became the team's after the connection's first push.
        case addedLater
    }

    /// When each app of each team was added, counted in changes.
    private var teams: [String: [[UInt8]: Int]] = [:]
    /// How many changes there were.
    private(set) var revision = 0

    /// Whether nothing is known of any team.
    var isEmpty: Bool { self.teams.isEmpty }

    /// The teams whose apps are known, in the order of their names.
    var teamIDs: [String] { self.teams.keys.sorted() }

    /// The apps of a team, or `nil` if they are not known.
    func bundleIDs(of team: String) -> [String]? {
        self.teams[team].map { apps in apps.keys.map { String(decoding: $0, as: UTF8.self) }.sorted() }
    }

    /// Says what apps a team has; those that it had keep their time, and another team loses what this one gets.
    mutating func setBundleIDs(_ bundleIDs: Set<String>, of team: String) {
        self.revision += 1
        let known = self.teams[team] ?? [:]
        var apps: [[UInt8]: Int] = [:]
        for bundleID in bundleIDs {
            let bytes = Array(bundleID.utf8)
            apps[bytes] = known[bytes] ?? self.revision
            for other in self.teams.keys where other != team { self.teams[other]?[bytes] = nil }
        }
        self.teams[team] = apps
    }

    /// Forgets what apps a team has.
    ///
    /// Returns whether that was known.
    mutating func remove(_ team: String) -> Bool {
        self.revision += 1
        return self.teams.removeValue(forKey: team) != nil
    }

    /// Counts changes on from another directory, in whose place this one comes: apps that it did not have are added now.
    mutating func succeed(_ older: TeamDirectory) {
        self.revision = older.revision + 1
        for (team, apps) in self.teams {
            for app in apps.keys { self.teams[team]?[app] = older.teams[team]?[app] ?? self.revision }
        }
    }

    /// What a connection that was bound at this revision may do with an app.
    func standing(of bundleID: [UInt8], team: String, boundAt revision: Int) -> Standing {
        guard let apps = self.teams[team] else { return .allowed }
        guard let added = apps[bundleID] else { return .foreign }
        return added > revision ? .addedLater : .allowed
    }
}
