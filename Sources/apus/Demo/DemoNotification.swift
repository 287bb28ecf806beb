// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// The notification of the demo: an analysis is ready, and the app is to fetch its dashboard anew.
enum DemoNotification {
    static let app = "com.example.watchme"

    /// The payload, byte for byte as it is sent.
    static let payload = """
        {"aps":{"alert":{"title":"データ更新完了","body":"新しい分析結果が利用可能です"},"sound":"default","badge":1},\
        "device_id":"1cf67321-f1aa-4c51-b642-cbd7837c45d5","date":"2025-10-13","action":"refresh_dashboard"}
        """

    /// What a device must hold afterwards.
    static let expected = SimulatorClient.Payload(
        aps: .init(
            alert: .init(title: "データ更新完了", body: "新しい分析結果が利用可能です"),
            sound: "default",
            badge: 1
        ),
        deviceID: "1cf67321-f1aa-4c51-b642-cbd7837c45d5",
        date: "2025-10-13",
        action: "refresh_dashboard"
    )
}
