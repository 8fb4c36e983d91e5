// Stores of this process. The memory is bounded by bytes, and its `get` is synchronous, so that a hit never waits. The
// disk is for services without Redis; several processes of one machine may share the folder. Each variant is one file,
// which is written and then renamed (I5).

import { randomBytes } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Log } from '@portico/shared/kit/observe/log.ts'
import { LRUCache } from 'lru-cache'
import { keyDigest, type Variant } from '../variant/variant.ts'
import { decodeVariant, encodeVariant, type VariantStore } from './variant-store.ts'

export interface MemoryStore extends VariantStore {
  get(key: string): Variant | undefined
  put(variant: Variant, keepMs: number): void
  drop(key: string): void
  readonly bytes: number
}

/** Bytes that an entry takes besides its body: header object, key, map slot. */
const ENTRY_OVERHEAD_BYTES = 1024

/** `now` is the time in milliseconds since the epoch. */
export function createMemoryStore(limitBytes: number, now: () => number = Date.now): MemoryStore {
  const entries = new LRUCache<string, { variant: Variant; until: number }>({
    maxSize: limitBytes,
    // One image must not evict all others.
    maxEntrySize: Math.max(1, Math.floor(limitBytes / 4)),
    sizeCalculation: ({ variant }) => variant.body.length + ENTRY_OVERHEAD_BYTES,
  })
  const get = (key: string): Variant | undefined => {
    const entry = entries.get(key)
    if (!entry || entry.until > now()) return entry?.variant
    entries.delete(key)
    return undefined
  }
  const put = (variant: Variant, keepMs: number) => {
    if (keepMs > 0) entries.set(variant.meta.key, { variant, until: now() + keepMs })
  }
  return {
    shared: false,
    get,
    put,
    drop: (key) => void entries.delete(key),
    getMany: async (keys) => keys.map(get),
    async set(variant, keepMs) {
      put(variant, keepMs)
      return entries.has(variant.meta.key)
    },
    async delete(key) {
      entries.delete(key)
    },
    probe: async () => true,
    close: async () => entries.clear(),
    get bytes() {
      return entries.calculatedSize
    },
  }
}

interface DiskStoreOptions {
  /** A folder only for this cache; created if missing. */
  dir: string
  limitBytes: number
  log: Log
  /** Milliseconds since the epoch. */
  now?: () => number
}

/** Unlike memory, a disk has faults that an operator must notice: a full disk, or a deleted folder. */
interface DiskStore extends VariantStore {
  /** Whether the last write succeeded. */
  readonly available: boolean
}

/**
 * Over the limit a sweep deletes the least recently used files down to this share of the limit, so that sweeps are
 * rare.
 */
const SWEEP_TO = 0.8
/** After writing this share of the limit a process counts the files again, because other processes write too. */
const RECOUNT_AFTER = 1 / 16
const EXPIRY_BYTES = 8

/** Opens the folder and counts the bytes in it. */
export async function createDiskStore({ dir, limitBytes, log, now = Date.now }: DiskStoreOptions): Promise<DiskStore> {
  await mkdir(dir, { recursive: true })
  let available = true
  let usedBytes = sizeOf(await listFiles(dir))
  let writtenBytes = 0
  let sweeping: Promise<void> | undefined

  const pathOf = (key: string) => {
    const digest = keyDigest(key)
    return join(dir, digest.slice(0, 2), digest.slice(2))
  }
  const fault = (event: string, error: unknown, message: string) => {
    available = false
    log.warn({ event, error }, message)
    return false
  }
  const sweep = async () => {
    const files = (await listFiles(dir)).sort((a, b) => a.usedAt - b.usedAt)
    usedBytes = sizeOf(files)
    writtenBytes = 0
    if (usedBytes <= limitBytes) return
    for (const file of files) {
      if (usedBytes <= limitBytes * SWEEP_TO) break
      await rm(file.path, { force: true })
      // Subtracted, not set: files that are written during the sweep count, too.
      usedBytes -= file.bytes
    }
  }

  return {
    shared: false,
    get available() {
      return available
    },
    getMany: (keys) => Promise.all(keys.map((key) => readVariant(pathOf(key), key, now(), log))),
    async set(variant, keepMs) {
      const bytes = encodeFile(variant, now() + keepMs)
      if (bytes.length > limitBytes / 4 || keepMs <= 0) return false
      try {
        await writeWhole(pathOf(variant.meta.key), bytes, now() / 1000)
        available = true
      } catch (error) {
        return fault('cache-write', error, 'cache file not written')
      }
      usedBytes += bytes.length
      writtenBytes += bytes.length
      if (usedBytes > limitBytes || writtenBytes > limitBytes * RECOUNT_AFTER)
        sweeping ??= sweep()
          .catch((error: unknown) => log.warn({ event: 'cache-sweep', error }, 'cache folder not swept'))
          .finally(() => {
            sweeping = undefined
          })
      await sweeping
      return true
    },
    async delete(key) {
      await rm(pathOf(key), { force: true }).catch(() => {})
    },
    async probe() {
      const file = join(dir, `probe.${process.pid}.tmp`)
      try {
        await writeFile(file, '')
        await rm(file)
        return true
      } catch (error) {
        return fault('cache-probe', error, 'CACHE_DIR is not writable: images are cached in memory only')
      }
    },
    async close() {
      await sweeping
    },
  }
}

/** A file begins with the time until which the variant is kept. */
function encodeFile(variant: Variant, until: number): Buffer {
  const expiry = Buffer.alloc(EXPIRY_BYTES)
  expiry.writeDoubleBE(until)
  return Buffer.concat([expiry, encodeVariant(variant)])
}

async function readVariant(file: string, key: string, now: number, log: Log): Promise<Variant | undefined> {
  try {
    const bytes = await readFile(file)
    if (bytes.length < EXPIRY_BYTES || bytes.readDoubleBE(0) <= now) return undefined
    const variant = decodeVariant(bytes.subarray(EXPIRY_BYTES), key)
    // Sweeps order files by the time of last use. A response neither waits for this update nor fails with it.
    if (variant) utimes(file, now / 1000, now / 1000).catch(() => {})
    return variant
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT')
      log.warn({ event: 'cache-read', error }, 'cache file not readable')
    return undefined
  }
}

async function writeWhole(file: string, bytes: Buffer, atSeconds: number): Promise<void> {
  const draft = `${file}.${randomBytes(6).toString('hex')}.tmp`
  try {
    await mkdir(dirname(file), { recursive: true })
    await writeFile(draft, bytes)
    await utimes(draft, atSeconds, atSeconds)
    await rename(draft, file)
  } catch (error) {
    await rm(draft, { force: true }).catch(() => {})
    throw error
  }
}

interface CacheFile {
  path: string
  bytes: number
  usedAt: number
}

function sizeOf(files: readonly CacheFile[]): number {
  return files.reduce((sum, file) => sum + file.bytes, 0)
}

async function listFiles(dir: string): Promise<CacheFile[]> {
  const files: CacheFile[] = []
  for (const folder of await readdir(dir, { withFileTypes: true })) {
    if (!folder.isDirectory() || folder.name.length !== 2) continue
    for (const name of await readdir(join(dir, folder.name))) {
      const path = join(dir, folder.name, name)
      // Another process may have deleted the file between the two calls.
      const facts = await stat(path).catch(() => undefined)
      if (facts) files.push({ path, bytes: facts.size, usedAt: facts.mtimeMs })
    }
  }
  return files
}
