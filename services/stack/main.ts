// `portico start` and `portico dev` on the Node of portico.mjs: checks, builds if needed, starts the four services, stops them in order.

import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { loadAppBuild } from '@portico/shared/kit/config/app-build.ts'
import { withoutSecrets } from '@portico/shared/kit/config/config.ts'
import { buildIfNeeded, prepareDevelopment } from './build-if-needed.ts'
import { isRunByNpm, readStackConfig, wantsColour } from './config.ts'
import { helpText } from './help.ts'
import {
  appEnvironmentOf,
  checkMachine,
  listenHost,
  networkAddresses,
  OptionError,
  prepareDataFolder,
  readAppEnvironment,
  readOptions,
  readScale,
} from './plan/plan.ts'
import { createStackLog } from './pretty-log.ts'
import { type Stack, startStack } from './stack.ts'

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..')
/** Ctrl-C sends SIGINT to npm and to this process, and npm passes it on: only a signal after this time is a second one. */
const SECOND_SIGNAL_MS = 1000
const PARENT_POLL_MS = 500
/** Exit code for a command line that cannot be parsed. */
const USAGE_ERROR_CODE = 2

const options = readOptions(process.argv.slice(2))
if (options.help) {
  process.stdout.write(helpText())
  process.exit(0)
}

if (options.unknown.length > 0) {
  const command = options.dev ? 'portico dev' : 'portico start'
  process.stderr.write(`${command}: ${options.unknown.join(' ')}: unknown option; see ${command} --help\n`)
  process.exit(USAGE_ERROR_CODE)
}

const log = createStackLog({
  out: process.stdout,
  json: options.json,
  colour: wantsColour(process.env, process.stdout.isTTY === true),
})

let stack: Stack | undefined
let stoppingSince: number | undefined

function stop(reason: string): void {
  if (stoppingSince !== undefined) {
    if (Date.now() - stoppingSince < SECOND_SIGNAL_MS) return
    log.say('killed by a second signal', {}, 'warn')
    stack?.kill()
    process.exit(1)
  }
  stoppingSince = Date.now()
  if (!stack) process.exit(0)
  log.say(`stopping (${reason})`)
  void stack.stop().then((code) => {
    log.say(code === 0 ? 'stopped' : 'stopped; a service exited with an error', {}, code === 0 ? 'info' : 'warn')
    process.exit(code === 0 ? 0 : 1)
  })
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stop(signal))
// npm and its shell exit on SIGTERM without passing the signal on.
if (isRunByNpm(process.env)) {
  const parent = process.ppid
  const watch = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(watch)
    stop('npm exited')
  }, PARENT_POLL_MS)
  watch.unref()
}

try {
  const isDevelopment = options.dev
  const warn = (message: string) => log.say(message, {}, 'warn')
  const own = readStackConfig(process.env, warn)
  const isSet = Boolean(process.env.HOST)
  const host = listenHost({ isDevelopment, option: options.host, setting: own.host, isSet, warn })
  const settings = { ...own, host, isDevelopment }
  const environment = readAppEnvironment(appEnvironmentOf(settings)).values
  const config = { ...settings, scale: readScale(options.scale, { isDevelopment, environment }) }
  await checkMachine(config)
  await prepareDataFolder(config)
  const task = {
    root,
    appDir: config.appDir,
    // SECURITY: scripts of packages and of the site run there, and need no key of the stack.
    environment: withoutSecrets(process.env),
    say: (text: string) => log.say(text),
  }
  let finish = () => {}
  if (!options.noBuild) {
    if (isDevelopment) finish = await prepareDevelopment(task)
    else await buildIfNeeded(task)
  } else if (!isDevelopment) {
    // One sentence instead of one from each service.
    await loadAppBuild(config.appDir)
  }
  const started = await startStack({
    root,
    config,
    log,
    onStarted: (processes) => {
      stack = processes
    },
  })
  if (stoppingSince === undefined) {
    log.say(`ready on ${started.address}`, { event: 'ready', address: started.address })
    if (isDevelopment)
      for (const address of networkAddresses(host, Number(new URL(started.address).port)))
        log.say(`other machines reach it on ${address}`)
    finish()
  }
} catch (error) {
  if (stoppingSince === undefined) {
    for (const line of (error instanceof Error ? error.message : String(error)).split('\n')) log.say(line, {}, 'error')
    stack?.kill()
    process.exit(error instanceof OptionError ? USAGE_ERROR_CODE : 1)
  }
}
