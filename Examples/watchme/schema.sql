-- SPDX-License-Identifier: Apache-2.0
-- Copyright 2026 the Apus authors

-- The tables of the document as they were, and then its migration: the column for device tokens.
CREATE TABLE public.devices (device_id text PRIMARY KEY);

CREATE TABLE public.dashboard_summary (
    device_id text NOT NULL REFERENCES public.devices,
    date date NOT NULL,
    summary text NOT NULL,
    updated_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (device_id, date)
);

ALTER TABLE public.devices ADD COLUMN apns_token text;
CREATE INDEX idx_devices_apns_token ON public.devices (apns_token);
