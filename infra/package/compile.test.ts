// The list of the scripts that run as their own processes, compared with the code that starts them.

import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { isTestFile, listSources, root } from '../checks/sources.ts'
import { STARTED } from './testing.ts'

/** A script with the ending of the file that starts it: TypeScript here, JavaScript in the package. */
const SCRIPT = /(FRAMEWORK, |dirname, |new URL\()`([\w./-]+)\$\{extname\(import\.meta/g

test('K2 the package contains each script that a process of the build or of a service starts', () => {
  const files = listSources().filter((file) => !isTestFile(file))
  const started = files.flatMap((file) =>
    [...readFileSync(join(root, file), 'utf8').matchAll(SCRIPT)].map(([, from, path = '']) =>
      join(from === 'FRAMEWORK, ' ? '' : dirname(file), `${path}.ts`),
    ),
  )
  // A module that config-child.ts imports, too.
  expect(started.filter((file) => file !== 'web/build/next/run/next-mdx.ts').sort()).toEqual([...STARTED].sort())
})
