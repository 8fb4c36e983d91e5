// WebKit, Safari's engine, in the small browser that WebKitGTK is tested with, on a display without a screen.

import { type ChildProcess, spawn } from 'node:child_process'
import { globSync } from 'node:fs'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { freePort } from '@portico/shared/kit/life/free-port.ts'
import { ended, makeFolder } from '../harness/processes.ts'
import { type EnginePage, findProgram, type PageOptions } from './engine.ts'
import { connectWebDriver } from './webdriver.ts'

/** Debian and Fedora keep the browser outside of the PATH. */
const BROWSERS = '/usr/{lib/*,lib64,libexec}/{webkit2gtk-4.*,webkitgtk-6.*}/MiniBrowser'

interface Programs {
  driver: string
  display: string
  browser: string
}

export function findWebKit(): Programs | undefined {
  const driver = findProgram('WebKitWebDriver')
  const display = findProgram('Xvfb')
  const [browser] = globSync(BROWSERS)
  return driver && display && browser ? { driver, display, browser } : undefined
}

/** Starts a display, and a driver that starts a browser: a driver has one browser at a time. */
export async function openWebKit({ javaScriptEnabled }: PageOptions): Promise<EnginePage> {
  const programs = findWebKit()
  if (!programs) throw new Error('no WebKitWebDriver or Xvfb on the PATH, or no MiniBrowser of WebKitGTK')
  const home = await makeFolder('webkit')
  const display = spawn(programs.display, ['-displayfd', '3', '-screen', '0', '1280x1024x24', '-nolisten', 'tcp'], {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
  })
  const number = await firstLine(display.stdio[3] as Readable)
  const port = await freePort()
  const driver = spawn(programs.driver, ['--host=127.0.0.1', `--port=${port}`], {
    env: {
      ...process.env,
      DISPLAY: `:${number}`,
      HOME: home.path,
      XDG_RUNTIME_DIR: home.path,
      // The sandbox needs user namespaces, which root in a container does not have.
      WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS: '1',
      LIBGL_ALWAYS_SOFTWARE: '1',
      NO_AT_BRIDGE: '1',
    },
    stdio: 'ignore',
  })
  const stop = async () => {
    await end(driver)
    await end(display)
    await home.remove()
  }
  const args = ['--automation', `--enable-javascript=${javaScriptEnabled}`]
  const session = await connectWebDriver(`http://127.0.0.1:${port}`, {
    'webkitgtk:browserOptions': { binary: programs.browser, args },
  }).catch(async (cause: unknown) => {
    await stop()
    throw new Error('WebKit was not started', { cause })
  })
  return {
    goto: (url) => session.navigate(url),
    hover: (selector) => session.movePointer(selector),
    click: (selector) => session.click(selector),
    type: (selector, text) => session.sendKeys(selector, text),
    evaluate: (expression) => session.execute(`return (${expression})`),
    async close() {
      await session.end().finally(stop)
    },
  }
}

async function firstLine(stream: Readable): Promise<string> {
  for await (const line of createInterface({ input: stream })) return line
  throw new Error('Xvfb ended before it had a display')
}

async function end(child: ChildProcess): Promise<void> {
  child.kill('SIGTERM')
  await ended(child)
}
