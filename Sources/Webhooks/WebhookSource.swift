// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import PushStore

/// What posting to receivers needs of a store: the webhooks, the feed, and word of new events.
public typealias WebhookSource = EventStore & StoreSignals & WebhookStore
