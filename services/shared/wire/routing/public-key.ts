// The one spelling of a public file's path: as the keys of `publicFiles` in the manifest.

import type { Manifest } from '../build-output.ts'
import { decodeSegments } from './routes.ts'

/** The index key of a request path: percent-decoded once (the guard refuses paths that cannot be decoded). */
export function publicKey(path: string): string {
  if (!path.includes('%')) return path
  const segments = decodeSegments(path) ?? []
  // SECURITY: an encoded slash is part of a name, never a step into a folder.
  return segments.some((segment) => /[/\\]/.test(segment)) ? '' : `/${segments.join('/')}`
}

/** Whether a path below basePath, as a request or a location has it, is that of a public file. */
export function isPublicFile(publicFiles: Manifest['publicFiles'], path: string): boolean {
  return Object.hasOwn(publicFiles, publicKey(path))
}
