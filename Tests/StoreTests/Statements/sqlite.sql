DELETE FROM channels WHERE app = (SELECT number FROM apps WHERE id = ?) AND name = ?
    AND state = ? AND channel IS NOT DISTINCT FROM ?;

DELETE FROM credential_troubles WHERE app = (SELECT number FROM apps WHERE id = ?) AND environment = ?
    AND push_type = ? RETURNING *;

DELETE FROM credentials WHERE id = ?;

DELETE FROM delivery_pauses WHERE app = (SELECT number FROM apps WHERE id = ?) AND environment = ?
    AND credential = ?;

INSERT INTO api_keys (id, name, scopes, app, secret_hash, created_at, expires_at, revoked_at,
    signing_secret)
VALUES (?, ?, ?, ?, ?, ?,
    ?, ?, ?)
ON CONFLICT DO NOTHING;

INSERT INTO apps (id, name, default_environment, created_at)
VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING;

INSERT INTO channels (app, name, environment, policy, state, created_at, channel)
VALUES (?, ?, ?, ?,
    ?, ?, ?);

INSERT INTO credential_troubles (app, environment, push_type, reason, code, since)
VALUES (?, ?, ?, ?,
    ?, ?)
ON CONFLICT DO NOTHING;

INSERT INTO credentials (id, app, key_id, team_id, certificate_format, sandbox, production, secret_path,
    password_path, sealed, created_at)
VALUES (?, ?, ?, ?, ?,
    ?, ?, ?,
    ?, ?, ?)
ON CONFLICT DO NOTHING;

INSERT INTO delivery_pauses
    (app, environment, credential, push_types, cause, reason, since, next_attempt)
SELECT number, ?, ?, ?,
    ?, ?, ?, ?
FROM apps WHERE id = ?
ON CONFLICT (app, environment, credential) DO UPDATE SET push_types = excluded.push_types,
    cause = excluded.cause, reason = excluded.reason, since = excluded.since,
    next_attempt = excluded.next_attempt;

INSERT INTO idempotency_records
    (app, api_key, key, request_hash, notification, status, location, body, created_at)
VALUES (?, ?, ?, ?,
    ?, ?, ?,
    ?, ?);

SELECT * FROM (SELECT number, time, kind, data FROM events WHERE app = ? AND number > ? ORDER BY number LIMIT ?) AS scanned WHERE kind IN (SELECT value FROM json_each(?))
ORDER BY number LIMIT ?;

SELECT * FROM apps WHERE id = ?;

SELECT * FROM apps WHERE id > ? ORDER BY id LIMIT ?;

SELECT * FROM idempotency_records WHERE app = (SELECT number FROM apps WHERE id = ?) AND api_key = ? AND key = ?;

SELECT 1 FROM channels WHERE app = ? AND environment = ?
    AND channel = ?;

SELECT 1 FROM credential_troubles WHERE app = (SELECT number FROM apps WHERE id = ?) AND environment = ?
    AND push_type = ?;

SELECT 1 FROM delivery_pauses WHERE app = (SELECT number FROM apps WHERE id = ?) AND environment = ?
    AND credential = ?;

SELECT DISTINCT batch_kinds.environments, batch_kinds.push_type, apps.id AS app_id FROM batches
JOIN batch_kinds ON batch_kinds.number = batches.kind
JOIN apps ON apps.number = batches.app
WHERE batches.notification = ? AND batches.state < 3;

SELECT api_keys.*, apps.id AS app_id FROM api_keys LEFT JOIN apps ON apps.number = api_keys.app WHERE api_keys.id = ?;

SELECT api_keys.*, apps.id AS app_id FROM api_keys LEFT JOIN apps ON apps.number = api_keys.app WHERE api_keys.id > ? ORDER BY api_keys.id LIMIT ?;

SELECT apps.number AS app, coalesce(feeds.number, 0) AS horizon FROM apps LEFT JOIN event_horizons AS feeds ON feeds.app = apps.number WHERE apps.id = ?;

SELECT channels.*, apps.id AS app_id FROM channels JOIN apps ON apps.number = channels.app WHERE app = ? AND channels.name = ?;

SELECT channels.*, apps.id AS app_id FROM channels JOIN apps ON apps.number = channels.app WHERE apps.id = ? AND channels.name = ?;

SELECT channels.*, apps.id AS app_id FROM channels JOIN apps ON apps.number = channels.app WHERE apps.id = ? AND environment = ? ORDER BY channels.name;

