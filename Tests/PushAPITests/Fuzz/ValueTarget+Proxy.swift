// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import PushModel

@testable import PushAPI

extension ValueTarget {
    /// Messages of apns-proxy-server.
    static let proxyMessages = ValueTarget(
        name: "proxy message",
        samples: [
            """
            {"appid":"14","token":"\(TestToken.hex(1))","test":false,"expiry":1770000100.5,"priority":5,"aps":{
            "alert":{"body":"b","loc_key":"k","loc_args":["a"]},"sound":"default","badge":1,"category":"c",
            "custom":{"a":[1,{"b":-2.5e3}],"c":"\\ud83c\\udf63"}}}
            """,
            #"{"appid":"14","token":"\#(TestToken.hex(2))","aps":{"content_available":true}}"#,
        ]
    ) { text, _ in
        let bytes = [ProxyMessage.command] + Array(text.utf8)
        let message = try ProxyMessage(bytes, in: 0..<bytes.count, now: TestTime.start)
        if let fault = message.sizeFault { throw fault }
        _ = try APNsPayload(json: message.payload)
        var batcher = ItemBatcher(app: App(id: TestAPI.app, createdAt: TestTime.start))
        let place = batcher.add(
            token: bytes[message.token],
            headers: message.headers,
            payload: message.payload[...]
        )
        guard place != nil else { return nil }
        let part = batcher.parts(lane: .urgent, now: TestTime.start)[0]
        return part.headers.validate(payloadSize: message.payload.count).isEmpty ? nil : "its headers are invalid"
    }
}
