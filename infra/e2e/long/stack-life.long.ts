// When the stack on one machine builds. The reasons to build again are a unit test of
// services/stack/build-if-needed.ts.

import { expect, test } from 'vitest'
import { startEmbedded } from '../harness/embedded-stack.ts'
import { send } from '../harness/http.ts'
import { buildApp } from '../harness/replicas.ts'
import { makeSite } from '../sites/make-site.ts'
import { SMALL } from '../sites/written/small.ts'

test('O1 builds again only when a source has changed', async ({ onTestFinished }) => {
  const built = (lines: Record<string, unknown>[]) => lines.filter((line) => String(line.msg).startsWith('building '))
  const site = await makeSite(SMALL)
  onTestFinished(() => site.remove())
  const appDir = site.dir
  await buildApp(appDir)
  const unchanged = await startEmbedded({ appDir })
  expect(await unchanged.stop()).toBe(0)
  expect(built(unchanged.lines)).toEqual([])

  await site.write('pages/added-later.tsx', 'export default () => <p>added later</p>\n')
  const changed = await startEmbedded({ appDir })
  const response = await send(changed.baseUrl, '/added-later')
  expect(await changed.stop()).toBe(0)
  expect(built(changed.lines)).toHaveLength(1)
  expect(response.text).toContain('added later')
})
