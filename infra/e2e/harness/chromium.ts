// Chromium for the browser tests: where it is, how it is started, and pages that record their faults.

import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Browser, type BrowserContextOptions, type BrowserServer, chromium, type Page } from 'playwright-core'

interface ChromiumOptions {
  /** Shows a page again as it was left. Playwright turns this off; the browsers of users do it. */
  keepsPages?: boolean
}

/** Starts a headless Chromium. Throws where no Chromium is installed. */
export function launchChromium(options: ChromiumOptions = {}): Promise<Browser> {
  return chromium.launch(launchOptions(options))
}

/** Starts a headless Chromium that other processes connect to. */
export function serveChromium(options: ChromiumOptions = {}): Promise<BrowserServer> {
  return chromium.launchServer(launchOptions(options))
}

function launchOptions({ keepsPages = false }: ChromiumOptions) {
  return {
    executablePath: chromiumPath(keepsPages),
    args: QUIET,
    ignoreDefaultArgs: keepsPages ? ['--disable-back-forward-cache'] : [],
  }
}

/** The program. Throws where no Chromium is installed. */
export function chromiumPath(keepsPages = false): string {
  // The shell without an interface takes a third of the processor time, and keeps no pages.
  const path = (keepsPages ? undefined : findShell()) ?? findChromium()
  if (!path) throw new Error('no Chromium on the PATH or at CHROMIUM_PATH')
  return path
}

/** Without the sandbox (root in a container), and without calls to hosts that a test machine cannot reach. */
const QUIET = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

function findShell(): string | undefined {
  return findOnPath('chromium-headless-shell')
}

function findChromium(): string | undefined {
  const { CHROMIUM_PATH } = process.env
  return CHROMIUM_PATH && existsSync(CHROMIUM_PATH) ? CHROMIUM_PATH : findOnPath('chromium')
}

function findOnPath(name: string): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter).filter(Boolean)
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path))
}

/** Chromium may never close a page that loads. The page then stays until its browser ends. */
const CLOSE_MS = 10_000

export interface WatchedPage {
  page: Page
  /** Console errors, uncaught errors and failed requests so far. */
  faults: string[]
  /** Addresses that were loaded as documents so far. */
  documents: string[]
  /** Addresses of all requests so far. */
  requests: string[]
  close: () => Promise<void>
}

/** A page in its own context. */
export async function openPage(browser: Browser, options: BrowserContextOptions = {}): Promise<WatchedPage> {
  const context = await browser.newContext(options)
  const page = await context.newPage()
  const faults: string[] = []
  const documents: string[] = []
  const requests: string[] = []
  page.on('console', (message) => {
    // The browser requests it, not the page: a site need not have one.
    if (message.location().url.endsWith('/favicon.ico')) return
    if (message.type() === 'error' || /hydrat/i.test(message.text())) faults.push(`console: ${message.text()}`)
  })
  page.on('pageerror', (error) => faults.push(`uncaught: ${error.message}`))
  page.on('response', (response) => {
    if (response.status() >= 400) faults.push(`${response.status()} ${response.url()}`)
  })
  page.on('request', (request) => {
    requests.push(request.url())
    if (request.isNavigationRequest() && request.frame() === page.mainFrame()) documents.push(request.url())
  })
  const close = () => Promise.race([context.close(), sleep(CLOSE_MS)])
  return { page, faults, documents, requests, close }
}

/** Waits until React has taken over the element: from then on a click is the page's own. */
export async function hydrated(page: Page, selector: string, timeout = 15_000): Promise<void> {
  await page.waitForFunction(
    (wanted) => {
      const element = document.querySelector(wanted)
      return element !== null && Object.keys(element).some((key) => key.startsWith('__reactProps'))
    },
    selector,
    { timeout },
  )
}
