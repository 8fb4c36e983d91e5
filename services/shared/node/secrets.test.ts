import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { loadSecret } from './secrets.ts'

let dir = ''
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'portico-secrets-'))
})
afterEach(() => rm(dir, { recursive: true, force: true }))
const store = (dataDir = dir) => ({ stateRedisUrl: undefined, dataDir })

describe('secrets in a folder', () => {
  it('O9 the first caller makes it, the others get the same one', async () => {
    const secrets = await Promise.all(
      Array.from({ length: 8 }, () => loadSecret('stack-token', store(join(dir, 'a/b')))),
    )
    expect(new Set(secrets).size).toBe(1)
    expect(secrets[0]!.length).toBeGreaterThanOrEqual(32)
    expect(await loadSecret('stack-token', store(join(dir, 'a/b')))).toBe(secrets[0])
  })

  it('O9 names and folders have secrets of their own', async () => {
    const secrets = [
      await loadSecret('stack-token', store()),
      await loadSecret('action-key', store()),
      await loadSecret('stack-token', store(join(dir, 'other'))),
    ]
    expect(new Set(secrets).size).toBe(3)
  })

  it('O9 nobody else on the machine can read it', async () => {
    const secret = await loadSecret('stack-token', store())
    const file = join(dir, 'stack-token.secret')
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    expect(await readFile(file, 'utf8')).toBe(secret)
  })

  it('O9 waits for the one who is still writing it', async () => {
    const file = join(dir, 'stack-token.secret')
    await writeFile(file, '')
    const loading = loadSecret('stack-token', store())
    await new Promise((done) => setTimeout(done, 80))
    await writeFile(file, 'x'.repeat(43))
    expect(await loading).toBe('x'.repeat(43))
  })

  it('O9 a file that holds none is named, with what to do', async () => {
    await writeFile(join(dir, 'stack-token.secret'), 'short')
    await expect(loadSecret('stack-token', store())).rejects.toThrow(/stack-token\.secret holds no secret: delete it/)
  })
})
