// The examples of the documentation are what the command prints.

import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { renderExplanation } from './render-explanation.ts'
import { renderTimeline } from './render-timeline.ts'
import { FROM_MEMORY } from './testing/explanations.ts'
import { FAILED } from './testing/log-lines.ts'

it('F1 docs/why.md shows what the command prints', () => {
  const page = readFileSync(new URL('../../../docs/why.md', import.meta.url), 'utf8')
  const shown = [...page.matchAll(/^```text\n(.*?)^```$/gms)].map(([, text]) => text)
  expect(shown).toEqual([
    renderExplanation(FROM_MEMORY),
    renderTimeline('3f2a91c07be4d518', { lines: FAILED, leftOut: 0 }),
  ])
})
