// Starts and stops a real PostgreSQL for tests, with its data in a temporary folder.

import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chown, mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { freePort } from '../life/free-port.ts'

const USER = 'portico'
/** Longest time until the server accepts connections. */
const START_LIMIT_MS = 20_000

export interface Postgres {
  /** The database `postgres`. */
  url: string
  /** Creates an empty database; resolves with its address. */
  createDatabase(name: string): Promise<string>
  /** Runs a file of SQL. */
  runFile(path: string): Promise<void>
  /** Kills the server as a power failure does, and starts it again on the same port. */
  restart(): Promise<void>
  stop(): Promise<void>
}

/** Whether the tests may use PostgreSQL. A missing PostgreSQL is a failure if PORTICO_TEST_REQUIRE names it. */
export function hasPostgres(): boolean {
  try {
    for (const program of ['initdb', 'postgres', 'psql']) execFileSync(program, ['--version'])
    return true
  } catch (cause) {
    if (process.env.PORTICO_TEST_REQUIRE?.includes('postgres'))
      throw new Error('PORTICO_TEST_REQUIRE names postgres, but initdb, postgres or psql is not on the PATH', { cause })
    return false
  }
}

/** Starts a server on a free port of this machine; resolves when the server accepts connections. */
export async function startPostgres(): Promise<Postgres> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'portico-postgres-')))
  const owner = serverUser()
  if (owner) await chown(folder, owner.uid, owner.gid)
  const data = `${folder}/data`
  execFileSync('initdb', ['-D', data, '-U', USER, '-A', 'trust', '--no-sync'], { ...owner, cwd: folder })
  const port = await freePort()
  const settings = [`port=${port}`, 'listen_addresses=127.0.0.1', 'unix_socket_directories=', 'fsync=off']
  const start = () => {
    const args = ['-D', data, ...settings.flatMap((setting) => ['-c', setting])]
    return ready(spawn('postgres', args, { ...owner, cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] }))
  }
  let child = await start()
  const kill = async () => {
    const exited = once(child, 'exit')
    child.kill('SIGQUIT')
    await exited
  }
  const addressOf = (name: string) => `postgres://${USER}@127.0.0.1:${port}/${name}`
  const url = addressOf('postgres')
  const psql = (...args: string[]) => promisify(execFile)('psql', [url, '--quiet', '-v', 'ON_ERROR_STOP=1', ...args])
  return {
    url,
    async createDatabase(name) {
      await psql('-c', `CREATE DATABASE "${name}"`)
      return addressOf(name)
    },
    async runFile(path) {
      await psql('-f', path)
    },
    async restart() {
      await kill()
      child = await start()
    },
    async stop() {
      await kill()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** Resolves when the server accepts connections. */
async function ready(child: ChildProcess): Promise<ChildProcess> {
  let log = ''
  await new Promise<void>((resolve, reject) => {
    const fail = () => {
      child.kill('SIGQUIT')
      reject(new Error(`PostgreSQL did not start\n${log}`))
    }
    const timer = setTimeout(fail, START_LIMIT_MS)
    child.once('exit', fail)
    child.stderr?.on('data', (chunk: Buffer) => {
      log += chunk.toString()
      if (!log.includes('ready to accept connections')) return
      clearTimeout(timer)
      child.off('exit', fail)
      resolve()
    })
  })
  return child
}

/** PostgreSQL does not run as root. */
function serverUser(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined
  const id = (option: string) => Number(execFileSync('id', [option, 'nobody'], { encoding: 'utf8' }))
  return { uid: id('-u'), gid: id('-g') }
}
