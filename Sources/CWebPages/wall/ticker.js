// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import { byID, el, foreign } from './dom.js';
import * as strings from './strings.js';

/** The number of events in the list, and that of events kept for another filter. */
const listed = 100;
const kept = 500;
/** The shortest time between two changes of the list, in milliseconds. A faster list cannot be read. */
const drawInterval = 400;
/** The time between two summaries for screen readers, in milliseconds. */
const summaryInterval = 5000;

/** The latest events, newest first, and a summary that a screen reader says at most every five seconds. */
export class Ticker {
  #list = byID('events');
  #kind = byID('event-kind');
  #pause = byID('event-pause');
  /** Newest first. */
  #events = [];
  /** The number of events at the beginning of `#events` that are not in the list yet. */
  #pending = 0;
  #counts = new Map();
  #skipped = 0;
  #model;
  #isPlanned = false;
  #drawnAt = -Infinity;

  constructor(model) {
    this.#model = model;
    this.#kind.append(...Object.entries(strings.kinds).map(([kind, name]) => el('option', { value: kind }, name)));
    this.#kind.addEventListener('change', () => this.#redraw());
    this.#pause.addEventListener('change', () => this.#plan());
    setInterval(() => this.#summarize(), summaryInterval);
  }

  add(events, skipped) {
    if (events.length === 0) return;
    this.#events = [...events].reverse().concat(this.#events).slice(0, kept);
    this.#pending = Math.min(this.#pending + events.length, this.#events.length);
    this.#skipped += skipped;
    for (const { kind } of events) this.#counts.set(kind, (this.#counts.get(kind) ?? 0) + 1);
    this.#plan();
  }

  clear() {
    this.#events = [];
    this.#skipped = 0;
    this.#redraw();
  }

  #plan() {
    if (this.#isPlanned) return;
    this.#isPlanned = true;
    const wait = this.#drawnAt + drawInterval - performance.now();
    setTimeout(() => requestAnimationFrame(() => this.#draw()), Math.max(0, wait));
  }

  #redraw() {
    this.#list.replaceChildren();
    this.#pending = this.#events.length;
    this.#draw(false);
  }

  /** Adds what is new above the rest, so that the rest keeps its place and the focus. */
  #draw(isPaused = this.#pause.checked) {
    this.#isPlanned = false;
    this.#drawnAt = performance.now();
    if (!isPaused) {
      const kind = this.#kind.value;
      const isListed = (event) => !kind || event.kind === kind;
      const news = this.#events.slice(0, this.#pending).filter(isListed).slice(0, listed);
      this.#pending = 0;
      this.#list.prepend(...news.map((event) => item(event, this.#model.devices.get(event.device))));
      while (this.#list.childElementCount > listed) this.#list.lastElementChild.remove();
    }
    byID('skipped').textContent = isPaused && this.#pending > 0
      ? `Paused: ${strings.count(this.#pending, 'event')} not listed.`
      : this.#skipped > 0 ? `${strings.count(this.#skipped, 'event')} left out at high rates.` : '';
  }

  #summarize() {
    if (this.#counts.size === 0) return;
    const parts = [...this.#counts].map(([kind, count]) => `${strings.number(count)} ${strings.kinds[kind] ?? kind}`);
    this.#counts.clear();
    byID('summary').textContent = parts.join(', ');
  }
}

/** An event as an entry of a list. */
export function item(event, device) {
  const { activity, detail, number, identifier, ...details } = event.details ?? {};
  const { reason } = event.kind === 'discarded' ? strings.discard(event) : { reason: event.cause };
  const more = Object.entries(details).map(([name, value]) => `${name}: ${value}`).join(', ');
  return el('li', { class: event.kind },
    el('time', { datetime: event.at }, strings.time(new Date(event.at))), ' ',
    el('strong', {}, strings.kinds[event.kind] ?? event.kind), ' ',
    device && foreign('span', 'device', strings.deviceName(device)), ' ',
    event.bundleID && el('span', { class: 'app' }, event.bundleID), ' ',
    reason && el('span', { class: 'cause' }, reason), ' ',
    more && el('span', { class: 'details', dir: 'auto' }, more));
}
