// Every block of code of the documentation is compiled or compared with its subject, and commands name what is there.

import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from '../sources.ts'
import { findFaults } from './check-blocks.ts'
import { readCodeBlocks } from './code-blocks.ts'
import { readExamples } from './public-exports.ts'

/** The compiler reads React's types and the runtime: seconds, and more on a loaded machine. */
const COMPILER_TIMEOUT_MS = 120_000

test(
  'F1 every block of code and every command in the documentation and in doc comments is right',
  async () => {
    const pages = [
      ...globSync('docs/{,decisions/}*.md', { cwd: root }),
      'README.md',
      'ARCHITECTURE.md',
      'CONTRIBUTING.md',
    ]
    const inPages = pages.sort().flatMap((page) => readCodeBlocks(readFileSync(join(root, page), 'utf8'), page))
    expect(inPages.length).toBeGreaterThan(50)
    const blocks = [...inPages, ...readExamples()]
    expect((await findFaults(blocks)).map(({ page, line, rule }) => `${page}:${line} ${rule}`)).toEqual([])
  },
  COMPILER_TIMEOUT_MS,
)

const PAGES_OF_SITES = [
  'accounts-and-databases',
  'databases',
  'form-libraries',
  'next-auth',
  'query-libraries',
  'server-packages',
  'ui-libraries',
  'with-other-libraries',
]

test.each(PAGES_OF_SITES.map((name) => `docs/${name}.md`))(
  'F1 %s shows files of the sites that browser tests run',
  (page) => {
    const blocks = readCodeBlocks(readFileSync(join(root, page), 'utf8'), page).filter(
      ({ language }) => language !== 'sh',
    )
    expect(blocks.length).toBeGreaterThanOrEqual(4)
    const other = blocks.filter(
      ({ words }) => !/^from=infra\/conformance\/own-sites\/(accounts|auth-js|libraries)\//.test(words[0] ?? ''),
    )
    expect(other.map(({ text }) => text)).toEqual([])
  },
)
