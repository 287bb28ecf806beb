// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import { el, foreign, spoken } from './dom.js';
import { glyph } from './glyphs.js';
import { groups, hash } from './model.js';
import * as strings from './strings.js';

/** The largest number of notifications that a tile shows in full. */
const shownOnTile = 3;
/** The largest number of values of a Live Activity on a tile. */
const valuesOnTile = 4;
/** The largest number of icons on a Home Screen. */
const iconsOnTile = 8;
/** How long a phone is lit, in milliseconds. */
const lightDuration = 1800;

const stillness = matchMedia('(prefers-reduced-motion: reduce)');

/** A tile: a device with what its user sees, and the state of the device as text. */
export class Phone {
  element;
  #name = el('button', { type: 'button', class: 'name', dir: 'auto' });
  #flags = el('ul', { class: 'flags', 'aria-label': 'State' });
  #top = el('div', { class: 'top' });
  #stack = el('div', { class: 'stack' });
  #screen = el('div', { class: 'screen' }, this.#top, this.#stack);
  #frame = el('div', { class: 'frame' }, this.#screen);
  #discard = el('p', { class: 'discard' });
  #drawn = new Map();
  /** The cards and notifications of the stack, by their content. */
  #cards = new Map();
  #light = null;

  constructor(id, open) {
    this.#name.addEventListener('click', () => open(id, this.#name));
    this.element = el('article', { class: 'phone', 'data-id': id, 'aria-labelledby': `name-${id}` },
      el('h2', { id: `name-${id}` }, this.#name), this.#frame, this.#flags, this.#discard);
    this.#screen.dataset.wallpaper = hash(id, 6);
  }

  /** Draws what has changed. The button, which may have the focus, stays the same element. */
  update(device, now) {
    const { discarded } = device;
    this.element.dataset.system = device.systemName;
    this.element.classList.toggle('offline', !device.online);
    this.element.classList.toggle('locked', device.locked);
    const { apps, shown, shownCount, activities, online, locked, lowPower, waiting, environment, systemName } = device;
    this.rename(device);
    this.#part(this.#flags, { apps, online, locked, lowPower, waiting, environment, systemName }, () => flags(device));
    const minute = strings.minute(now);
    this.#part(this.#top, { apps, activities, online, locked, lowPower, minute }, () => top(device, now));
    this.#part(this.#stack, { shown, shownCount, activities, minute }, () => this.#pile(device, now));
    this.#part(this.#discard, discarded ? [discarded, minute] : null, () => (discarded ? discard(discarded, now) : []));
  }

  /** Draws the name alone. The button needs one before the tile is visible. */
  rename(device) {
    const name = strings.deviceName(device);
    if (this.#name.title === name) return;
    this.#name.textContent = name;
    this.#name.title = name;
  }

  #part(element, content, build) {
    const key = JSON.stringify(content);
    if (this.#drawn.get(element) === key) return;
    this.#drawn.set(element, key);
    element.replaceChildren(...build(content));
  }

  /** The Live Activities and notifications. Those that have not changed stay the same elements. */
  #pile(device, now) {
    const cards = new Map();
    const keep = (key, build) => {
      const element = this.#cards.get(key) ?? build();
      cards.set(key, element);
      return element;
    };
    const minute = strings.minute(now);
    const pile = [
      ...ordered(device.activities).map((activity) =>
        keep(JSON.stringify(activity), () => card(activity, valuesOnTile))),
      ...stacks(device, (notification) =>
        keep(JSON.stringify([notification, minute]), () => banner(notification, now))),
    ];
    this.#cards = cards;
    return pile;
  }

  /** Lights the phone up for a moment; without motion if the user prefers that. */
  lightUp() {
    // In a flood of pushes the light need not start again each time.
    if (this.#light?.playState === 'running' && this.#light.currentTime < lightDuration / 3) return;
    const easing = stillness.matches ? 'steps(1, jump-end)' : 'ease-out';
    this.#light ??= this.#frame.animate([{ opacity: 1 }, { opacity: 0 }], {
      duration: lightDuration, pseudoElement: '::after',
    });
    this.#light.effect.updateTiming({ easing });
    this.#light.currentTime = 0;
    this.#light.play();
  }
}

/** The states of a device as glyphs with texts. */
function flags(device) {
  const has = (test) => device.apps.some(test);
  const states = [
    device.systemName !== 'iOS' && [null, device.systemName],
    device.environment === 'production' && [null, 'Production'],
    device.online ? ['online', 'Online'] : ['offline', 'Offline'],
    device.locked && ['lock', 'Locked'],
    device.lowPower && ['battery', 'Low power'],
    device.waiting > 0 && ['hourglass', `${strings.number(device.waiting)} waiting`],
    has((app) => app.permission === 'denied') && ['bellOff', 'Notifications denied'],
    has((app) => app.permission === 'notDetermined') && ['bellOff', 'Permission not asked'],
    has((app) => app.state === 'forceQuit') && ['quit', 'App quit'],
    has((app) => app.held) && ['hourglass', 'Background push held'],
  ].filter(Boolean);
  return states.map(([name, text]) => el('li', { class: `flag ${name ?? ''}` }, name && glyph(name), text));
}

/** What is above the notifications: the status bar, and the clock of a locked device, or else the apps. */
function top(device, now) {
  const clock = el('time', { class: 'time', datetime: now.toISOString() }, strings.clock(now));
  const status = el('p', { class: device.lowPower ? 'status low' : 'status' },
    device.locked ? el('span') : clock,
    el('span', { class: 'radio', 'aria-hidden': 'true' },
      glyph(device.online ? 'online' : 'offline'), glyph('battery')));
  return [
    island(ordered(device.activities)), status,
    ...(device.locked
      ? [el('p', { class: 'lock-screen' }, glyph('lock'), el('span', { class: 'day' }, strings.day(now)), clock),
        el('p', { class: 'corners', 'aria-hidden': 'true' }, glyph('torch'), glyph('camera'))]
      : [el('ul', { class: 'apps', 'aria-label': 'Apps' }, ...device.apps.slice(0, iconsOnTile).map(icon))]),
  ];
}

/** The Live Activities, those that have ended last. */
function ordered(activities) {
  const isOver = ({ state }) => state === 'ended';
  return [...activities].sort((one, other) => isOver(one) - isOver(other));
}

/** The Dynamic Island: compact with one Live Activity, minimal with several. The cards have all of it as text. */
function island(activities) {
  const [first, second] = activities.filter(({ state }) => state === 'active' || state === 'stale');
  const mark = (activity) => symbol(activity.bundleID);
  if (!first) return el('p', { class: 'island', 'aria-hidden': 'true' });
  const value = Object.values(first.contentState)[0];
  return el('p', { class: `island busy ${second ? 'minimal' : ''}`, 'aria-hidden': 'true' },
    mark(first),
    el('span', { class: 'value' }, value === undefined || second ? '' : strings.contentValue(value)),
    second && el('span', { class: 'detached' }, mark(second)));
}

/** The card of a Live Activity on the Lock Screen. */
export function card(activity, limit = Infinity) {
  const values = Object.entries(activity.contentState);
  const state = strings.activityStates[activity.state];
  const marks = { stale: 'clock', ended: 'check', dismissed: 'check' };
  return el('section', { class: `activity ${activity.state}` },
    el('p', { class: 'head' },
      symbol(activity.bundleID), el('strong', {}, activity.attributesType),
      state && el('span', { class: 'state' }, glyph(marks[activity.state] ?? 'clock'), state)),
    el('dl', {}, ...values.slice(0, limit).flatMap(([key, value]) => [
      el('dt', { dir: 'auto' }, key), el('dd', { dir: 'auto' }, strings.contentValue(value)),
    ])),
    values.length > limit && el('p', { class: 'more' }, `+${strings.count(values.length - limit, 'value')}`));
}

/**
 * The notifications by app: the newest of each in full, the others as a stack with their number.
 *
 * @param {function(Object): Element} draw draws a notification.
 */
function stacks(device, draw) {
  const all = groups(device.shown);
  const byApp = all.slice(0, shownOnTile);
  const limit = Math.max(1, Math.floor(shownOnTile / all.length));
  const hidden = device.shownCount - byApp.flat().length;
  return byApp.map((group, index) => {
    const surplus = Math.max(0, group.length - limit) + (index === byApp.length - 1 ? hidden : 0);
    return el('div', { class: surplus > 0 ? 'group stacked' : 'group' },
      ...group.slice(0, limit).map(draw),
      surplus > 0 && el('p', { class: 'more' }, `+${strings.count(surplus, 'notification')}`));
  });
}

/** A notification as a phone lists it. */
export function banner(notification, now, ...controls) {
  const { at, body, bundleID, interruptionLevel, quiet, subtitle, title } = notification;
  const date = new Date(at);
  const urgency = strings.urgencies[interruptionLevel];
  const app = strings.appName(bundleID);
  return el('section', { class: `banner${quiet ? ' quiet' : ''}` },
    symbol(bundleID),
    el('div', { class: 'text' },
      urgency && el('p', { class: 'urgent' }, urgency),
      el('p', { class: 'head' },
        title && spoken(`${app}: `),
        foreign('span', title ? 'title' : 'title app', title || app),
        el('time', { datetime: at, title: strings.moment(date) }, strings.age(date, now))),
      foreign('p', 'subtitle', subtitle),
      foreign('p', 'body', body),
      quiet && el('p', { class: 'note' }, glyph('bellOff'), 'Delivered quietly'),
      controls.length > 0 && el('p', { class: 'controls' }, ...controls)));
}

function icon(app) {
  const name = strings.appName(app.bundleID);
  const state = strings.appStates[app.state] ?? app.state;
  const permission = strings.permissions[app.permission] ?? app.permission;
  const mark = app.state === 'forceQuit' ? 'quit' : app.permission === 'denied' ? 'bellOff' : null;
  return el('li', { class: app.state, title: `${app.bundleID}: ${state}, notifications ${permission}` },
    symbol(app.bundleID),
    app.badge > 0 && el('span', { class: 'badge' }, spoken('Badge '), strings.number(app.badge)),
    mark && el('span', { class: 'mark' }, glyph(mark)),
    el('span', { class: 'app' }, name),
    app.state === 'foreground' && el('span', { class: 'running' }, 'open'));
}

/** The icon of an app: the first letter of its name, in a color of the app. */
const symbol = (bundleID) =>
  el('span', { class: 'icon', 'aria-hidden': 'true', 'data-color': hash(bundleID, 6) },
    [...strings.appName(bundleID)].slice(0, 1).join('').toUpperCase());

/** Why the latest notification was discarded, when, and what to do about it. */
function discard(event, now) {
  const { reason, remedy } = strings.discard(event);
  const at = new Date(event.at);
  return [
    glyph('warning'),
    el('span', {},
      el('strong', {}, 'Discarded '),
      el('time', { datetime: event.at, title: strings.moment(at) }, strings.age(at, now)), '. ',
      `${reason} `, el('em', {}, remedy)),
  ];
}
