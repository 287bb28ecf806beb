// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import { appPath, get } from './api.js';
import { find } from './devices.js';
import { el } from './dom.js';
import { remedy, texts } from './strings.js';
import { at, code, facts, filter, input, link, section, state } from './ui.js';

const isUUID = (text) => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text);

/** The age from which a device that was not seen is unusual, in days. */
const unseenDays = 30;

/** Why a device received nothing: a list of checks, each with what was found and what to do. */
export const why = {
  name: 'why', title: 'Why?', scopes: ['read'],

  async load({ app, allows, parameters: { wanted } }) {
    if (!wanted) return {};
    const outcome = isUUID(wanted) ? await optional(get(appPath(app, 'notifications', wanted))) : null;
    const devices = outcome ? [] : await find(app, wanted);
    const [delivery, { credentials }] = await Promise.all([
      get(appPath(app, 'delivery')), allows('admin') ? get(appPath(app, 'credentials')) : { credentials: null }]);
    return { outcome, devices, delivery, credentials };
  },

  draw({ outcome, devices, delivery, credentials }, { parameters: { wanted } }) {
    const ask = [
      el('p', {}, 'Enter the apns-id of a push, the ID of a notification, or a device: by its ID, user or token.'),
      filter('Find out why', input('ID, user or token', 'wanted', { type: 'search', required: true, value: wanted ?? '', spellcheck: 'false' })),
    ];
    if (!wanted) return ask;
    if (outcome?.outcome) return [...ask, ...push(outcome, delivery)];
    if (outcome) {
      return [...ask, el('p', {}, 'This is a notification. ', link('Its outcomes and failed targets', 'notification', { id: wanted }))];
    }
    if (devices.length === 0) {
      return [...ask, list([check('problem', 'Registered', 'No push, notification or device is known by this text.',
        'Check that the app has registered at this server, and that the app at the top of the page is the right one. '
        + 'Outcomes are removed after the retention time.')])];
    }
    return [...ask, ...devices.flatMap((item) => [
      section(item.device, list(deviceChecks(item, delivery, credentials)),
        el('p', {}, 'Everything that it registered: ', link(item.device, 'device', { id: item.device })))])];
  },
};

async function optional(promise) {
  try {
    return await promise;
  } catch (error) {
    if (error.status === 404) return null;
    throw error;
  }
}

/** A check: `good`, `problem` or `unknown`, what was found, and what to do. */
const check = (result, name, found, fix = '') => ({ result, name, found, fix });

const marks = { good: ['✓', 'In order'], problem: ['✕', 'Problem'], unknown: ['?', 'Not known'] };

function list(checks) {
  return el('ol', { class: 'timeline' }, ...checks.map(({ result, name, found, fix }) => el('li', { class: result },
    el('strong', {}, el('span', { 'aria-hidden': 'true' }, `${marks[result][0]} `), name), ` (${marks[result][1]})`,
    el('p', {}, found), fix && el('p', {}, fix))));
}

function deviceChecks(item, delivery, credentials) {
  const { status, environment } = item;
  const open = delivery.openCircuits.filter((circuit) => circuit.environment === environment);
  const days = (Date.now() - new Date(item.seenAt)) / 86_400_000;
  const fitting = credentials?.filter(({ environments }) => environments.includes(environment));
  return [
    check('good', 'Registered', `It registered on ${new Date(item.registeredAt).toLocaleString()} for ${environment}.`,
      'Development builds need sandbox; TestFlight and App Store builds need production.'),
    status.state === 'active' ? check('good', 'Token', 'APNs did not report this token as unregistered or bad since it registered.')
      : check('problem', 'Token', `APNs said ${status.reason} on ${new Date(status.since).toLocaleString()}.`
        + (status.state === 'invalid' ? ' Apus sends nothing to it until its app registers again.' : ''), remedy(status.reason)),
    days <= unseenDays ? check('good', 'Last seen', `It was last seen on ${new Date(item.seenAt).toLocaleString()}.`)
      : check('problem', 'Last seen', `It was not seen for ${Math.floor(days)} days.`, 'The app may be removed. APNs reports that with a delay.'),
    !fitting ? check('unknown', 'Credential', 'Your key may not list the credentials.')
      : fitting.length > 0 ? check('good', 'Credential', `The app has a credential for ${environment}.`)
        : check('problem', 'Credential', `The app has no credential for ${environment}.`, remedy('no_credential')),
    open.length === 0 ? check('good', 'Delivery', `APNs is reachable for ${environment}, as far as this server knows.`)
      : check('problem', 'Delivery', `Pushes wait: ${open[0].cause}, ${open[0].reason}.`, 'See the page Health.'),
    delivery.queues.length === 0 ? check('good', 'Queue', 'No batch waits.')
      : check('unknown', 'Queue', 'Batches wait to be sent. A push to this device may be among them.', 'See the page Health.'),
    check('unknown', 'Single pushes', 'Apus does not record accepted pushes by device. Enter the apns-id of a push to see its outcome.'),
    check('unknown', 'On the device', 'Apple does not report whether a device shows a push. Permissions, Focus, Low Power Mode '
      + 'and a removed app prevent it.', 'Send a test push, and look at the device.'),
  ];
}

function push({ notification, outcome }, delivery) {
  const [open] = delivery.openCircuits.filter(({ environment }) => environment === outcome.environment);
  const cause = outcome.reason ?? outcome.code;
  const known = {
    delivered: () => [check('good', 'Sent', 'APNs accepted the push.'), check('unknown', 'On the device', texts.accepted,
      'Permissions, Focus, Low Power Mode, an expired push and a newer push with the same collapse ID can prevent it.')],
    rejected: () => [check('problem', 'Sent', `APNs rejected the push: ${outcome.status ?? ''} ${cause}.`, remedy(cause))],
    failed: () => [check('problem', 'Sent', `The push was not sent: ${cause}.`, remedy(cause))],
    pending: () => [check('unknown', 'Sent', open ? `The push waits: ${open.cause}, ${open.reason}.` : 'The push waits to be sent.',
    'See the page Health.')],
  };
  return [
    facts({
      Outcome: state(outcome.state), 'apns-id': code(outcome.apnsID),
      Notification: link(notification, 'notification', { id: notification }),
      Device: outcome.device && link(outcome.device, 'device', { id: outcome.device }),
      User: outcome.user, Environment: outcome.environment, 'Inactive since': outcome.inactiveSince && at(outcome.inactiveSince),
      'Resent by': outcome.resentBy && link(outcome.resentBy, 'notification', { id: outcome.resentBy }),
    }),
    list(known[outcome.state]()),
  ];
}
