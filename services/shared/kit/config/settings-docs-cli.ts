// Writes the lists of settings and of error codes into the documents that contain them:
// `node services/shared/kit/config/settings-docs-cli.ts`.

import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { ERROR_DOCUMENTS } from '../http/errors-docs.ts'
import { SETTING_DOCUMENTS } from './settings-docs.ts'

for (const [file, write] of Object.entries({ ...SETTING_DOCUMENTS, ...ERROR_DOCUMENTS })) {
  const path = fileURLToPath(new URL(`../../../../${file}`, import.meta.url))
  const text = readFileSync(path, 'utf8')
  const written = write(text)
  if (written !== text) writeFileSync(path, written)
  console.log(`${file}: ${written === text ? 'unchanged' : 'written'}`)
}
