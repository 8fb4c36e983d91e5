// The builds of which a gateway has replicas and is not (O12): their manifests, requested from their renderers, because in the
// gap of a deploy a request is responded to by the rules of the build that responds.

import type { Log } from '@portico/shared/kit/observe/log.ts'
import { type Manifest, parseManifest } from '@portico/shared/wire/build-output.ts'
import { BUILD_PATH } from '@portico/shared/wire/constants.ts'
import { parseJson } from '@portico/shared/wire/json/json-value.ts'
import { buildOf, chooseOfBuild, createReplicaClient, type Replica, type Replicas } from '../replicas/replicas.ts'

/** A manifest has an entry for each page and file of the site. */
const MANIFEST_LIMIT_BYTES = 32 * 1024 * 1024
const TIMEOUT_MS = 10_000
/** Pause before a manifest is requested again. */
const RETRY_MS = 1000
/** Builds whose manifests are kept: a deploy has two, a deploy that went back three. */
const MOST_BUILDS = 4

interface OtherBuild {
  /** Undefined while it is not loaded, and for a build that this gateway cannot serve. */
  manifest: Manifest | undefined
  /** Resolves when the manifest is loaded, or cannot be. */
  readonly settled: Promise<void>
  isSettled: boolean
}

export interface OtherBuilds {
  /** A renderer became ready. */
  note(replica: Replica): void
  /** The newest first. Empty in a stack of one build. */
  names(): readonly string[]
  of(build: string): Readonly<OtherBuild> | undefined
  close(): void
}

export interface OtherBuildsDeps {
  /** The build of the gateway. */
  own: string
  /** The replicas of the renderer. */
  replicas: Replicas
  token: () => string | undefined
  log: Pick<Log, 'info' | 'warn' | 'error'>
  retryMs?: number
}

export function createOtherBuilds({ own, replicas, token, log, retryMs = RETRY_MS }: OtherBuildsDeps): OtherBuilds {
  const limits = { limitBytes: MANIFEST_LIMIT_BYTES, readingLimitBytes: MANIFEST_LIMIT_BYTES }
  const client = createReplicaClient({ replicas, token, timeoutMs: TIMEOUT_MS, ...limits })
  const builds = new Map<string, OtherBuild>()
  const timers = new Set<NodeJS.Timeout>()
  let names: readonly string[] = []
  let isClosed = false

  /** Undefined: try again. Throws for a manifest that this gateway cannot read. */
  const request = async (build: string): Promise<Manifest | undefined> => {
    const replica = chooseOfBuild(replicas, build)
    if (!replica) return undefined
    const result = await client.send(replica, { path: BUILD_PATH, isRepeatable: true })
    if (result.kind === 'fault') {
      log.warn({ event: 'other-build', build, fault: result.fault, replica: replica.name }, 'rules of a build not read')
      return undefined
    }
    const manifest = parseManifest(parseJson(result.bytes.toString()))
    return manifest.buildId === build ? manifest : undefined
  }

  const pause = () =>
    new Promise<void>((done) => {
      const timer = setTimeout(() => {
        timers.delete(timer)
        done()
      }, retryMs).unref()
      timers.add(timer)
    })

  const load = async (build: string): Promise<Manifest | undefined> => {
    while (!isClosed && names.includes(build)) {
      try {
        const manifest = await request(build)
        if (manifest) return manifest
      } catch (error) {
        const text = 'this gateway cannot serve a build that runs: requests of the build wait for its gateway'
        log.error({ event: 'other-build', build, error }, text)
        return undefined
      }
      await pause()
    }
    return undefined
  }

  const add = (build: string) => {
    names = [build, ...names].slice(0, MOST_BUILDS)
    for (const name of builds.keys()) if (!names.includes(name)) builds.delete(name)
    const other: OtherBuild = {
      manifest: undefined,
      isSettled: false,
      settled: load(build).then((manifest) => {
        other.manifest = manifest
        other.isSettled = true
        if (manifest) log.info({ event: 'other-build', build }, 'rules of another build read')
      }),
    }
    builds.set(build, other)
  }

  return {
    note(replica) {
      const build = buildOf(replica)
      if (build !== undefined && build !== own && !builds.has(build)) add(build)
    },
    names: () => names,
    of: (build) => builds.get(build),
    close() {
      isClosed = true
      for (const timer of timers) clearTimeout(timer)
      client.close()
    },
  }
}
