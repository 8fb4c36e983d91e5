// Hashed files of other builds, older and newer, from the state store (G3).

import type { StoredFile } from './send-file.ts'

export interface OldBuilds {
  /** A file that any build published; undefined when there is none or the store is away. */
  find(folder: 'static' | 'manifest', name: string): Promise<StoredFile | undefined>
}
