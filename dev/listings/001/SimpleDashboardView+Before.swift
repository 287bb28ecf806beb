// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import SwiftUI

// The listing shows what is added to a view, and says that its code of before stands around it: the days that are cached,
// how they are loaded, and the device's calendar.

@MainActor extension SimpleDashboardView {
    var deviceManager: DeviceManager { DeviceManager() }

    var dataCache: [String: String] {
        get { Dashboard.shared.cache }
        nonmutating set { Dashboard.shared.cache = newValue }
    }

    var cacheKeys: [String] {
        get { Dashboard.shared.keys }
        nonmutating set { Dashboard.shared.keys = newValue }
    }

    func loadAllData() async { Dashboard.shared.load() }
}

/// The view that `onReceive` is called on in the listing: it begins with a point, behind "the interface of before".
struct InterfaceOfBefore: View {
    let publisher: NotificationCenter.Publisher
    let action: (Notification) -> Void

    var body: some View {
        VStack {
            ForEach(Dashboard.shared.keys, id: \.self) { key in Text("\(key): \(Dashboard.shared.cache[key] ?? "")") }
        }
        .onReceive(self.publisher, perform: self.action)
    }
}

extension View where Self == InterfaceOfBefore {
    static func onReceive(
        _ publisher: NotificationCenter.Publisher,
        perform action: @escaping (Notification) -> Void
    ) -> InterfaceOfBefore {
        InterfaceOfBefore(publisher: publisher, action: action)
    }
}

/// What the view keeps: today and the day before of one device, which `LISTING_DEVICE` names.
@MainActor final class Dashboard {
    static let shared = Dashboard()

    var cache: [String: String] = [:]
    var keys: [String] = []
    private var loads = 0

    private init() {
        for day in [-86_400, 0] {
            self.keys.append(self.key(of: Date().addingTimeInterval(TimeInterval(day))))
        }
        for key in self.keys { self.cache[key] = "of before" }
    }

    /// Loads today, unless it is in the cache.
    func load() {
        let today = self.key(of: Date())
        guard self.cache[today] == nil else { return }
        self.loads += 1
        self.cache[today] = "load \(self.loads)"
        self.keys.append(today)
    }

    private func key(of date: Date) -> String {
        let device = ProcessInfo.processInfo.environment["LISTING_DEVICE"] ?? ""
        let style = Date.ISO8601FormatStyle(timeZone: DeviceManager().getTimezone(for: device)).year().month().day()
        return "\(device)_\(date.formatted(style))"
    }
}

/// The time zone of the device, which is not the machine's.
struct DeviceManager {
    func getTimezone(for device: String) -> TimeZone { TimeZone(identifier: "Asia/Tokyo") ?? .current }

    var deviceCalendar: Calendar {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = self.getTimezone(for: "")
        return calendar
    }
}
