// The variables `NEXT_PUBLIC_…` that code of an app of Next.js reads (X6): the value of the build is the default, and the
// environment of the process wins. As in Next.js an empty text is a value.

import type { CodeVariable } from '../build-output.ts'

type Variables = Readonly<Record<string, CodeVariable>> | undefined
type Texts = Record<string, string>

interface CodeEnv {
  /** All values, by name; without the variables that have none. */
  all: Texts
  /** Those that documents have. */
  inDocument: Texts
}

export function readCodeEnv(
  variables: Variables = {},
  environment: Readonly<Record<string, string | undefined>>,
): CodeEnv {
  const all: Texts = {}
  const inDocument: Texts = {}
  for (const [name, variable] of Object.entries(variables)) {
    const text = environment[name] ?? variable.default
    if (text === undefined) continue
    all[name] = text
    if (variable.browser) inDocument[name] = text
  }
  return { all, inDocument }
}

/** The names whose values in an environment are not those of the build. */
export function changedNames(
  variables: Variables = {},
  environment: Readonly<Record<string, string | undefined>>,
): string[] {
  return Object.entries(variables).flatMap(([name, { default: built }]) =>
    (environment[name] ?? built) === built ? [] : name,
  )
}
