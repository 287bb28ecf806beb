// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import { causes } from './causes.js';
import { count, number } from './format.js';

export * from './format.js';

/** The name of each kind of event. */
export const kinds = {
  delivered: 'Delivered', shown: 'Shown', replaced: 'Replaced', discarded: 'Discarded', stored: 'Stored at APNs',
  expired: 'Expired', held: 'Held on the device', appCalled: 'App called', callCompleted: 'Call completed',
  deadlineMissed: 'Deadline missed', badgeChanged: 'Badge changed', removed: 'Removed', stateChanged: 'State changed',
  tokenChanged: 'Token changed', tokenEnded: 'Token ended', activityChanged: 'Live Activity changed',
};

/** The states by which devices are filtered. */
export const states = {
  '': 'All states', online: 'Online', offline: 'Offline', waiting: 'Waiting at APNs', locked: 'Locked',
  lowPower: 'Low Power Mode', denied: 'Notifications not allowed', activity: 'With a Live Activity',
  discarded: 'Last notification discarded',
};

export const permissions = {
  notDetermined: 'not asked', denied: 'denied', authorized: 'allowed', provisional: 'delivered quietly',
  ephemeral: 'App Clip',
};

export const appStates = {
  foreground: 'in the foreground', background: 'in the background', suspended: 'suspended',
  forceQuit: 'quit by the user', notLaunched: 'not launched',
};

export const activityStates = { pending: 'Pending', stale: 'Stale', ended: 'Ended', dismissed: 'Dismissed' };

export const urgencies = { 'time-sensitive': 'Time Sensitive', critical: 'Critical' };

export const pushTypes = { alert: 'Alert', background: 'Background' };

export const counterNames = {
  devices: 'Devices', accepted: 'Accepted', rejected: 'Rejected', delivered: 'Delivered', stored: 'Stored',
};

/** What the device switches are called. */
export const switches = { online: 'Online', locked: 'Locked', lowPower: 'Low Power Mode' };

/** What devices are called that the page boots. */
const deviceKinds = {
  iOS: 'iPhone', iPadOS: 'iPad', macOS: 'Mac', tvOS: 'Apple TV', watchOS: 'Apple Watch', visionOS: 'Vision Pro',
};

export const texts = {
  connected: 'Connected',
  emptyApps: 'No app is installed.',
  emptyActivities: 'There is no Live Activity.',
  emptyEvents: 'Nothing has happened yet.',
  emptyReceived: 'No notification has been delivered.',
  emptyShown: 'The device shows no notification.',
  noFault: 'No fault is active.',
  noClipboard: 'Press Ctrl+C or ⌘C to copy the selected text.',
};

const clocks = new Intl.DateTimeFormat(undefined, { hour: 'numeric', minute: '2-digit' });
const days = new Intl.DateTimeFormat(undefined, { weekday: 'short', month: 'short', day: 'numeric' });
const distances = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto', style: 'narrow' });

/** "9:41", without "AM", as on a phone. */
export const clock = (date) =>
  clocks.formatToParts(date).filter(({ type }) => type !== 'dayPeriod').map(({ value }) => value).join('').trim();
/** The number of a minute: what a phone shows does not change within it. */
export const minute = (date) => Math.floor(date / 60_000);
export const day = (date) => days.format(date);

/** "now", "5 min ago", "yesterday": the age of a notification, as a phone shows it. */
export function age(date, now) {
  const minutes = Math.floor((now - date) / 60_000);
  if (minutes < 1) return distances.format(0, 'second');
  if (minutes < 60) return distances.format(-minutes, 'minute');
  if (minutes < 24 * 60) return distances.format(-Math.floor(minutes / 60), 'hour');
  return distances.format(-Math.floor(minutes / (24 * 60)), 'day');
}

/** "5 devices", "2 of 5 devices", "The first 1,000 of 5,000 devices": how many of all devices the page shows. */
export function shownDevices(shown, tiles, all) {
  if (shown < tiles) return `${number(shown)} of ${count(tiles, 'device')} match the filter`;
  return all > tiles ? `The first ${number(tiles)} of ${count(all, 'device')}` : count(tiles, 'device');
}

/** The name of a device, or its system and the beginning of its ID. */
export const deviceName = (device) => device.name ?? `${device.systemName} ${device.id.slice(0, 8)}`;

/** The name of a device that the page boots. */
export const bootName = (systemName, number) => `${deviceKinds[systemName] ?? systemName} ${number}`;

/** The last part of a bundle ID. */
export const appName = (bundleID) => bundleID.split('.').at(-1);

/** A value of a content state as text. */
export const contentValue = (value) => (typeof value === 'object' ? JSON.stringify(value) : String(value));

/** Why a notification was discarded, and what to do about it. */
export function discard(event) {
  const [reason, remedy] = causes[event.cause] ?? [`Cause: ${event.cause ?? 'unknown'}.`, ''];
  const detail = event.details?.detail;
  return { reason: detail ? `${reason} (${detail})` : reason, remedy };
}

/** What a reset removes. */
export const resetText = (devices) =>
  `This removes ${count(devices, 'device')} with all tokens, notifications and Live Activities. It also removes all ` +
  'channels, the faults that were added, and all registered keys except the demo key. The counters return to zero, ' +
  'and the clock to the real time.';

/** The state and the effect of a fault in one line. */
export function fault({ action, reason, milliseconds, count, struck }) {
  const effect = [action, reason, milliseconds && `${number(milliseconds)} ms`].filter(Boolean).join(' ');
  return `${effect}: ${number(struck)} of ${count ? number(count) : 'all'} requests`;
}

/** The commands of the empty wall. */
export const commands = (origin, info) => ({
  boot: `curl --json '{"apps":["com.example.app"]}' ${origin}/v1/devices`,
  serve: serveCommand(info?.environment ?? 'sandbox', info),
  send: `apus send com.example.app --token TOKEN --environment ${info?.environment ?? 'sandbox'} \\\n` +
    '  --title Hello --body World --wait',
});

const serveCommand = (environment, info) =>
  `apus serve --data data --apns-${environment}-host localhost \\\n  --apns-${environment}-port ${info?.port ?? 'PORT'} \\\n` +
  `  --apns-${environment}-ca ${info?.caPath ?? 'ca.pem'}`;
