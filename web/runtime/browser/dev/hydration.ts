// Parses React's messages about a hydration difference: what the server sent, what the browser rendered, and where.

import type { Difference } from './faults.ts'

/** Beginning of the warning of React's development build when only attributes differ. */
const ATTRIBUTES = 'A tree hydrated but some attributes'
const FAILED = /^Hydration failed because|^Text content does not match/
const HELP_LINK = /https:\/\/react\.dev\/link\/hydration-mismatch/

/** The difference in a message of `onRecoverableError`; undefined for other messages. */
export function differenceOfError(message: string): Difference | undefined {
  if (!FAILED.test(message)) return undefined
  return parseDifference(message.split(HELP_LINK)[1] ?? '')
}

/** The difference in the arguments of `console.error`; undefined for other calls. */
export function differenceOfConsole(details: readonly unknown[]): Difference | undefined {
  const [text] = details
  if (typeof text !== 'string' || !text.startsWith(ATTRIBUTES)) return undefined
  return parseDifference(details.filter((detail) => typeof detail === 'string').at(-1) ?? '')
}

/** The attributes that have another value, or are on one side only. */
export function attributesOf({ server, browser }: Difference): string[] {
  const found = (text: string) => text.split('\n').filter((line) => /^[A-Za-z][\w-]*[={]/.test(line))
  const [ours, theirs] = [new Set(found(server)), new Set(found(browser))]
  return [...new Set([...ours.symmetricDifference(theirs)].map((line) => line.split(/[={]/)[0]!))]
}

function parseDifference(diff: string): Difference {
  const tree = diff.replace(/^\n+|\s+$/g, '')
  const side = (sign: string) =>
    tree
      .split('\n')
      .filter((line) => line.startsWith(sign))
      .map((line) => line.slice(1).trim())
      .join('\n')
  return { server: side('-'), browser: side('+'), tree }
}
