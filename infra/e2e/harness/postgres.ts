// Starts and stops a real PostgreSQL for tests, with its data in a temporary folder.

import { execFileSync, spawn } from 'node:child_process'
import { chown } from 'node:fs/promises'
import { freePort } from '@portico/shared/kit/life/free-port.ts'
import { ended, makeFolder, run } from './processes.ts'

const USER = 'portico'
/** Longest time until the server accepts connections. */
const START_LIMIT_MS = 20_000

export interface Postgres {
  url: string
  /** Runs a file of SQL. */
  runFile(path: string): Promise<void>
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
  const folder = await makeFolder('postgres')
  const owner = serverUser()
  if (owner) await chown(folder.path, owner.uid, owner.gid)
  const data = `${folder.path}/data`
  execFileSync('initdb', ['-D', data, '-U', USER, '-A', 'trust', '--no-sync'], { ...owner, cwd: folder.path })
  const port = await freePort()
  const settings = [`port=${port}`, 'listen_addresses=127.0.0.1', 'unix_socket_directories=', 'fsync=off']
  const child = spawn('postgres', ['-D', data, ...settings.flatMap((setting) => ['-c', setting])], {
    ...owner,
    cwd: folder.path,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let log = ''
  await new Promise<void>((resolve, reject) => {
    const fail = () => {
      child.kill('SIGQUIT')
      reject(new Error(`PostgreSQL did not start\n${log}`))
    }
    const timer = setTimeout(fail, START_LIMIT_MS)
    child.once('exit', fail)
    child.stderr.on('data', (chunk: Buffer) => {
      log += chunk.toString()
      if (!log.includes('ready to accept connections')) return
      clearTimeout(timer)
      resolve()
    })
  })
  const url = `postgres://${USER}@127.0.0.1:${port}/postgres`
  return {
    url,
    async runFile(path) {
      const { code, output } = await run('psql', [url, '--quiet', '-v', 'ON_ERROR_STOP=1', '-f', path], { cwd: '/' })
      if (code !== 0) throw new Error(output)
    },
    async stop() {
      child.kill('SIGQUIT')
      await ended(child)
      await folder.remove()
    },
  }
}

/** PostgreSQL does not run as root. */
function serverUser(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined
  const id = (option: string) => Number(execFileSync('id', [option, 'nobody'], { encoding: 'utf8' }))
  return { uid: id('-u'), gid: id('-g') }
}
