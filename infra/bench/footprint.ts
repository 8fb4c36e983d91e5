// The memory of a whole stack: PSS, which counts a page that several processes share once, by process. And the peak of a
// build. Needs Linux, and for containers the rights to read their processes.

import { execFileSync, spawn } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { freePort } from '@portico/shared/kit/life/free-port.ts'
import { root } from '../checks/sources.ts'

const HELP = `node infra/bench/footprint.ts start [app folder]     a stack of portico start, 5 s after it is ready
node infra/bench/footprint.ts build [app folder]     the peak of portico build, with its processes at that moment
node infra/bench/footprint.ts compose [project]      the containers of a project that runs; portico unless given
node infra/bench/footprint.ts process <pid>          a process and its descendants

Prints PSS, and the part of it that is not of files, in MiB.`

const SETTLE_MS = 5000
const POLL_MS = 100
const PORTICO = join(root, 'services/stack/portico.mjs')

interface Footprint {
  name: string
  pss: number
  anonymous: number
}

const { values, positionals } = parseArgs({ options: { help: { type: 'boolean' } }, allowPositionals: true })
const [what, of = ''] = positionals
const appDir = resolve(of || join(root, 'web/app'))
if (values.help) console.log(HELP)
else if (what === 'start') await start()
else if (what === 'build') await build()
else if (what === 'compose') print(containersOf(of || 'portico').flatMap(readTree))
else if (what === 'process' && /^\d+$/.test(of)) print(readTree({ id: Number(of) }))
else {
  console.error(HELP)
  process.exitCode = 2
}

async function start(): Promise<void> {
  const stack = run(['start', '--json'], { PORT: String(await freePort()) })
  try {
    await new Promise<void>((ready, fail) => {
      stack.stdout.setEncoding('utf8').on('data', (text: string) => text.includes('"event":"ready"') && ready())
      stack.once('exit', (code) => fail(new Error(`portico start ended with code ${code}`)))
    })
    await sleep(SETTLE_MS)
    print(readTree({ id: stack.pid! }))
  } finally {
    stack.kill('SIGTERM')
  }
}

async function build(): Promise<void> {
  const child = run(['build'])
  child.stdout.resume()
  let peak: Footprint[] = []
  while (child.exitCode === null && child.signalCode === null) {
    const now = readTree({ id: child.pid! })
    if (sum(now) > sum(peak)) peak = now
    await sleep(POLL_MS)
  }
  print(peak)
  process.exitCode = child.exitCode ?? 1
}

function run(args: string[], environment: Record<string, string> = {}) {
  return spawn(process.execPath, [PORTICO, ...args], {
    env: { ...process.env, APP_DIR: appDir, ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
}

/** The first process of each container. */
function containersOf(project: string): { id: number; prefix: string }[] {
  const docker = (...args: string[]) => execFileSync('docker', args, { encoding: 'utf8' }).split('\n').filter(Boolean)
  const ids = docker('ps', '-q', '--filter', `label=com.docker.compose.project=${project}`)
  if (ids.length === 0) throw new Error(`no container of the compose project ${project} runs`)
  return docker('inspect', '-f', '{{.State.Pid}} {{.Name}}', ...ids).map((line) => {
    const [id, name] = line.split(' ')
    return { id: Number(id), prefix: `${name}: ` }
  })
}

/** A process and its descendants, those that ended meanwhile excepted. */
function readTree({ id, prefix = '' }: { id: number; prefix?: string }): Footprint[] {
  const children = new Map<number, number[]>()
  for (const name of readdirSync('/proc').filter((each) => /^\d+$/.test(each))) {
    // Fields behind the name in brackets (proc(5)): state, parent.
    const parent = Number(readProc(name, 'stat').split(') ').at(-1)?.split(' ')[1])
    children.set(parent, [...(children.get(parent) ?? []), Number(name)])
  }
  const family = (each: number): number[] => [each, ...(children.get(each) ?? []).flatMap(family)]
  return family(id).flatMap((each) => {
    const rollup = readProc(String(each), 'smaps_rollup')
    const mebibytes = (field: string) => Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(rollup)?.[1]) / 1024
    const footprint = { name: prefix + nameOf(each), pss: mebibytes('Pss'), anonymous: mebibytes('Pss_Anon') }
    return Number.isNaN(footprint.pss) ? [] : [footprint]
  })
}

/** The program and the script that it runs. */
function nameOf(id: number): string {
  const [program = '', ...args] = readProc(String(id), 'cmdline').split('\0')
  const script = args.find((each) => /\.[cm]?[jt]s$/.test(each))
  return script ? script.replace(/^.*\/node_modules\//, '').replace(`${root}/`, '') : basename(program)
}

function readProc(id: string, file: string): string {
  try {
    return readFileSync(`/proc/${id}/${file}`, 'utf8')
  } catch {
    // The process has ended.
    return ''
  }
}

function sum(footprints: readonly Footprint[]): number {
  return footprints.reduce((total, { pss }) => total + pss, 0)
}

function print(footprints: readonly Footprint[]): void {
  const line = (pss: number, anonymous: number, name: string) =>
    console.log(`${pss.toFixed(1).padStart(8)} ${anonymous.toFixed(1).padStart(8)}  ${name}`)
  console.log('     PSS     anon')
  for (const { pss, anonymous, name } of footprints) line(pss, anonymous, name)
  line(
    sum(footprints),
    footprints.reduce((total, { anonymous }) => total + anonymous, 0),
    `together, ${footprints.length} processes`,
  )
}
