import { execSync } from 'node:child_process'
import type { NextApiResponse } from 'next'

export default function run(_: unknown, response: NextApiResponse) {
  response.end(execSync('echo weighed').toString().trim())
}