SELECT coalesce((SELECT max(number) FROM events WHERE events.app = apps.number), coalesce(feeds.number, 0)) AS last
FROM apps LEFT JOIN event_horizons AS feeds ON feeds.app = apps.number WHERE apps.id = ?;

SELECT count(*) AS count, max(number) AS last
FROM (SELECT number FROM events WHERE app = ? AND number > ? ORDER BY number LIMIT ?) AS scanned;

SELECT credentials.*, apps.id AS app_id FROM credentials JOIN apps ON apps.number = credentials.app WHERE apps.id = ?
ORDER BY credentials.created_at DESC, credentials.id DESC;

SELECT credentials.*, apps.id AS app_id FROM credentials JOIN apps ON apps.number = credentials.app WHERE credentials.id = ?;

SELECT delivery_pauses.*, apps.id AS app_id FROM apps
JOIN delivery_pauses ON delivery_pauses.app = apps.number
WHERE apps.id = ?;

SELECT delivery_pauses.*, apps.id AS app_id FROM notifications
JOIN delivery_pauses ON delivery_pauses.app = notifications.app
JOIN apps ON apps.number = notifications.app
WHERE notifications.id = ?;

SELECT id FROM activities WHERE app = ? AND channel_name = ? AND state < 2 LIMIT 1;

SELECT items.id AS key, items.sealed AS sealed, apps.id AS owner FROM credentials AS items JOIN apps ON apps.number = items.app WHERE TRUE
    AND items.sealed IS NOT NULL AND items.id > ?
ORDER BY items.id LIMIT ?;

SELECT items.id AS key, items.sealed_user AS sealed, topics.name AS owner FROM subscriptions AS items INDEXED BY subscriptions_sealed CROSS
JOIN topic_shares ON topic_shares.number = items.share CROSS
JOIN topics ON topics.number = topic_shares.topic
WHERE length(items.id) = 16
    AND items.sealed_user IS NOT NULL AND items.id > ?
ORDER BY items.id LIMIT ?;

SELECT items.id AS key, items.secret AS sealed, apps.id AS owner FROM webhooks AS items JOIN apps ON apps.number = items.app WHERE TRUE
    AND items.secret IS NOT NULL AND items.id > ?
ORDER BY items.id LIMIT ?;

SELECT items.id AS key, items.signing_secret AS sealed, apps.id AS owner FROM api_keys AS items LEFT JOIN apps ON apps.number = items.app WHERE revoked_at IS NULL
    AND items.signing_secret IS NOT NULL AND items.id > ?
ORDER BY items.id LIMIT ?;

SELECT items.number AS key, items.sealed_key AS sealed, CAST(NULL AS text) AS owner FROM delivery_identity AS items WHERE TRUE
    AND items.sealed_key IS NOT NULL AND items.number > ?
ORDER BY items.number LIMIT ?;

SELECT number FROM apps WHERE id = ?;

SELECT number, time, kind, data FROM events WHERE app = ? AND number > ? ORDER BY number LIMIT ?;

UPDATE api_keys SET last_used_at = ?
WHERE id = ? AND (last_used_at IS NULL OR last_used_at < ?);

UPDATE api_keys SET revoked_at = coalesce(revoked_at, ?) WHERE id = ?;

UPDATE api_keys SET signing_secret = ?
WHERE id = ? AND signing_secret = ?;

UPDATE channels SET environment = ?, policy = ?,
    state = ?, created_at = ?,
    channel = ?
WHERE app = ? AND name = ?;

UPDATE credentials SET sealed = ?
WHERE id = ? AND sealed = ?;

UPDATE delivery_identity SET sealed_key = ?
WHERE number = ? AND sealed_key = ?;

UPDATE idempotency_records SET status = ?, location = ?,
    body = ?
WHERE app = (SELECT number FROM apps WHERE id = ?) AND api_key = ? AND key = ?;

UPDATE subscriptions SET sealed_user = ?
WHERE id = ? AND sealed_user = ?;

UPDATE webhooks SET secret = ?
WHERE id = ? AND secret = ?;

WITH old AS MATERIALIZED (
    SELECT rowid FROM idempotency_records WHERE created_at < ?
    ORDER BY created_at LIMIT ?
)
DELETE FROM idempotency_records WHERE (rowid) IN (SELECT rowid FROM old);
