// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import PushStore

/// What delivery needs of a store: the queue, the credentials and what is wrong with them, what is paused, and word of new batches.
public typealias DeliveryStore = BatchStore & CredentialStore & CredentialTroubleStore & DeliveryPauseStore
    & StoreSignals
