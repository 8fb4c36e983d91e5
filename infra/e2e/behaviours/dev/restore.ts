// The first state of an edited site: a test, and its second run after a failure, must not meet the edits of another run.

import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'vitest'
import type { EditedSite } from '../../sites/make-site.ts'

/** Resets the files, and waits until the development server at `baseUrl` has read the change. */
export async function restore(site: EditedSite, baseUrl: string): Promise<void> {
  if (!(await site.reset())) return
  // The server reads the changes in their order.
  const mark = `${performance.now()}`
  await writeFile(join(site.dir, 'public/mark.txt'), mark)
  const read = async () => (await fetch(`${baseUrl}/mark.txt`)).text()
  await expect.poll(read, { timeout: 30_000 }).toBe(mark)
}
