// The addresses of the sample site's pages, read from its build: what is proved of one page is proved of all.

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseManifest } from '@portico/shared/wire/build-output.ts'
import { send } from '../../../harness/http.ts'

/**
 * Routes with a parameter, and others that look different by their query: every page a client may see differently.
 * A route with a parameter that has no line here fails the tests that use the list.
 */
const EXAMPLES: Readonly<Record<string, readonly string[]>> = {
  '/collections/[...path]': ['/collections/north', '/collections/south/islands'],
  '/docs/[[...slug]]': ['/docs', '/docs/settings'],
  '/docs/search': ['/docs/search?q=image', '/docs/search?q=zeppelin'],
  '/places/[slug]': ['/places/skarnvik'],
  '/search': ['/search', '/search?q=fog', '/search?q=zeppelin'],
  '/404': ['/nope'],
}

/** Addresses of all pages that are documents, at least one for each route of the build, the home page first. */
export async function loadSamplePages(baseUrl: string, appDir: string): Promise<string[]> {
  const manifest = parseManifest(JSON.parse(await readFile(join(appDir, 'dist', 'manifest.json'), 'utf8')))
  const patterns = [...manifest.pages, ...manifest.screens].map(({ pattern }) => pattern)
  const paths = [...new Set(patterns.flatMap(examplesOf))].sort()
  const responses = await Promise.all(paths.map((path) => send(baseUrl, path, { method: 'HEAD' })))
  // A page may respond with something else than a document: a site map, a feed.
  return paths.filter((_path, index) => responses[index]?.headers['content-type']?.startsWith('text/html'))
}

/** Throws for a route without an example. */
export function examplesOf(pattern: string): readonly string[] {
  const examples = EXAMPLES[pattern] ?? (pattern.includes('[') || isScreen(pattern) ? undefined : [pattern])
  if (!examples) throw new Error(`${pattern} is a new page: give an address of it in ${import.meta.filename}`)
  return examples
}

function isScreen(pattern: string): boolean {
  return pattern === '/404' || pattern === '/500' || pattern === '/_error'
}
