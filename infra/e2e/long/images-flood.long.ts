// The effect of image work on clients of pages: the compose stack with its limits, a page at 50 requests a second, and
// a flood of cold images meanwhile. Then the memory that such a flood leaves behind.

import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { soft } from '@portico/images/testing/source-images.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { percentile, steadily } from '../../bench/gateway/pace.ts'
import { type ComposeStack, startCompose } from '../harness/compose-stack.ts'
import { send } from '../harness/http.ts'
import { copyApp, makeFolder, type TemporaryFolder } from '../harness/processes.ts'
import { FIXTURE } from '../sites/sites.ts'
import { COLD_SOURCES, createColdImages, floodWithImages } from './cold-images.ts'

/** Smaller numbers try the test; only the ones given here prove anything. */
const SAMPLES = Number(process.env.PORTICO_FLOOD_SAMPLES ?? 3000)
const RUNS = Number(process.env.PORTICO_FLOOD_RUNS ?? 5)
const VARIANTS = Number(process.env.PORTICO_FLOOD_VARIANTS ?? 2000)
const PAGES_PER_SECOND = 50
const IN_FLIGHT = 24
const PINNED = ['-f', 'docker-compose.yml', '-f', 'docker/compose.cores.yml']

let stack: ComposeStack
let folder: TemporaryFolder

beforeAll(async () => {
  folder = await makeFolder('flood-site')
  await copyApp(FIXTURE.appDir, folder.path)
  await mkdir(join(folder.path, 'public/pictures'), { recursive: true })
  for (let at = 0; at < COLD_SOURCES; at++)
    await writeFile(join(folder.path, `public/pictures/wide-${at}.jpg`), await soft(3840, 2160))
  stack = await startCompose({ appDir: folder.path })
})
afterAll(async () => {
  await stack?.down()
  await folder?.remove()
})

describe('memory', () => {
  /** Runs in the container: memory of its processes, without the memory of the cache, and the figures of the kernel. */
  const SCRIPT = `
    const fs = require('node:fs')
    const read = (path) => { try { return fs.readFileSync(path, 'utf8') } catch { return '' } }
    const own = fs.readdirSync('/proc').filter((id) => /^\\d+$/.test(id) && Number(id) !== process.pid)
      .map((id) => Number(/RssAnon:\\s+(\\d+)/.exec(read('/proc/' + id + '/status'))?.[1] ?? 0) * 1024)
      .reduce((sum, bytes) => sum + bytes, 0)
    fetch('http://127.0.0.1:9090/metrics').then((response) => response.text()).then((metrics) => {
      const cached = Number(/^portico_images_memory_cache_bytes\\S* (\\d+)/m.exec(metrics)?.[1] ?? 0)
      const peak = Number(read('/sys/fs/cgroup/memory.peak') || read('/sys/fs/cgroup/memory/memory.max_usage_in_bytes'))
      const kills = Number(/oom_kill (\\d+)/.exec(read('/sys/fs/cgroup/memory.events'))?.[1] ?? 0)
      console.log(JSON.stringify({ resident: own - cached, peak, kills }))
    })`
  const look = async () => {
    const text = await stack.compose('exec', '-T', 'images', 'node', '-e', SCRIPT)
    // Written by the script above.
    return JSON.parse(text.slice(text.indexOf('{'))) as { resident: number; peak: number; kills: number }
  }
  const megabytes = (bytes: number) => `${Math.round(bytes / 2 ** 20)} MB`

  test(`I7 ${VARIANTS} cold variants of 4K sources stay below the limit and leave no memory behind`, async () => {
    const requestCold = createColdImages(stack.baseUrl, 'memory')
    await requestCold()
    await pause(3000)
    const idle = await look()
    let left = VARIANTS
    let busy = 0
    const lane = async () => {
      while (left > 0) {
        const { status } = await requestCold()
        if (status === 200) left--
        else if (status === 503) {
          busy++
          await pause(1000)
        } else throw new Error(`status ${status}`)
      }
    }
    await Promise.all(Array.from({ length: 8 }, lane))
    const full = await look()
    await pause(30_000)
    const after = await look()
    const [container = ''] = await stack.containers('images')
    const state = await stack.inspect(container, '{{.State.OOMKilled}} {{.RestartCount}} {{.HostConfig.Memory}}')
    console.log(
      `memory: idle ${megabytes(idle.resident)}, at the end ${megabytes(full.resident)}, ` +
        `30 s later ${megabytes(after.resident)} (${(after.resident / idle.resident).toFixed(2)}x); ` +
        `most in the container ${megabytes(after.peak)} of ${megabytes(Number(state.split(' ')[2]))}; ${busy} responses with 503`,
    )
    expect(state).toMatch(/^false 0 /)
    expect(after.kills).toBe(0)
    expect(after.resident).toBeLessThan(1.3 * idle.resident)
  })
})

describe('pages next to a flood of images', () => {
  const samplePages = async () => {
    const times: number[] = []
    await steadily({ perSecond: PAGES_PER_SECOND, count: SAMPLES }, async () => {
      const started = performance.now()
      const { status } = await send(stack.baseUrl, FIXTURE.detail.path)
      times.push(performance.now() - started)
      if (status !== 200) throw new Error(`the page responded with ${status}`)
    })
    return times
  }
  /** Medians of the runs' 99th percentiles. */
  const compare = async (name: string) => {
    const [idle, flooded]: [number[], number[]] = [[], []]
    await steadily({ perSecond: PAGES_PER_SECOND, count: 250 }, async () => {
      await send(stack.baseUrl, FIXTURE.detail.path)
    })
    for (let run = 0; run < RUNS; run++) {
      idle.push(percentile(await samplePages(), 0.99))
      const stop = floodWithImages(stack.baseUrl, IN_FLIGHT)
      await pause(1000)
      const times = await samplePages()
      flooded.push(percentile(times, 0.99))
      const statuses = await stop()
      console.log(
        `${name}, run ${run + 1}: p99 idle ${idle.at(-1)?.toFixed(1)} ms, flooded ${flooded.at(-1)?.toFixed(1)} ms ` +
          `(p50 ${percentile(times, 0.5).toFixed(1)}), images by status ${statuses}`,
      )
    }
    const [before, during] = [percentile(idle, 0.5), percentile(flooded, 0.5)]
    console.log(
      `${name}: p99 of pages ${before.toFixed(1)} ms idle, ${during.toFixed(1)} ms flooded: ` +
        `${(during - before).toFixed(1)} ms more, ${(during / before).toFixed(2)}x`,
    )
    return { before, during }
  }

  test('I7 p99 of pages grows by at most 6 ms', async () => {
    const { before, during } = await compare('with the limits of compose')
    expect(during - before).toBeLessThanOrEqual(6)
  })

  test('I7 p99 of pages grows to at most 1.5x where images is pinned to one core', async () => {
    await stack.compose(...PINNED, 'up', '-d', '--no-build', '--wait')
    const [container = ''] = await stack.containers('images')
    expect(await stack.inspect(container, '{{.HostConfig.CpusetCpus}}')).toBe('1')
    const { before, during } = await compare('pinned')
    expect(during / before).toBeLessThanOrEqual(1.5)
  })
})
