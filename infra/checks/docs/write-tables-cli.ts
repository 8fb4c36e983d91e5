// Writes the tables of the documentation that come from lists in the code: `npx node infra/checks/docs/write-tables-cli.ts`.

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../sources.ts'
import { WRITTEN_DOCUMENTS } from './written-tables.ts'

for (const [file, write] of Object.entries(WRITTEN_DOCUMENTS)) {
  const path = join(root, file)
  const text = readFileSync(path, 'utf8')
  const written = write(text)
  if (written !== text) writeFileSync(path, written)
  console.log(`${file}: ${written === text ? 'unchanged' : 'written'}`)
}
