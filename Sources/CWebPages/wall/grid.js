// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import { Phone } from './phone.js';

/** The time in which tiles are drawn in one frame, in milliseconds. */
const frameBudget = 6;

/** The tiles. Only visible ones are drawn, as many in a frame as the budget allows. */
export class Grid {
  #root;
  #model;
  #open;
  #phones = new Map();
  #visible = new Set();
  #dirty = new Set();
  #lit = new Set();
  #isPlanned = false;
  #observer = new IntersectionObserver((entries) => this.#observe(entries), { rootMargin: '200px' });

  constructor(root, model, open) {
    this.#root = root;
    this.#model = model;
    this.#open = open;
  }

  /** Shows the devices with these IDs, in this order. */
  show(ids) {
    const wanted = new Set(ids);
    for (const [id, phone] of this.#phones) {
      if (wanted.has(id)) continue;
      this.#observer.unobserve(phone.element);
      phone.element.remove();
      this.#phones.delete(id);
      for (const set of [this.#visible, this.#dirty, this.#lit]) set.delete(id);
    }
    let next = this.#root.firstElementChild;
    for (const id of ids) {
      const element = (this.#phones.get(id) ?? this.#add(id)).element;
      if (element === next) next = next.nextElementSibling;
      else this.#root.insertBefore(element, next);
    }
  }

  /** Draws devices again when they are visible; those in `lit` light up. */
  update(ids, lit = new Set()) {
    for (const id of ids) {
      this.#dirty.add(id);
      const device = this.#model.devices.get(id);
      if (device) this.#phones.get(id)?.rename(device);
    }
    for (const id of lit) if (this.#visible.has(id)) this.#lit.add(id);
    this.#plan();
  }

  /** Draws all devices again, because the time has changed. */
  updateAll() {
    this.update(this.#phones.keys());
  }

  #add(id) {
    const phone = new Phone(id, this.#open);
    phone.rename(this.#model.devices.get(id));
    this.#phones.set(id, phone);
    this.#dirty.add(id);
    this.#observer.observe(phone.element);
    return phone;
  }

  #observe(entries) {
    for (const { target, isIntersecting } of entries) {
      if (isIntersecting) this.#visible.add(target.dataset.id);
      else this.#visible.delete(target.dataset.id);
    }
    this.#plan();
  }

  #plan() {
    if (this.#isPlanned) return;
    this.#isPlanned = true;
    requestAnimationFrame(() => this.#draw());
  }

  #draw() {
    this.#isPlanned = false;
    const end = performance.now() + frameBudget;
    const { now, devices } = this.#model;
    for (const id of this.#visible) {
      if (!this.#dirty.has(id)) continue;
      if (performance.now() > end) return this.#plan();
      this.#dirty.delete(id);
      const device = devices.get(id);
      const phone = this.#phones.get(id);
      if (!device || !phone) continue;
      phone.update(device, now);
      if (this.#lit.delete(id)) phone.lightUp();
    }
  }
}
