// Files that no browser receives, whatever names them (V3): environment files, keys, databases, and what has a dot in front.
// The development server sends none of them, and no link in public/ may lead to one.

import { basename, isAbsolute, relative, sep } from 'node:path'
import { DATA_FOLDER } from '@portico/shared/wire/constants.ts'
import picomatch from 'picomatch'

/** Names of files, in any case. */
export const NEVER_SENT_NAMES = [
  '.*',
  '*.env',
  '*.env.*',
  '*.{pem,key,crt,p12,pfx,jks,keystore,kdbx,ppk,secret}',
  'id_{rsa,dsa,ecdsa,ed25519}*',
  '*.{sqlite,sqlite3,db}',
  '*.{sqlite,sqlite3,db}-*',
]

/** Folders outside of the app folder, where other folders with a dot in front hold packages. */
const PRIVATE_FOLDERS = ['.git', '.ssh', '.gnupg', '.aws', '.azure', '.gcloud', '.kube', '.docker']
const isNeverName = picomatch(NEVER_SENT_NAMES, { nocase: true, dot: true })

/**
 * Whether a file (absolute path) is never sent.
 *
 * @example isNeverSent('/site/.npmrc', '/site') // true
 */
export function isNeverSent(file: string, appDir: string): boolean {
  if (isNeverName(basename(file))) return true
  const inside = relative(appDir, file)
  const isInside = !isAbsolute(inside) && inside !== '..' && !inside.startsWith(`..${sep}`)
  const folders = (isInside ? inside : file).toLowerCase().split(sep).slice(0, -1)
  return folders.some((folder, index) => {
    if (folder === DATA_FOLDER || PRIVATE_FOLDERS.includes(folder)) return true
    // Package managers keep packages in node_modules/.pnpm and the like; .portico is generated.
    return (
      isInside &&
      folder.startsWith('.') &&
      folders[index - 1] !== 'node_modules' &&
      !(index === 0 && folder === '.portico')
    )
  })
}
