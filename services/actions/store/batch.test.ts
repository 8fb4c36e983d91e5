import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { createBatch } from '../testing.ts'

test('A9 a call that waits while the database is closed is rejected, and the process keeps running', async () => {
  const database = new DatabaseSync(':memory:')
  const batch = createBatch(database, { before: () => {}, onRollback: () => {} })
  const call = batch.run(() => 'made')
  database.close()
  await expect(call).rejects.toThrow('database is not open')
})
