// What run.mjs hands to the runs: the suites and apps that its arguments name, and whether there is a Chromium.

import { launchChromium } from '../../e2e/harness/chromium.ts'
import type { ConfigurationName } from '../harness/configurations.ts'
import { CONFIGURATIONS } from '../harness/configurations.ts'
import { SUITES } from '../suites.ts'

/** Without the variable everything is chosen. */
const named = process.env.CONFORMANCE_NAMES?.split(',')
export const isChosen = (name: string) => named === undefined || named.includes(name)

export const CHOSEN_SUITES = SUITES.filter(({ name }) => isChosen(name))

/** run.mjs sets the path of the Chromium that it has found. */
export const chromium = process.env.CHROMIUM_PATH ? { connect: () => launchChromium() } : {}

/** `main` has more behaviours than all others together: the two runs on Portico end at about the same time. */
export const MAIN: readonly ConfigurationName[] = ['main']
export const OTHERS = (Object.keys(CONFIGURATIONS) as ConfigurationName[]).filter((name) => !MAIN.includes(name))
