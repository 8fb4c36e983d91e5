// The renderer under development (V1): Vite in this process, pages of the current sources, the development connection, the
// feed for the other services, and the author's editor. open.ts loads this part only in development mode;
// production images do not contain it. Building is left to web/build/dev, rendering to the parts that production has.

import { spawn } from 'node:child_process'
import { existsSync, realpathSync } from 'node:fs'
import { basename, join, resolve, sep } from 'node:path'
import { createDevBuild, type DevBuild, type DevChange, type DevState } from '@portico/build/dev/dev.ts'
import type { Log } from '@portico/shared/kit/observe/log.ts'
import { watchErrors } from '@portico/shared/kit/observe/watch-errors.ts'
import { type ThrownError, thrownError } from '@portico/shared/wire/dev/dev-inner.ts'
import type { DevError } from '@portico/shared/wire/dev/dev-wire.ts'
import { LRUCache } from 'lru-cache'
import type { RendererConfig } from '../config.ts'
import type { OpenedSite } from '../site/site.ts'
import { createDevErrorReader } from './dev-errors.ts'
import { createDevFeed, type DevFeed } from './dev-feed.ts'
import { createDevHub, type DevHub } from './dev-hub.ts'
import { createDevInnerRoutes } from './dev-inner-routes.ts'
import { createDevPages, type DevPages, type RequestedPage } from './dev-pages.ts'
import { createDevHandlers } from './dev-requests.ts'

/** Requests whose paths are kept for their errors. */
const MAX_REQUESTED = 500

/** Watches and serves the sources of the folder. `log` is that of the service. */
export async function openDevSite(config: RendererConfig, log: Log): Promise<OpenedSite> {
  const { appDir, environment } = config
  const { build, feed, hub, report } = await watchFolder(config, log)
  /** By request id: an error belongs to the requested page. */
  const requestedPages = new LRUCache<string, RequestedPage>({ max: MAX_REQUESTED })
  const pageLog = watchErrors(log, (error, { digest, requestId }) => {
    const thrown = thrownError('render', error, digest)
    const requested = requestedPages.get(requestId ?? '')
    if (!requested) return report(thrown)
    requested.message ??= thrown.message
    report({ ...thrown, ...(requestId !== undefined && { requestId }), url: requested.url, version: requested.version })
  })
  return {
    buildId: 'development',
    log: pageLog,
    async open(serve, { cookieSeals, after }) {
      const { setWarnings } = hub
      const pages = createDevPages({ appDir, build, environment, log: pageLog, setWarnings, requestedPages, serve })
      const warming = Promise.withResolvers<void>()
      return {
        listener: createDevHandlers({ config, build, hub, pages, requestedPages, report, log }),
        inner: {
          routes: createDevInnerRoutes({
            build,
            feed,
            cookieSeals,
            pages,
            report,
            after,
            requestedPages,
            warmed: warming.promise,
          }),
        },
        // Not awaited: requests that arrive before its end share its work.
        warm: async () => warming.resolve(warm(build, pages)),
      }
    },
    close: async () => {
      hub.close()
      await build.close()
    },
  }
}

interface WatchedFolder {
  build: DevBuild
  feed: DevFeed
  hub: DevHub
  /** Shows an error to the connected pages, in the author's terms. */
  report: (thrown: ThrownError) => void
}

