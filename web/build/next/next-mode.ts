// Whether an app folder is one of Next.js's Pages Router: then the names of Next.js work in it (X1).

import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isRecord } from '@portico/shared/wire/json/json-value.ts'
import { parseJsonObject } from '../json-object.ts'

export interface NextMode {
  on: boolean
  /** What `next/config` returns; `server` is left out of the browser. */
  runtimeConfig?: { public: Record<string, unknown>; server: Record<string, unknown> }
}

/** On for a folder without `portico.config.*` that has a `next.config.*`, or `next` among its dependencies. */
export async function readNextMode(appDir: string): Promise<NextMode> {
  const has = (name: string) =>
    ['ts', 'js', 'mjs', 'cjs'].some((ending) => existsSync(join(appDir, `${name}.${ending}`)))
  if (has('portico.config')) return { on: false }
  return { on: has('next.config') || (await dependsOnNext(appDir)) }
}

async function dependsOnNext(appDir: string): Promise<boolean> {
  const file = join(appDir, 'package.json')
  if (!existsSync(file)) return false
  const { dependencies, devDependencies } = parseJsonObject(await readFile(file, 'utf8'), 'package.json')
  return [dependencies, devDependencies].some((list) => isRecord(list) && 'next' in list)
}
