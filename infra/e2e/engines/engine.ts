// A browser engine as the journey uses it: one interface, implemented by firefox.ts and webkit.ts, and the waits that
// both share.

import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { expect } from 'vitest'

export interface PageOptions {
  javaScriptEnabled: boolean
}

export interface EnginePage {
  /** Loads a document, with its images. */
  goto(url: string): Promise<void>
  /** Moves the pointer to the centre of the first element. */
  hover(selector: string): Promise<void>
  /** Clicks the first element as a user does. */
  click(selector: string): Promise<void>
  /** Focuses the first element and types into it. */
  type(selector: string, text: string): Promise<void>
  /** The value of a JavaScript expression in the page, which JSON can hold. */
  evaluate(expression: string): Promise<unknown>
  /** Ends the browser. */
  close(): Promise<void>
}

/** Transforms and builds run next to other work. */
const PATIENT = { timeout: 20_000, interval: 25 }

/** Waits until an expression has a value. A document that is being replaced has none. */
export async function shows(page: EnginePage, expression: string, value: unknown): Promise<void> {
  await expect.poll(() => page.evaluate(expression), PATIENT).toEqual(value)
}

/** Waits until the first element has this text. */
export function showsText(page: EnginePage, selector: string, text: string): Promise<void> {
  return shows(page, `document.querySelector(${JSON.stringify(selector)})?.textContent`, text)
}

/** Waits until React has taken over the element and the router is there. */
export async function live(page: EnginePage, selector: string): Promise<void> {
  const found = `document.querySelector(${JSON.stringify(selector)})`
  await shows(page, `Object.keys(${found} ?? {}).some((key) => key.startsWith('__reactProps'))`, true)
  await shows(page, `document.querySelector('#portico-announcer') !== null`, true)
}

/** Goes back in the history. The commands of both drivers wait for a document, which a client transition has not. */
export async function goBack(page: EnginePage): Promise<void> {
  await page.evaluate('history.back()')
}

/** What differs between two documents, also of the same address. */
export function documentOf(page: EnginePage): Promise<unknown> {
  // Not its time origin, which WebKit computes again from a clock at each call.
  return page.evaluate('document.nameOfTest ??= Math.random()')
}

/** The first of the programs on the PATH. */
export function findProgram(...names: string[]): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter).filter(Boolean)
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).find((path) => existsSync(path))
}
