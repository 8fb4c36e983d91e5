// Development in containers (docker/compose.dev.yml), with any owner of the mounted app folder.

import { spawnSync } from 'node:child_process'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ComposeStack, startCompose } from '../../harness/compose-stack.ts'
import { postForm, send } from '../../harness/http.ts'
import { type EditedSite, makeSite } from '../../sites/make-site.ts'
import { SMALL } from '../../sites/written/small.ts'

const SERVICES = ['gateway', 'renderer', 'images', 'actions']
/** The user who runs the tests. */
const self = process.getuid?.() ?? 0
/** Only root can give a folder away. */
export const OTHER_OWNER = self === 0 ? 4321 : self

/** Registers the tests for a folder of this user. */
export function describeComposeDev(owner: number): void {
  describe(`V1 docker compose for development, in a folder of user ${owner}`, () => {
    let site: EditedSite
    let stack: ComposeStack
    beforeAll(async () => {
      site = await makeSite(SMALL)
      if (owner !== self) spawnSync('chown', ['-R', `${owner}:${owner}`, site.dir])
      stack = await startCompose({ appDir: site.dir, files: ['docker-compose.yml', 'docker/compose.dev.yml'] })
    })
    afterAll(async () => {
      await stack?.down()
      await site?.remove()
    })
    const textOf = async (path: string) => (await send(stack.baseUrl, path)).text

    test('V1 shows edits of the mounted folder', async () => {
      expect(await textOf('/')).toContain('Hello one')
      await site.edit('components/greeting.tsx', 'Hello one', 'Hello two')
      await expect.poll(() => textOf('/'), { timeout: 30_000 }).toContain('Hello two')
      expect(await textOf('/api/hello')).toContain('one')
      await site.edit('pages/api/hello.ts', `'one'`, `'two'`)
      await expect.poll(() => textOf('/api/hello'), { timeout: 30_000 }).toContain('two')
    })

    test('A1 runs actions', async () => {
      const response = await postForm({
        baseUrl: stack.baseUrl,
        path: '/form',
        text: 'word',
        fields: { word: 'here' },
        headers: { origin: stack.baseUrl },
      })
      expect([response.status, response.text]).toEqual([200, expect.stringContaining('saved one here')])
    })

    test('O2 what it writes is the owner’s, and no service runs as another user', async () => {
      const written = await stat(join(site.dir, '.portico/tsconfig.json'))
      expect([written.uid, written.gid]).toEqual([owner, owner])
      for (const service of SERVICES) {
        const script = `for p in /proc/[0-9]*; do tr '\\0' ' ' < $p/cmdline | grep -q "^node .*services/" && stat -c %u $p; done; true`
        const output = await stack.compose('exec', '-T', service, 'sh', '-c', script)
        expect(new Set(output.trim().split('\n')), service).toEqual(new Set([String(owner)]))
      }
    })

    test('O5 its services end in order after SIGTERM', async () => {
      await stack.compose('stop', ...SERVICES)
      for (const service of SERVICES) {
        const [container = ''] = await stack.containers(service)
        expect([service, await stack.inspect(container, '{{.State.ExitCode}}')]).toEqual([service, '0'])
      }
    })
  })
}
