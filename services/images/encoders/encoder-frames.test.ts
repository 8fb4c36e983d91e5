import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createFrameReader, type EncodeJob, frameHead } from './encoder-frames.ts'

const job = (id: number, sourceBytes: number): EncodeJob => ({
  id,
  sourceBytes,
  target: 'webp',
  width: 64,
  quality: 75,
  effort: { avif: 0, webp: 2 },
  maximumPixels: 1000,
})
const frame = (id: number, source: Buffer) => Buffer.concat([frameHead(job(id, source.length)), source])

/** The reader, with a job that ends only when the test ends it. */
function open() {
  const jobs: { job: EncodeJob; source: Buffer; end: () => void }[] = []
  const take = createFrameReader((one, source) => new Promise((end) => jobs.push({ job: one, source, end })))
  return { jobs, take }
}
const turn = () => new Promise((done) => setImmediate(done))

describe('frames of jobs', () => {
  test('I7 each source is read completely with its own head, for any chunks of the pipe', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.uint8Array({ maxLength: 300 }), { minLength: 1, maxLength: 5 }),
        fc.integer({ min: 1, max: 70 }),
        async (sources, step) => {
          const { jobs, take } = open()
          for (const [at, source] of sources.entries()) {
            const bytes = frame(at + 1, Buffer.from(source))
            for (let from = 0; from < bytes.length; from += step) take(bytes.subarray(from, from + step))
            expect(jobs[at]?.job).toEqual(job(at + 1, source.length))
            expect(jobs[at]?.source.equals(source)).toBe(true)
            jobs[at]?.end()
            await turn()
          }
        },
      ),
    )
  })

  test.each([
    ['while a job runs', [frame(1, Buffer.from('a')), frame(2, Buffer.from('b'))], 'while a job runs'],
    ['behind a source', [Buffer.concat([frame(1, Buffer.from('a')), Buffer.from('b')])], 'more bytes'],
    ['of another job than the next', [frame(2, Buffer.from('a'))], 'job 2 arrived in place of job 1'],
    ['that are not a head', [Buffer.alloc(100, 0xff)], 'not the head of a job'],
  ])('I7 refuses bytes %s', (_what, chunks, message) => {
    const { take } = open()
    expect(() => {
      for (const chunk of chunks) take(chunk)
    }).toThrow(message)
  })
})