/** Builds the folder; each change is sent to the services that follow it, then to the connected pages. */
async function watchFolder({ appDir, editor }: RendererConfig, log: Log): Promise<WatchedFolder> {
  const reader = createDevErrorReader(appDir)
  /** Whether the request began before the fix: its error would stay, because no later change clears it. */
  const isFixed = ({ source, file }: DevError, version: number | undefined): boolean => {
    if (version === undefined) return false
    const changed = build.changedSince(version)
    // Any file, and any value of the environment, may fix the configuration; the pages request it again after a change.
    if (source === 'config') return changed?.length !== 0
    return file !== undefined && changed?.includes(join(appDir, file)) === true
  }
  const report = (thrown: ThrownError) =>
    void reader
      .read(thrown)
      .then((error) => {
        if (!isFixed(error, thrown.version)) hub.report(error, thrown.requestId)
      })
      .catch((error: unknown) => log.warn({ error }, 'error not shown'))
  /** Clears the error of a module that was fixed, and replaces the error of a module that now has another one. */
  const recheck = async (known: DevError): Promise<void> => {
    const { file, message } = known
    const state = file === undefined ? { kind: 'fine' as const } : await build.vite().check(file)
    if (state.kind === 'server-code') return
    const next = state.kind === 'failed' ? await reader.read(thrownError('build', state.error)) : undefined
    if (next?.message === message) return
    hub.clear('build', file)
    if (next) hub.report(next)
  }
  const recheckErrors = async () => {
    for (const known of hub.errorsOf('build')) await recheck(known)
  }
  const build = await createDevBuild({
    appDir,
    onNotes: (lines) => {
      for (const line of lines) log.warn(line)
    },
    onHealed: () => {
      hub.clear('render')
      recheckErrors().catch((error: unknown) => log.warn({ error }, 'error not cleared'))
    },
    onChange: async (change, state) => {
      await feed.publish(state)
      // Without a change nothing is requested again, and the errors of requests remain.
      if (change) notifyBrowsers(hub, change, state, report)
      await recheckErrors()
    },
  })
  const { actionsEntry: entry, changedSince } = build
  const feed = createDevFeed({ first: await build.settled(), changedSince, entry })
  const hub = createDevHub({
    channel: () => build.vite().channel,
    open: createEditorOpener({ appDir, editor, say: (text) => log.warn(text) }),
  })
  build.onModuleError((error) => report(thrownError('build', error)))
  const first = await build.settled()
  hub.noteVersion(first.version)
  if (first.fault) report(thrownError('config', first.fault))
  return { build, feed, hub, report }
}

/**
 * Changed code clears the errors and warnings of its predecessor; the next request reports them again if they still
 * occur.
 */
function notifyBrowsers(hub: DevHub, change: DevChange, state: DevState, report: WatchedFolder['report']): void {
  hub.noteVersion(state.version)
  if (state.fault) return void report(thrownError('config', state.fault))
  for (const source of ['config', 'render', 'data', 'action', 'api'] as const) hub.clear(source)
  if (change.isServerSide || change.isOtherManifest) hub.clearWarnings()
  const { buildId } = state.manifest
  if (change.isOtherManifest) hub.send({ kind: 'routes', buildId, gone: change.gone })
  if (change.isServerSide) hub.send({ kind: 'changed' })
}

/** Loads the page that is requested first, then the modules that browsers load first: one process compiles both. */
async function warm(build: DevBuild, pages: () => Promise<DevPages>): Promise<void> {
  const now = await pages()
  // The first request for the page reports the error.
  if (now.kind === 'pages') await now.warm().catch(() => {})
  build.vite().warmBrowser()
}

/** How editors accept a line and a column; other editors receive only the file. */
const FORMS: readonly [RegExp, (file: string, line: number, column: number) => string[]][] = [
  [/^(code|code-insiders|codium|cursor|windsurf)$/, (file, line, column) => ['--goto', `${file}:${line}:${column}`]],
  [/^(subl|zed|atom|hx)$/, (file, line, column) => [`${file}:${line}:${column}`]],
  [/^(webstorm|idea|phpstorm|rider)$/, (file, line, column) => ['--line', `${line}`, '--column', `${column}`, file]],
  [/^(vim|nvim|gvim|emacs|emacsclient|nano)$/, (file, line) => [`+${line}`, file]],
]

interface EditorDeps {
  appDir: string
  /** The author's editor, a command with arguments: `EDITOR` of the environment. */
  editor: string
  say: (message: string) => void
}

/**
 * SECURITY: accepts only existing files of the app folder and starts the command without a shell, so that a page cannot
 * run another command.
 */
function createEditorOpener({ appDir, editor, say }: EditorDeps) {
  return function openInEditor(file: string, line: number, column: number): void {
    const path = resolve(appDir, file)
    if (!existsSync(path) || !realpathSync(path).startsWith(realpathSync(appDir) + sep)) return
    const [command = editor, ...given] = editor.split(/\s+/).filter((part) => part !== '')
    const form = FORMS.find(([name]) => name.test(basename(command)))?.[1]
    const child = spawn(command, [...given, ...(form?.(path, line, column) ?? [path])], {
      stdio: 'ignore',
      detached: true,
    })
    child.on('error', () =>
      say(`${command}: the editor could not be started; set EDITOR to the command of your editor`),
    )
    child.unref()
  }
}
