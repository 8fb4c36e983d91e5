import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'

/** Prints that many ports, and keeps them until it is ended. */
const TAKES = 300
const CODE = `
const { freePort } = await import(${JSON.stringify(fileURLToPath(new URL('./free-port.ts', import.meta.url)))})
const ports = []
while (ports.length < ${TAKES}) ports.push(await freePort())
console.log(JSON.stringify(ports))
process.stdin.resume()
`

async function ports(): Promise<number[]> {
  const child = spawn(process.execPath, ['--input-type=module', '-e', CODE], { stdio: ['pipe', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill())
  const [text] = (await once(child.stdout, 'data')) as [Buffer]
  return JSON.parse(text.toString()) as number[]
}

// Without a reservation two processes would have 7 of 300 ports in common.
test('O1 no two processes that run at the same time get the same port', async () => {
  const [one, two] = await Promise.all([ports(), ports()])
  expect([one.length, two.length]).toEqual([TAKES, TAKES])
  expect(one.filter((port) => two.includes(port))).toEqual([])
})
