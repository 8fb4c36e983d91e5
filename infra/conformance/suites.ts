// Every suite: what the files `suites/<folder>/suite.ts` export, in the order of the alphabet.

import { globSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Suite } from './harness/suite.ts'

const FOLDER = join(import.meta.dirname, 'suites')

const folders = globSync('*/suite.ts', { cwd: FOLDER }).map(dirname).sort()
/** One suite, or several that share their files. */
type Exported = Readonly<Record<string, Suite | readonly Suite[]>>
// The files export nothing else.
const modules = (await Promise.all(
  folders.map((name) => import(pathToFileURL(join(FOLDER, name, 'suite.ts')).href)),
)) as readonly Exported[]

export const SUITES: readonly Suite[] = modules.flatMap((module) => Object.values(module)).flat()
