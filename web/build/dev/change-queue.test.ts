import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createFolder, removeFolders } from '../testing/folders.ts'
import { createChangeQueue } from '../testing.ts'

type ChangeQueue = ReturnType<typeof createChangeQueue>

let batches: string[][]
let errors: unknown[]
let queue: ChangeQueue
let apply: (files: ReadonlySet<string>) => Promise<void>

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  batches = []
  errors = []
  apply = async (files) => void batches.push([...files])
  queue = createChangeQueue(
    (files) => apply(files),
    async (error) => void errors.push(error),
  )
})
afterEach(() => vi.useRealTimers())
afterAll(removeFolders)

it('V1 changes within 5 ms are one batch, and settle does not wait for the timer', async () => {
  queue.add('/app/a')
  await vi.advanceTimersByTimeAsync(4)
  queue.add('/app/b')
  expect(batches).toEqual([])
  await vi.advanceTimersByTimeAsync(1)
  expect(batches).toEqual([['/app/a', '/app/b']])
  queue.add('/app/c')
  await queue.settle()
  expect(batches).toEqual([['/app/a', '/app/b'], ['/app/c']])
})

it('V1 a write that the watcher reports twice is one change, another write of the file is another', async () => {
  const file = join(await createFolder({ 'a.ts': 'one' }), 'a.ts')
  for (const text of [undefined, 'other', undefined]) {
    if (text) await writeFile(file, text)
    queue.add(file)
    await queue.settle()
  }
  expect(batches).toEqual([[file], [file]])
})

it('V2 a batch that fails is reported, and later batches are applied', async () => {
  const error = new Error('the disk is full')
  apply = async () => {
    throw error
  }
  queue.add('/app/a')
  await queue.settle()
  apply = async (files) => void batches.push([...files])
  queue.add('/app/b')
  await queue.settle()
  expect([errors, batches]).toEqual([[error], [['/app/b']]])
})

it('V1 a closed queue applies nothing', async () => {
  queue.add('/app/a')
  await queue.close()
  queue.add('/app/b')
  await queue.settle()
  await vi.advanceTimersByTimeAsync(1000)
  expect(batches).toEqual([])
})
