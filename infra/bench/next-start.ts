// One app of the Pages Router, served by `next start` and by `npm start` of Portico, both on this machine and in turns:
// requests a second of a page that is kept, of a page that is rendered for each request, and of an optimised image.

import { execFileSync, spawn } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { freePort } from '@portico/shared/kit/life/free-port.ts'
import sharp from 'sharp'
import { root } from '../checks/sources.ts'
import { ended } from '../e2e/harness/processes.ts'
import { measureInTurns, TURN_OPTIONS, turnsOf } from './gateway/rates.ts'
import { waitFor, withProcesses } from './processes.ts'

const HELP = `node infra/bench/next-start.ts [--rounds 5] [--seconds 3] [--next 16.4.6]

Writes an app of the Pages Router with two pages and an image into a temporary folder, installs Next.js there, builds the
app with Next.js and with Portico, and starts both. Requests a second and processor time of a request, in all processes of
a server, 16 connections, medians of the rounds, and the ratio of Portico to \`next start\`. Portico runs as \`npm start\` does:
four services, one process each. On a machine that other programs use, too, take the processor time: more processes get more
of the machine. Needs wrk and the registry of npm; about two minutes.`

const REACT = '19.3.1'
const ROWS = 150
const PATHS = {
  'page that is kept (getStaticProps)': '/kept',
  'page for each request (getServerSideProps)': '/made',
  'optimised image (/_next/image)': '/_next/image?url=%2Fpicture.jpg&w=640&q=75',
}

const { values: given } = parseArgs({ options: { ...TURN_OPTIONS, next: { type: 'string', default: '16.4.6' } } })
if (given.help) console.log(HELP)
else await withProcesses('next-start', measure)

async function measure(folder: string, children: ReturnType<typeof spawn>[]): Promise<void> {
  const app = join(folder, 'app')
  await writeApp(app)
  execFileSync('npm', ['install', '--no-audit', '--no-fund', '--silent'], { cwd: app, stdio: 'inherit' })
  const next = join(app, 'node_modules/next/dist/bin/next')
  const env = { ...process.env, NODE_ENV: 'production' as const, NEXT_TELEMETRY_DISABLED: '1' }
  execFileSync(process.execPath, [next, 'build'], { cwd: app, env, stdio: ['ignore', 'ignore', 'inherit'] })
  const port = await freePort()
  const server = spawn(process.execPath, [next, 'start', '--port', String(port)], { cwd: app, env, stdio: 'ignore' })
  children.push(server)
  const portico = await startPortico(app, join(folder, 'data'))
  try {
    await report({ 'next start': { url: `http://127.0.0.1:${port}`, child: server }, portico })
  } finally {
    portico.child.kill('SIGTERM')
    await ended(portico.child)
  }
}

async function startPortico(app: string, dataDir: string): Promise<{ url: string; child: ReturnType<typeof spawn> }> {
  const env = { ...process.env, APP_DIR: app, DATA_DIR: dataDir, HOST: '127.0.0.1', PORT: String(await freePort()) }
  const command = join(root, 'services/stack/portico.mjs')
  execFileSync(process.execPath, [command, 'build'], { env, stdio: ['ignore', 'ignore', 'inherit'] })
  // Not a pipe: wrk blocks this process, which would not read the log.
  const child = spawn(process.execPath, [command, 'start'], { env, stdio: 'ignore' })
  return { url: `http://127.0.0.1:${env.PORT}`, child }
}

type Server = Awaited<ReturnType<typeof startPortico>>

async function report(servers: Record<'next start' | 'portico', Server>): Promise<void> {
  const targets = Object.entries(PATHS).flatMap(([name, path]) =>
    Object.entries(servers).map(([server, { url, child }]) => ({
      name: `${server}: ${name}`,
      url: url + path,
      process: child,
    })),
  )
  for (const { url } of targets) await waitFor(url)
  const middle = measureInTurns(targets, turnsOf(given))
  const figures = (name: string, of: 'rate' | 'cpu') => {
    const [next, portico] = [middle(`next start: ${name}`, of), middle(`portico: ${name}`, of)]
    const [left, right] = [next, portico].map((figure) => Math.round(figure).toString().padStart(10))
    return `${left} ${right} ${(portico / next).toFixed(2).padStart(7)}`
  }
  console.log(`${'requests a second'.padEnd(44)} next start    portico   ratio`)
  for (const name of Object.keys(PATHS)) console.log(`${name.padEnd(44)} ${figures(name, 'rate')}`)
  console.log(`\n${'processor time of a request, µs'.padEnd(44)} next start    portico   ratio`)
  for (const name of Object.keys(PATHS)) console.log(`${name.padEnd(44)} ${figures(name, 'cpu')}`)
}

/** Pages of about 12 kB with the same component. */
async function writeApp(app: string): Promise<void> {
  await mkdir(join(app, 'pages'), { recursive: true })
  await mkdir(join(app, 'public'))
  const dependencies = { next: given.next, react: REACT, 'react-dom': REACT }
  await writeFile(join(app, 'package.json'), JSON.stringify({ name: 'bench', private: true, dependencies }))
  const page = (data: string) => `export default function Page({ rows }) {
  return <main><h1>Rows</h1><ul>{rows.map((row) => <li key={row}><a href={'#' + row}>{row}</a></li>)}</ul></main>
}
const rows = Array.from({ length: ${ROWS} }, (_, index) => 'The row with the number ' + index)
${data}
`
  await writeFile(
    join(app, 'pages/kept.jsx'),
    page('export const getStaticProps = async () => ({ props: { rows }, revalidate: 3600 })'),
  )
  await writeFile(
    join(app, 'pages/made.jsx'),
    page('export const getServerSideProps = async () => ({ props: { rows } })'),
  )
  const noise = { type: 'gaussian' as const, mean: 128, sigma: 30 }
  await sharp({ create: { width: 1600, height: 1000, channels: 3, background: '#888', noise } })
    .jpeg({ quality: 70 })
    .toFile(join(app, 'public/picture.jpg'))
}
