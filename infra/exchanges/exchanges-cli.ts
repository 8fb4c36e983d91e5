// Records what a whole stack responds to thousands of requests, and compares another revision with the recording:
//
//   node infra/exchanges/exchanges-cli.ts record /tmp/before
//   node infra/exchanges/exchanges-cli.ts compare /tmp/before
//
// The recording has the built sites, so that both revisions serve the same bytes.

import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import type { Manifest } from '@portico/shared/wire/build-output.ts'
import { makeFolder } from '../e2e/harness/processes.ts'
import { buildApp } from '../e2e/harness/replicas.ts'
import { writeSite } from '../e2e/sites/make-site.ts'
import { type Exchanged, play } from './play.ts'
import { FORMS } from './sites.ts'

const HELP = `Records the responses of a stack, and compares those of another revision with them.

  node infra/exchanges/exchanges-cli.ts record <folder> [--count 900] [--seed 1] [--form cdn]
  node infra/exchanges/exchanges-cli.ts compare <folder> [--form cdn]

  --count   requests for each form of the site (${FORMS.map(({ name }) => name).join(', ')})
  --form    one form; may be repeated

compare exits with 1 if a response differs in anything but dates, ids, times and ages.`
const SHOWN = 12

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    count: { type: 'string', default: '900' },
    seed: { type: 'string', default: '1' },
    form: { type: 'string', multiple: true },
    help: { type: 'boolean', default: false },
  },
})
const [command, given] = positionals
if (values.help || given === undefined || (command !== 'record' && command !== 'compare')) {
  console.log(HELP)
  process.exit(values.help ? 0 : 2)
}
const folder = resolve(given)
const names = FORMS.map(({ name }) => name)
for (const name of values.form ?? [])
  if (!names.includes(name)) refuse(`--form=${JSON.stringify(name)}: must be one of ${names.join(', ')}`)
const forms = FORMS.filter(({ name }) => values.form?.includes(name) ?? true)
const settings =
  command === 'record'
    ? { count: numberOf('count', values.count), seed: numberOf('seed', values.seed) }
    : await readSettings()
await mkdir(folder, { recursive: true })
if (command === 'record') await writeFile(join(folder, 'settings.json'), JSON.stringify(settings))
let differences = 0
for (const form of forms) {
  const appDir = join(folder, form.name)
  if (command === 'record') {
    await writeSite(appDir, form.files)
    await buildApp(appDir)
  }
  // The build has written it.
  const manifest = JSON.parse(await readFile(join(appDir, 'dist/manifest.json'), 'utf8')) as Manifest
  const data = await makeFolder('exchanges')
  const seen: Exchanged[] = []
  await play(form, { appDir, dataDir: data.path, manifest, ...settings, onExchange: (each) => seen.push(each) })
  await data.remove()
  const file = join(folder, `${form.name}.json`)
  if (command === 'record') await writeFile(file, JSON.stringify(seen))
  else differences += compare(form.name, JSON.parse(await readFile(file, 'utf8')) as Exchanged[], seen)
  console.log(`${form.name}: ${seen.length} exchanges`)
}
if (command === 'compare') console.log(`${differences} differ`)
process.exit(differences === 0 ? 0 : 1)

function refuse(fault: string): never {
  console.error(fault)
  process.exit(2)
}

function numberOf(name: string, text: string): number {
  return /^[1-9]\d{0,8}$/.test(text)
    ? Number(text)
    : refuse(`--${name}=${JSON.stringify(text)}: must be a number above 0`)
}

async function readSettings(): Promise<{ count: number; seed: number }> {
  const text = await readFile(join(folder, 'settings.json'), 'utf8').catch(() =>
    refuse(`${folder} has no recording; record one first`),
  )
  return JSON.parse(text) as { count: number; seed: number }
}

function compare(name: string, before: readonly Exchanged[], after: readonly Exchanged[]): number {
  let differing = 0
  for (const [at, { request, response }] of before.entries()) {
    const now = after[at]?.response
    if (now === response) continue
    if (differing++ < SHOWN) console.log(`\n${name} ${at}: ${request}\n${differenceOf(response, now)}`)
  }
  return differing
}

/** The lines that only one of them has; those of the body are long. */
function differenceOf(before = '(no response)', now = '(no response)'): string {
  const [old, own] = [before.split('\n'), now.split('\n')]
  const only = (lines: string[], others: string[], sign: string) =>
    lines.filter((line) => !others.includes(line)).map((line) => `${sign} ${line.slice(0, 300)}`)
  return [...only(old, own, '-'), ...only(own, old, '+')].slice(0, 8).join('\n')
}
