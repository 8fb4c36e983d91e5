// Opening a SQLite file that another process has just made and writes (A5).

import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openPrivateDatabase } from './sqlite.ts'

let dir: string
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'sqlite-'))
})
afterAll(() => rm(dir, { recursive: true, force: true }))

/** Another process on the file: it writes, and ends its transaction when it is told to. */
const OTHER = `
  const { parentPort, workerData } = require('node:worker_threads')
  const database = new (require('node:sqlite').DatabaseSync)(workerData.file)
  database.exec('BEGIN IMMEDIATE; CREATE TABLE other (number INTEGER)')
  parentPort.postMessage('writes')
  Atomics.wait(workerData.opening, 0, 0)
  // The other thread does nothing but wait for the lock.
  Atomics.wait(workerData.opening, 0, 1, 100)
  database.exec('COMMIT')
  database.close()
`

it('A5 a process that opens a new file waits while another one writes it', async () => {
  const file = join(dir, 'new.sqlite')
  const opening = new Int32Array(new SharedArrayBuffer(4))
  const other = new Worker(OTHER, { eval: true, workerData: { file, opening } })
  await once(other, 'message')
  Atomics.store(opening, 0, 1)
  Atomics.notify(opening, 0)
  const database = openPrivateDatabase(file)
  database.exec('CREATE TABLE own (number INTEGER)')
  expect(database.prepare('PRAGMA journal_mode').get()).toEqual({ journal_mode: 'wal' })
  expect(database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name").all()).toEqual([
    { name: 'other' },
    { name: 'own' },
  ])
  database.close()
  await other.terminate()
})
